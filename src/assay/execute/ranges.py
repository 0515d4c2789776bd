# SPDX-License-Identifier: MIT
"""Where a linked agent keeps the functions of a package, and those that they lean on.

A package's functions are found by the names that its object files define. What a
package calls without containing it, copying memory and what a compiler's own
library computes where the processor cannot, is one item: `RUNTIME`.
"""

import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import AssayError

if TYPE_CHECKING:  # not every command reads object code
    from assay.elf.code import CodeSymbol

RUNTIME = "(runtime)"
COPYING = r"_*(?:aeabi_)?(?:memcpy|memmove|memset|mempcpy|memclr|bcopy|bzero)\w*"
HELPERS = (  # of libgcc and compiler-rt, on all architectures
    r"__(?:aeabi_[ildu]|u?mul|u?div|u?mod|ash|lsh|rot|clz|ctz|ffs|bswap|popcount|parity"
    r"|neg|cmp|ucmp|prologue_saves|epilogue_restores|tablejump|riscv_save|riscv_restore"
    r"|gnu_thumb|xload|movmem|loop_)\w*|_(?:save|rest)gpr_?\w*"
)
RUNTIME_NAME = re.compile(f"(?:{COPYING}|{HELPERS})$")
STUBS = re.compile(r"\.i?plt\b")  # of a static program: how it finds its best memcpy


class SymbolError(AssayError):
    """The functions of a package cannot be told from the rest of a linked agent."""


class AddressRange(Struct, frozen=True):
    """Addresses from `start` up to but without `end`, of what `name` tells."""

    name: str
    start: int
    end: int


Ranges = tuple[AddressRange, ...]


def ranges_of(agent: Path, objects: Iterable[Path]) -> Ranges:
    """Find in a linked agent the functions of a package's object files, and the runtime.

    Ranges of one function go up to the next function of its section, so that no
    instruction of the package is left out. Local functions whose names exist more than
    once are told apart by where the functions beside them are.
    """
    from assay.elf.code import code_symbols  # noqa: PLC0415 - where an emulator counts

    linked: dict[str, list[CodeSymbol]] = defaultdict(list)
    for symbol in code_symbols(agent):
        linked[symbol.name].append(symbol)
    found: dict[int, AddressRange] = {}
    for path in objects:
        for one in _of_object(code_symbols(path), linked):
            found.setdefault(one.start, one)
    if not found:
        raise SymbolError(f"{agent.name} has none of the package's functions")
    return tuple(sorted([*found.values(), *_runtime(agent, linked, found)], key=_start))


def static_ranges(agent: Path, objects: Iterable[Path], base: str) -> Ranges:
    """Find the variables of a package's objects, at addresses less that of the function `base`.

    Those are left out whose name and size others in the agent have, too.
    """
    from assay.elf.code import code_symbols, static_variables  # noqa: PLC0415 - as above

    wanted = {(name, size) for path in objects for name, _, size in static_variables(path)}
    linked = static_variables(agent)
    known = Counter((name, size) for name, _, size in linked)
    bases = [one.address for one in code_symbols(agent) if one.name == base]
    return tuple(
        AddressRange(name, address - bases[0], address - bases[0] + size)
        for name, address, size in sorted(linked, key=itemgetter(1))
        if bases and (name, size) in wanted and known[name, size] == 1
    )


def traced_ranges(
    agent: Path, objects: Iterable[Path], own: Iterable[Path]
) -> tuple[Ranges, Ranges]:
    """Find the functions of a package's objects, and those of the agent's own."""
    package, agents = (
        {one.start: one for one in ranges_of(agent, each) if one.name != RUNTIME}
        for each in (objects, own)
    )
    starts = [*sorted({*package, *agents}), sys.maxsize]
    following = dict(pairwise(starts))  # sections may have been made shorter

    def alone(these: dict[int, AddressRange], others: dict[int, AddressRange]) -> Ranges:
        """Leave out what compilers give to all, such as __x86.get_pc_thunk.bx."""
        kept = (one for start, one in these.items() if start not in others)
        return tuple(replace(one, end=min(one.end, following[one.start])) for one in kept)

    return alone(package, agents), alone(agents, package)


def _start(one: AddressRange) -> int:
    return one.start


def _of_object(
    functions: list["CodeSymbol"], linked: dict[str, list["CodeSymbol"]]
) -> Iterator[AddressRange]:
    """Yield the ranges of one object's functions; sections that were not linked have none."""
    unique = [one for one in functions if len(linked.get(one.name, ())) == 1]
    nearby = linked[unique[0].name][0].address if unique else None
    for index, group in groupby(functions, lambda one: one.section):
        anchor = next((one for one in unique if one.section == index), None)
        base = linked[anchor.name][0].address - anchor.address if anchor else None
        placed: list[tuple[CodeSymbol, CodeSymbol]] = []
        for one in group:
            expected = nearby if base is None else base + one.address
            symbol = _nearest(one, expected, linked.get(one.name, []), far=base is None)
            if symbol:
                placed.append((one, symbol))
        yield from _of_section(placed)


def _of_section(placed: list[tuple["CodeSymbol", "CodeSymbol"]]) -> Iterator[AddressRange]:
    """Yield the ranges of one section: all of it, unless the linker made it shorter."""
    if not placed:
        return
    bases = {symbol.address - one.address for one, symbol in placed}
    starts = sorted({symbol.address for _, symbol in placed})
    for one, symbol in placed:
        start, following = symbol.address, bisect_right(starts, symbol.address)
        if following < len(starts):
            end = starts[following]
        elif len(bases) == 1:
            end = start - one.address + one.section_bytes
        else:
            end = start + (symbol.size_bytes or one.size_bytes)
        if len(bases) == 1 and start == starts[0]:
            start -= one.address
        yield AddressRange(one.name, start, end)


def _nearest(
    function: "CodeSymbol", expected: int | None, candidates: list["CodeSymbol"], *, far: bool
) -> "CodeSymbol | None":
    """Choose the symbol of a function; the linker may have moved code a little (relaxation)."""
    if expected is None and len(candidates) > 1:
        raise SymbolError(
            f"the agent has {len(candidates)} functions {function.name}, and nothing tells "
            "which of them is the package's",
            "Let one function of the file be global, as the API asks.",
        )
    if expected is None:
        return candidates[0] if candidates else None
    near = min(candidates, key=lambda one: abs(one.address - expected), default=None)
    if near and not far and abs(near.address - expected) > function.section_bytes:
        return None
    return near


def _runtime(
    agent: Path, linked: dict[str, list["CodeSymbol"]], taken: dict[int, AddressRange]
) -> Iterator[AddressRange]:
    """Yield the ranges of copying and of the compiler's library, the package's own excepted."""
    from assay.elf.code import code_sections  # noqa: PLC0415 - where an emulator counts

    bounds = sorted({one.address for many in linked.values() for one in many})
    pieces = [
        (one.address, one.address + one.size_bytes if one.size_bytes else _after(bounds, one))
        for name, many in linked.items()
        for one in many
        if RUNTIME_NAME.match(name)
    ]
    pieces += [(start, end) for name, start, end in code_sections(agent) if STUBS.match(name)]
    covered = 0
    for start, end in sorted(pieces):
        first = max(start, covered)
        if end > first and not any(one.start < end and first < one.end for one in taken.values()):
            covered = end
            yield AddressRange(RUNTIME, first, end)


def _after(bounds: list[int], symbol: "CodeSymbol") -> int:
    following = bisect_right(bounds, symbol.address)
    return bounds[following] if following < len(bounds) else symbol.address
