# SPDX-License-Identifier: MIT
"""What the configure script does, stage by stage."""

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.configure import folder
from assay.configure.dialogue import Dialogue, parse_selection
from assay.errors import MachineError
from assay.machine import cpu_flags, cpu_mhz
from assay.machine.cpuinfo import parse_mhz
from assay.model import Configuration
from assay.toolchain.configs import configurations
from assay.toolchain.listings import (
    read_candidates,
    read_compilers,
    render_candidates,
    render_compilers,
)
from assay.toolchain.probe import Supported, probe
from assay.toolchain.search import Candidate, candidates
from assay.toolchain.shortlist import (
    ordered,
    parse_shortlist,
    proposed_shortlist,
    shortlist_names,
    shortlist_text,
)
from assay.toolchain.survey import Survey, survey

_NO_COMPILER = "Install one (on Debian: apt-get install gcc) or add its folder to PATH."


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers given beforehand; None is asked."""

    compilers: str | None = None
    shortlist: str | None = None
    shortlist_only: bool | None = None
    mhz: float | None = None
    cross: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """What a configured reports folder holds."""

    reports: Path
    compilers: tuple[Supported, ...]
    selected: tuple[str, ...]
    configurations: tuple[Configuration, ...]
    shortlist: str
    on_shortlist: int
    shortlist_only: bool
    mhz: float


def configure(reports: Path, dialogue: Dialogue, answers: Answers) -> Summary | None:
    """Run all stages; None if the user does not want the candidates executed.

    The search is done only if the file `compilers` is absent. Each stage's file
    is complete before the next one asks, so a start that is broken off loses
    only the stage it was in.
    """
    _validate(answers)
    folder.remove_leftovers(reports)
    supported = _supported(reports, dialogue, answers)
    if supported is None:
        return None
    selected = _select(supported, dialogue, answers.compilers)
    made = configurations(selected)
    with dialogue.progress("creating config files"):
        folder.write_configurations(reports, made)
    shortlist = _choose_shortlist(reports, dialogue, answers.shortlist)
    only = answers.shortlist_only
    only = not dialogue.wants_other_options() if only is None else only
    folder.write_shortlist_only(reports, only=only)
    mhz = _collect_cpu(reports, dialogue, answers.mhz)
    named = ordered(made, parse_shortlist(shortlist_text(shortlist)))
    return Summary(
        reports,
        supported,
        tuple(each.command for each in selected),
        made,
        shortlist,
        sum(each.score > 0 for each in named),
        only,
        mhz,
    )


def _validate(answers: Answers) -> None:
    """Refuse a wrong answer before the long search, not after it."""
    if answers.shortlist is not None:
        shortlist_text(answers.shortlist)
    if answers.mhz is not None:
        parse_mhz(str(answers.mhz))


def _supported(
    reports: Path, dialogue: Dialogue, answers: Answers
) -> tuple[Supported, ...] | None:
    """Read the compilers found before, or find them."""
    path = reports / folder.COMPILERS
    if path.is_file():
        if answers.cross:
            dialogue.warn(f"compilers were searched before; delete {path} to search again")
        return _present(read_compilers(path), path, dialogue)
    named = _candidates(reports, dialogue, cross=answers.cross)
    if not dialogue.agrees_to_run([each.command for each in named]):
        _keep_candidates(reports, named, dialogue)
        return None
    found = _probed(_surveyed(named, dialogue), dialogue)
    folder.write_text(path, render_compilers(found))
    return found


def _candidates(reports: Path, dialogue: Dialogue, *, cross: bool) -> Sequence[Candidate]:
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


def _keep_candidates(reports: Path, named: Sequence[Candidate], dialogue: Dialogue) -> None:
    """Write the candidates for the user to edit, unless that is where they came from."""
    path = reports / folder.CANDIDATES
    if not path.is_file():
        folder.write_text(path, render_candidates(named))
    dialogue.explain_candidates(str(path))


def _surveyed(named: Sequence[Candidate], dialogue: Dialogue) -> Survey:
    """Run the candidates; at least one must be of use."""
    dialogue.tell("")
    with dialogue.progress("checking compilers and discarding duplicates"):
        found = survey(named)
    for command, reason in found.rejected:
        dialogue.warn(f"{command} is left out: {reason}")
    if not found.compilers:
        raise MachineError("none of the candidates is a compiler that works", _NO_COMPILER)
    return found


def _probed(found: Survey, dialogue: Dialogue) -> tuple[Supported, ...]:
    """Try the options; a compiler that takes none is left out."""
    with dialogue.progress("checking compiler options"):
        flags = cpu_flags()
        probed = tuple(probe(each, flags) for each in found.compilers)
    kept = tuple(each for each in probed if each.archs and each.opts)
    if not kept:
        raise MachineError("no compiler makes programs that compute correctly", _NO_COMPILER)
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
        cure = f"Delete {path} and run ./scripts/configure again."
        raise MachineError(f"no compiler named in {path} is installed", cure)
    dialogue.tell("")
    return tuple(kept)


def _select(
    supported: Sequence[Supported], dialogue: Dialogue, answer: str | None
) -> tuple[Supported, ...]:
    """Choose the active compilers."""
    if answer is None:
        numbers = dialogue.choose_compilers([each.command for each in supported])
        dialogue.tell("")
    else:
        numbers = parse_selection(answer, len(supported))
    return tuple(supported[number - 1] for number in numbers)


def _choose_shortlist(reports: Path, dialogue: Dialogue, answer: str | None) -> str:
    """Choose a shortlist and copy it."""
    name = answer
    if name is None:
        lists = [(each, len(parse_shortlist(shortlist_text(each)))) for each in shortlist_names()]
        name = dialogue.choose_shortlist(lists, proposed_shortlist())
        dialogue.tell("")
    text = shortlist_text(name)
    with dialogue.progress(f"copying shortlist.{name}"):
        folder.write_shortlist(reports, text)
    return name


def _collect_cpu(reports: Path, dialogue: Dialogue, answer: float | None) -> float:
    """Write what is known of the processor, with the frequency that the user confirms."""
    dialogue.tell("")
    with dialogue.progress("collecting CPU information"):
        stated = cpu_mhz()
    mhz = dialogue.confirm_mhz(stated) if answer is None else answer
    folder.write_cpuinfo(reports, mhz)
    return mhz
