# SPDX-License-Identifier: MIT
"""Whether code compiled for an architecture can be trusted to run on this processor.

It can if the processor has what the option's macros promise, and a program compiled with it,
warnings being errors, computes the right sums. Kernels and hypervisors hide single features
that a compiler takes for granted, as Linux hides rdseed on processors whose rdseed is broken,
while gcc's `native` asks CPUID. Such features are left out of `native`, one by one; any other
option that presupposes them is refused.
"""

import shlex
import signal
import tempfile
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from msgspec import Struct

from assay.model import Compiler
from assay.model.toolchains import HIDDEN, is_native_option
from assay.toolchain.features import lacking, without
from assay.toolchain.options import wanted_archs, wanted_levels
from assay.toolchain.process import Finished, is_native, processor_family, run, runner
from assay.toolchain.survey import predefined_macros

_ARCH_LEVEL = {"gcc": "-O3", "clang": "-O3", "icc": "-O3"}
_SHOWN = 6  # features that a reason names
_TUNED = {("gcc", "x86"): " -mtune=native"}  # as SUPERCOP has it; elsewhere it is implied


class ArchFit(Struct, frozen=True):
    """What became of an architecture option: `usable` is what to write, None if it cannot be used.

    `reason` says what was left out and why, or why the option cannot be used. The refusal is
    `passing` if the machine was out of memory, processes or room when the option was tried.
    """

    wanted: str
    usable: str | None
    reason: str = ""
    passing: bool = False


def fit(compiler: Compiler, arch: str, flags: frozenset[str] | None) -> ArchFit:
    """Fit an option to this processor, whose flags are `flags` (None: the system has no list)."""
    words = shlex.split(compiler.command)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        place = Path(folder)
        place.joinpath("empty.c").touch()
        found = ArchFit(arch, arch)
        if flags is not None and is_native(compiler.target):
            found = _fitted(compiler, arch, flags, place)
        if found.usable is None:
            return found
        place.joinpath("conftest.c").write_text(conftest())
        level = [_ARCH_LEVEL[compiler.family]] if compiler.family in _ARCH_LEVEL else []
        options = [*found.usable.split(), *level]
        built = run([*words, *options, "-Werror", "conftest.c", "-o", "conftest"], place)
        if not built.ok:
            return ArchFit(arch, None, _refusal(compiler, built), built.passing)
        wrapper = runner(compiler.target)  # without a way to run it, compiling must do
        ran = None if wrapper is None else run([*wrapper, "./conftest"], place)
        if ran is not None and not ran.ok:
            why = f"what it compiles does not run here{_ending(ran)}"
            return ArchFit(arch, None, why, ran.passing)
        return found


def richest(compiler: Compiler, flags: frozenset[str] | None) -> ArchFit:
    """Return the option that lets a compiler use most of this processor.

    That is `native`, less what is hidden, or else the highest level that both know; `wanted` is
    empty and `usable`, too, where there is none.
    """
    cpu = processor_family(compiler.target)
    tuned = _TUNED.get((compiler.family, cpu), "")
    wanted = wanted_archs(compiler.family, cpu)
    native = [f"{arch}{tuned}" for arch in wanted if is_native_option(arch)]
    refused: list[str] = []
    passing = False
    for arch in (*native, *wanted_levels(compiler.family, cpu)):
        found = fit(compiler, arch, flags)
        if found.usable is not None:
            return ArchFit(arch, found.usable, found.reason or "; ".join(refused), passing)
        passing = passing or found.passing
        if arch in native:
            refused.append(f"{arch} cannot be used: {found.reason}")
    return ArchFit("", "", "; ".join(refused), passing)


def conftest() -> str:
    """Read the program that is compiled."""
    return resources.files("assay.toolchain").joinpath("conftest.c").read_text()


def _fitted(compiler: Compiler, arch: str, flags: frozenset[str], place: Path) -> ArchFit:
    """Leave out of `native` what the processor lacks; refuse other options that need it."""
    cpu, option = processor_family(compiler.target), arch
    gone: dict[str, str] = {}
    while True:
        words = [*shlex.split(compiler.command), *option.split()]
        macros = predefined_macros(words, place)
        absent = lacking(cpu, macros, flags)
        if gone and not macros:
            return ArchFit(arch, None, f"{compiler.command} does not take {option}")
        if not absent:
            reason = f"without {_named(gone.values())}, {HIDDEN}" if gone else ""
            return ArchFit(arch, option, reason)
        macro, flag = absent[0]
        less = without(cpu, option, macro) if is_native_option(arch) else None
        if less is None or macro in gone:
            names = (one for _, one in absent)
            return ArchFit(arch, None, f"the processor lacks {_named(names)}")
        option = less
        gone[macro] = flag


def _named(features: Iterable[str]) -> str:
    """Write features down, of many the first ones."""
    flags = list(dict.fromkeys(features))
    more = f" and {len(flags) - _SHOWN} more" if len(flags) > _SHOWN else ""
    return ", ".join(flags[:_SHOWN]) + more


def _refusal(compiler: Compiler, built: Finished) -> str:
    """Quote what a compiler says about an option that it does not take."""
    lines = [line for line in built.messages.splitlines() if "error" in line]
    said = lines or built.messages.strip().splitlines() or ["no message"]
    return f"{compiler.command} does not take it ({said[0].strip()[:120]})"


def _ending(ran: Finished) -> str:
    """Name the signal that ended a program."""
    if ran.code is None or ran.code >= 0:
        return ""
    return f" ({signal.Signals(-ran.code).name})"
