# SPDX-License-Identifier: MIT
"""Which configurations are tried first: shortlists, and the levels for the SUPERCOP API.

A line of a shortlist is a score and a tag, as `uniq -c` prints them
(`     20 gcc_k8_O3-ual-ofp`); the higher the score, the earlier. Lists for several architectures
come with Assay.

Packages of the SUPERCOP API are tried with the optimisation levels of SUPERCOP's list unless
others are named, for every compiler that is here, the levels that win most often first. Code may
use all that this processor has: `archs` says by which option.
"""

import platform
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from msgspec import Struct

from assay.errors import MachineError, UsageError
from assay.model import Compiler, Configuration
from assay.model.toolchains import is_native_option
from assay.toolchain.options import compact_arch
from assay.toolchain.process import processor, processor_family
from assay.toolchain.remembered import examine, richest

SHORTLIST = "shortlist"
SHORTLIST_ONLY = ".shortlist-only"
NATIVE = "native"
_LINE = re.compile(r"\s*(?P<score>\d+)\s+(?P<tag>\S+)\s*")
_NAMES = {"x86_64": "amd64", "riscv": "riscv64"}
COMMANDS = ("gcc", "clang")
LEVELS = ("-O3", "-O2", "-Os", "-O")
EVERYWHERE = "-fwrapv -fPIC -fPIE"


class Ranked(Struct, frozen=True):
    """A configuration and its score; 0 means that the shortlist does not name it."""

    configuration: Configuration
    score: int


def shortlist_names() -> tuple[str, ...]:
    """Name the lists that come with Assay: `amd64`, `arm`, ..."""
    files = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.partition(".")[2] for name in files if name.startswith("shortlist.")))


def shortlist_text(name: str) -> str:
    """Return the text of a list that comes with Assay."""
    if name not in shortlist_names():
        known = ", ".join(shortlist_names())
        raise UsageError(f"there is no shortlist {name!r}", f"Choose one of {known}.")
    return _folder().joinpath(f"shortlist.{name}").read_text()


def parse_shortlist(text: str) -> dict[str, int]:
    """Read scores by tag; a tag named twice gets the sum."""
    scores: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match:
            scores[match["tag"]] += int(match["score"])
        elif line.strip():
            cure = "Write a score and a tag, such as `20 gcc_native_O3-ofp`."
            raise UsageError(f"line {number} of the shortlist is {line.strip()[:80]!r}", cure)
    return dict(scores)


def render_shortlist(scores: Mapping[str, int]) -> str:
    """Write a shortlist, the highest score first."""
    rows = sorted(scores.items(), key=lambda row: (-row[1], row[0]))
    return "".join(f"{score:7d} {tag}\n" for tag, score in rows)


def standing_in(scores: Mapping[str, int], levels: Mapping[str, str]) -> dict[str, int]:
    """Return scores in which an architecture takes the place of `native`, by compiler family."""
    found: Counter[str] = Counter()
    for tag, score in scores.items():
        family, _, rest = tag.partition("_")
        arch, _, opt = rest.partition("_")
        level = levels.get(family) if arch == NATIVE else None
        found[f"{family}_{compact_arch(level)}_{opt}" if level else tag] += score
    return dict(found)


def load_shortlist(reports: Path) -> dict[str, int]:
    """Read the shortlist of a reports folder; a missing file is an empty list."""
    path = reports / SHORTLIST
    return parse_shortlist(path.read_text(errors="replace")) if path.is_file() else {}


def ordered(
    configurations: Iterable[Configuration], scores: Mapping[str, int]
) -> tuple[Ranked, ...]:
    """Sort by score, the highest first, and by name where scores are equal."""
    ranked = (Ranked(each, scores.get(each.tag, 0)) for each in configurations)
    return tuple(sorted(ranked, key=lambda each: (-each.score, each.configuration.name)))


def proposed_shortlist(machine: str | None = None) -> str | None:
    """Name the list for a machine (default: this one); None if there is none."""
    cpu = processor(platform.machine() if machine is None else machine)
    wanted = (_NAMES.get(cpu), cpu, _NAMES.get(processor_family(cpu)), processor_family(cpu))
    return next((name for name in wanted if name in shortlist_names()), None)


def _folder() -> resources.abc.Traversable:
    """Find the folder of the lists, in a clone or an installed wheel."""
    return resources.files("assay.toolchain").joinpath("shortlists")


def supercop_configurations() -> tuple[tuple[Configuration, ...], dict[str, Compiler]]:
    """Return the configurations, best first, and the compilers by command."""
    compilers: dict[str, Compiler] = {}
    for command in COMMANDS:
        found = examine(command)
        if isinstance(found, Compiler):
            compilers[command] = found
    if not compilers:
        raise MachineError("there is no C compiler on the path", "apt-get install gcc")
    archs = {command: richest(one).usable or "" for command, one in compilers.items()}
    chosen = (
        _configuration(level, one, archs[command])
        for level in LEVELS
        for command, one in compilers.items()
    )
    return tuple(chosen), compilers


def _configuration(level: str, compiler: Compiler, arch: str) -> Configuration:
    family, command = compiler.family, compiler.command
    what = "native" if is_native_option(arch) else compact_arch(arch)
    name = f"{command}_{what}_{level.removeprefix('-')}"
    return Configuration(family, command, arch, f"{level} {EVERYWHERE}", name, name)
