# SPDX-License-Identifier: MIT
"""The first stage of configure: which compilers and options there are."""

import shlex
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from assay.configure import folder
from assay.configure.dialogue import Dialogue
from assay.errors import MachineError
from assay.machine.cpuinfo import cpu_flags
from assay.model import Compiler, Configuration
from assay.toolchain.configs import configurations
from assay.toolchain.listings import (
    read_candidates,
    read_compilers,
    render_candidates,
    render_compilers,
)
from assay.toolchain.probe import Supported, probe
from assay.toolchain.remembered import examine
from assay.toolchain.search import CompilerCandidate, candidates
from assay.toolchain.shortlist import parse_shortlist, proposed_shortlist, shortlist_text
from assay.toolchain.survey import Survey, survey
from assay.writing import write_below

_QUICK = "# Only options of the shortlist were tried; `assay configure` tries all.\n"
_TOLD = ("-march=native", "-mcpu=native")  # of others the file `compilers` has the reasons
_NO_COMPILER = "Install one (on Debian: apt-get install gcc) or add its folder to PATH."


def supported_compilers(
    reports: Path, dialogue: Dialogue, *, cross: bool, tags: Collection[str] | None
) -> tuple[Supported, ...] | None:
    """Read the compilers found before, or find them; None if the user declines to run any.

    The search is done only if the file `compilers` is absent, or has only the
    options in `tags` where all are wanted, which is what None stands for.
    """
    path = reports / folder.COMPILERS
    if path.is_file() and (tags is not None or not _is_quick(path)):
        if cross:
            dialogue.warn(f"compilers were searched before; delete {path} to search again")
        return _present(read_compilers(path), path, dialogue)
    named = _candidates(reports, dialogue, cross=cross)
    if not dialogue.agrees_to_run([each.command for each in named]):
        _keep_candidates(reports, named, dialogue)
        return None
    found = _probed(_surveyed(named, dialogue), dialogue, tags)
    head = "" if tags is None else _QUICK
    write_below(reports, folder.COMPILERS, head + _remarks(found) + render_compilers(found))
    return found


def first_configuration() -> tuple[Configuration, Compiler] | None:
    """Return the shortlist's best configuration here, as `configure` will name it.

    Only its compiler is run, to try only these options. None if there is no shortlist for this
    machine, or the machine or its compiler does not take its first line.
    """
    name = proposed_shortlist()
    scores = parse_shortlist(shortlist_text(name)) if name else {}
    if not scores:
        return None
    best = max(scores, key=lambda tag: scores[tag])
    compiler = examine(best.partition("_")[0])
    if isinstance(compiler, str):
        return None
    made = configurations((probe(compiler, cpu_flags(), (best,)),))
    return next(((one, compiler) for one in made if one.tag == best), None)


def _remarks(found: Sequence[Supported]) -> str:
    """Write down, as comments, what was left out of architectures and which cannot be used."""
    lines = (f"# {one.command} {arch}: {why}\n" for one in found for arch, why in one.remarks)
    return "".join(lines)


def _is_quick(path: Path) -> bool:
    """Return whether the options of a shortlist alone were tried."""
    return path.read_text(errors="replace").startswith(_QUICK)


def _candidates(reports: Path, dialogue: Dialogue, *, cross: bool) -> Sequence[CompilerCandidate]:
    """Read the candidates that the user edited, or search the path."""
    path = reports / folder.CANDIDATES
    if path.is_file():
        named = read_candidates(path)
    else:
        dialogue.tell("")
        with dialogue.progress("searching for compilers"):
            named = candidates(cross=cross)
    if not named:
        place = str(path) if path.is_file() else "the folders of PATH"
        raise MachineError(f"no compiler was found in {place}", _NO_COMPILER)
    return named


def _keep_candidates(
    reports: Path, named: Sequence[CompilerCandidate], dialogue: Dialogue
) -> None:
    """Write the candidates for the user to edit, unless that is where they came from."""
    path = reports / folder.CANDIDATES
    if not path.is_file():
        write_below(reports, folder.CANDIDATES, render_candidates(named))
    dialogue.explain_candidates(str(path))


def _surveyed(named: Sequence[CompilerCandidate], dialogue: Dialogue) -> Survey:
    """Run the candidates; at least one must be of use."""
    dialogue.tell("")
    with dialogue.progress("checking compilers and discarding duplicates"):
        found = survey(named)
    for command, reason in found.rejected:
        dialogue.warn(f"{command} is left out: {reason}")
    if not found.compilers:
        raise MachineError("none of the candidates is a compiler that works", _NO_COMPILER)
    return found


def _probed(
    found: Survey, dialogue: Dialogue, tags: Collection[str] | None
) -> tuple[Supported, ...]:
    """Try the options; a compiler that takes none is left out."""
    with dialogue.progress("checking compiler options"):
        flags = cpu_flags()
        probed = tuple(probe(each, flags, tags) for each in found.compilers)
    kept = tuple(each for each in probed if each.archs and each.opts)
    if not kept:
        raise MachineError("no compiler makes programs that compute correctly", _NO_COMPILER)
    for each in kept:
        for arch, why in each.remarks:
            if arch in _TOLD:
                dialogue.warn(f"{each.command} {arch}: {why}")
    dialogue.tell("")
    return kept


def _present(
    supported: tuple[Supported, ...], path: Path, dialogue: Dialogue
) -> tuple[Supported, ...]:
    """Leave out compilers that have been removed since."""
    kept = []
    for each in supported:
        if shutil.which(shlex.split(each.command)[0]):
            kept.append(each)
        else:
            dialogue.warn(f"{each.command} is left out: it is not on the path any more")
    if not kept:
        cure = f"Delete {path} and run `assay configure` again."
        raise MachineError(f"no compiler named in {path} is installed", cure)
    dialogue.tell("")
    return tuple(kept)
