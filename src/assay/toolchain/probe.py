# SPDX-License-Identifier: MIT
"""Learns which of the wanted options a compiler takes, by trying each of them.

An architecture is kept if the processor has what its macros promise and a
program compiled for it, warnings being errors, computes the right sums. An
optimisation is kept if it compiles.
"""

import shlex
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from assay.model import Compiler
from assay.toolchain.emulate import is_native, processor_family, runner
from assay.toolchain.features import missing_features
from assay.toolchain.naming import tag
from assay.toolchain.options import wanted_archs, wanted_opts, wanted_widths
from assay.toolchain.process import in_parallel, run
from assay.toolchain.survey import predefined_macros

_ARCH_LEVEL = {"gcc": "-O3", "clang": "-O3", "icc": "-O3"}


@dataclass(frozen=True, slots=True)
class Supported:
    """A compiler with the options it takes here: one line of the `compilers` file."""

    family: str
    command: str
    archs: tuple[str, ...]
    opts: tuple[str, ...]


def probe(
    compiler: Compiler, flags: frozenset[str] | None, tags: Collection[str] | None = None
) -> Supported:
    """Try all wanted options of a compiler, or those in `tags`, on all processors.

    `flags` are the processor's, from `machine.cpu_flags`; None if the system
    does not tell, and then running the program alone decides. If no tag is of
    this compiler's family, all its options are tried.
    """
    wanted = _wanted(compiler, tags)
    archs = in_parallel(
        lambda arch: _takes_arch(compiler, arch, flags), _archs(compiler, flags, wanted)
    )
    opts = tuple(dict.fromkeys(opt for _, opt in wanted))
    kept = in_parallel(lambda opt: _takes_opt(compiler, opt), opts)
    return Supported(
        compiler.family,
        compiler.command,
        tuple(arch for arch in archs if arch is not None),
        tuple(opt for opt, ok in zip(opts, kept, strict=True) if ok),
    )


def _wanted(compiler: Compiler, tags: Collection[str] | None) -> list[tuple[str, str]]:
    """Combine architectures, in every width, with optimisations; keep those in `tags`."""
    cpu = processor_family(compiler.target)
    widths = ("", *wanted_widths(compiler.family, cpu))
    plain, opts = wanted_archs(compiler.family, cpu), wanted_opts(compiler.family)
    archs = [f"{arch} {width}".strip() for width in widths for arch in plain]
    pairs = [(arch, opt) for arch in archs for opt in opts]
    named = [pair for pair in pairs if tag(compiler.family, *pair) in (tags or ())]
    return named or pairs


def _archs(
    compiler: Compiler, flags: frozenset[str] | None, wanted: Iterable[tuple[str, str]]
) -> list[str]:
    """Return the architectures, without those in a width that is the default or unusable."""
    archs = list(dict.fromkeys(arch for arch, _ in wanted))
    cpu = processor_family(compiler.target)
    for width in wanted_widths(compiler.family, cpu):
        wide = [arch for arch in archs if width in arch.split()]
        if wide and not (
            _changes_width(compiler, width) and _takes_arch(compiler, width, flags) is not None
        ):
            archs = [arch for arch in archs if arch not in wide]
    return archs


def _changes_width(compiler: Compiler, width: str) -> bool:
    """Return whether an option such as -m32 differs from what the compiler does anyway."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        words = shlex.split(compiler.command)
        place = Path(folder)
        place.joinpath("empty.c").touch()
        default = predefined_macros(words, place)
        chosen = predefined_macros([*words, width], place)
    return bool(chosen) and ("__LP64__" in default) != ("__LP64__" in chosen)


def _takes_arch(compiler: Compiler, arch: str, flags: frozenset[str] | None) -> str | None:
    """Return the option if programs compiled with it can be trusted to run here."""
    words = [*shlex.split(compiler.command), *arch.split()]
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        place = Path(folder)
        place.joinpath("empty.c").touch()
        if flags is not None and is_native(compiler.target):
            cpu = processor_family(compiler.target)
            if missing_features(cpu, predefined_macros(words, place), flags):
                return None
        place.joinpath("conftest.c").write_text(_conftest())
        level = [_ARCH_LEVEL[compiler.family]] if compiler.family in _ARCH_LEVEL else []
        built = run([*words, *level, "-Werror", "conftest.c", "-o", "conftest"], place)
        return arch if built.ok and _runs(compiler, place) else None


def _takes_opt(compiler: Compiler, opt: str) -> bool:
    """Return whether the compiler takes an option without a warning."""
    words = [*shlex.split(compiler.command), *opt.split()]
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        place = Path(folder)
        place.joinpath("conftest.c").write_text(_conftest())
        return run([*words, "-Werror", "-c", "conftest.c", "-o", "conftest.o"], place).ok


def _runs(compiler: Compiler, folder: Path) -> bool:
    """Run the conftest; without a way to run the target, compiling must do."""
    wrapper = runner(compiler.target)
    return wrapper is None or run([*wrapper, "./conftest"], folder).ok


def _conftest() -> str:
    """Read the program that is compiled."""
    return resources.files("assay.toolchain").joinpath("conftest.c").read_text()
