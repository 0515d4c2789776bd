# SPDX-License-Identifier: MIT
"""Learns which of the wanted options a compiler takes, by trying each of them.

An architecture is kept if its code can be trusted to run (`archs`), an optimisation if it
compiles.
"""

import shlex
import tempfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from assay.model import Compiler
from assay.model.toolchains import is_native_option
from assay.toolchain.archs import ArchFit, conftest, fit
from assay.toolchain.options import (
    FAMILIES,
    tag_of,
    wanted_archs,
    wanted_levels,
    wanted_opts,
    wanted_widths,
)
from assay.toolchain.process import in_parallel, processor_family, run
from assay.toolchain.survey import predefined_macros


class Supported(Struct, frozen=True):
    """A compiler with the options it takes here: one line of the `compilers` file.

    `remarks` say what was left out of an architecture, or why one cannot be used: (option as it
    was wanted, what is to be said of it).
    """

    family: str
    command: str
    archs: tuple[str, ...]
    opts: tuple[str, ...]
    remarks: tuple[tuple[str, str], ...] = ()


def probe(
    compiler: Compiler, flags: frozenset[str] | None, tags: Collection[str] | None = None
) -> Supported:
    """Try all wanted options of a compiler, or those in `tags`, on all processors.

    `flags` are the processor's, from `machine.cpu_flags`; None if the system
    does not tell, and then running the program alone decides. If no tag is of
    this compiler's family, all its options are tried.
    """
    wanted = _wanted(compiler, tags)
    listed = _archs(compiler, flags, wanted)
    fits = in_parallel(lambda arch: fit(compiler, arch, flags), listed)
    fits += _stand_in(compiler, flags, fits)
    opts = tuple(dict.fromkeys(opt for _, opt in wanted))
    kept = in_parallel(lambda opt: _takes_opt(compiler, opt), opts)
    usable = dict.fromkeys(one.usable for one in fits if one.usable is not None)
    return Supported(
        compiler.family,
        compiler.command,
        tuple(usable),
        tuple(opt for opt, ok in zip(opts, kept, strict=True) if ok),
        tuple((one.wanted, one.reason) for one in fits if one.reason),
    )


def _stand_in(
    compiler: Compiler, flags: frozenset[str] | None, fits: list[ArchFit]
) -> list[ArchFit]:
    """Where `native` is refused, add the highest level that can be used, if it is not there."""
    refused = [one for one in fits if is_native_option(one.wanted) and one.usable is None]
    if not refused:
        return []
    tried = {one.wanted: one for one in fits}
    for level in wanted_levels(compiler.family, processor_family(compiler.target)):
        found = tried.get(level) or fit(compiler, level, flags)
        if found.usable is not None:
            return [] if level in tried else [found]
    return []


def stand_ins(compilers: Sequence[Supported]) -> dict[str, str]:
    """Return the highest level that can be used, by families of which none takes `native`."""
    native = {one.family for one in compilers if any(map(is_native_option, one.archs))}
    return {
        one.family: level
        for one in reversed(compilers)
        for family in FAMILIES
        for level in reversed(wanted_levels(one.family, family))
        if one.family not in native and level in one.archs
    }


def _wanted(compiler: Compiler, tags: Collection[str] | None) -> list[tuple[str, str]]:
    """Combine architectures, in every width, with optimisations; keep those in `tags`."""
    cpu = processor_family(compiler.target)
    widths = ("", *wanted_widths(compiler.family, cpu))
    plain, opts = wanted_archs(compiler.family, cpu), wanted_opts(compiler.family)
    archs = [f"{arch} {width}".strip() for width in widths for arch in plain]
    pairs = [(arch, opt) for arch in archs for opt in opts]
    named = [pair for pair in pairs if tag_of(compiler.family, *pair) in (tags or ())]
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
            _changes_width(compiler, width) and fit(compiler, width, flags).usable is not None
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


def _takes_opt(compiler: Compiler, opt: str) -> bool:
    """Return whether the compiler takes an option without a warning."""
    words = [*shlex.split(compiler.command), *opt.split()]
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        place = Path(folder)
        place.joinpath("conftest.c").write_text(conftest())
        return run([*words, "-Werror", "-c", "conftest.c", "-o", "conftest.o"], place).ok
