# SPDX-License-Identifier: MIT
"""The table of code sizes: the paper's section 2, for any package on any target."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay.grouped import grouped
from assay.model.compared import UNCOMPARED
from assay.model.footprint import Device, Footprint, Published
from assay.report.table import (
    CellLook,
    Column,
    Note,
    Report,
    Style,
    Table,
    TableRow,
    listed,
    numeric,
)

NOTE = (
    "Bytes: all that is loaded, less unwind tables, notes and ABI flags. Long: steps per byte of "
    "8 KiB (AVR: what fits). Short: steps for 32 bytes.\nPublished: bytes, cycles per byte and "
    "cycles for 32 bytes on a real machine: cycles are not instructions. Lower is better; "
    "of the ratio 10^6/(c s), higher."
)
UNROLLED_NOTE = "% of unrolled: speed for a long message, of that of the primitive's `unrolled`."
OPERATIONS = (
    "Of operations (crypto_...) the bytes are those of a package's own objects, without the "
    "subroutines and libraries that it is linked with. Flash is what an agent has more with it "
    "than with an empty implementation, without what nothing refers to; RAM its variables and "
    "the stack and heap of its deepest function (the bench's `randombytes` included). Steps are "
    "not measured: `assay run` times operations."
)
FIT = (
    "Fits: flash is code, constants and the first values of variables; RAM is variables, context "
    "and stack (AVR: constants, too), of the package alone."
)
LEAST = "At least so much: all that can be looked at was used."
PARTS = ("text", "rodata", "data", "bss", "dec")
FIELDS = (
    *("package", "target", "architecture", "configuration", "bytes", *PARTS, "context", "stack"),
    *("unit", "long_bytes", "long_per_byte", "short", "ratio", "unrolled_percent"),
    *("published_bytes", "published_long_cycles", "published_short_cycles"),
    *("passed", "problems", "skipped"),
)
DIGITS = {"long_per_byte": 4, "ratio": 2, "unrolled_percent": 1}
STYLES = {True: Style.PASS, False: Style.FAIL, None: Style.OPEN}


def _verdict_style(values: Mapping[str, Any]) -> Style:
    return Style.FAIL if values["problems"] else STYLES[values["passed"]]


SHOWN = (
    Column("target", "Target", whole=True, exported=False),
    Column("package", "Package", whole=True, exported=False),
    Column("verdict", "Verdict", style=_verdict_style, exported=False),
    numeric("bytes", "Bytes", 0),
    numeric("published_bytes", "Published", 0, optional=True),
    numeric("long_per_byte", "Long", 2),
    numeric("published_long_cycles", "Published", 1, optional=True),
    numeric("short", "Short", 0),
    numeric("published_short_cycles", "Published", 0, optional=True),
    numeric("ratio", "10^6/(c s)", 1),
    numeric("unrolled_percent", "% of unrolled", 0, optional=True),
    numeric("context", "Context", 0),
    numeric("stack", "Stack", 0),
    numeric("flash", "Flash", 0, optional=True),
    numeric("ram", "RAM", 0, optional=True),
    Column(
        "fits",
        "Fits",
        style=lambda row: STYLES[row.get("in_device", True)],
        optional=True,
        exported=False,
    ),
    Column("unit", "Unit", exported=False),
    Column("configuration", "Compiled with", exported=False),
    *(Column(field, digits=DIGITS.get(field)) for field in FIELDS),
)

OF_FUNCTIONS = (
    Column("target", "Target", whole=True),
    Column("package", "Package", whole=True),
    Column("function", "Function", whole=True),
    numeric("stack_bytes", "Stack", 0),
    numeric("heap_bytes", "Heap", 0, optional=True),
    numeric("allocations", "Allocations", 0, optional=True),
    Column("least", "", optional=True),
)


SECTIONS = (
    Column("name", "Section", whole=True),
    Column("size_bytes", "Bytes", number=True),
    Column("counted", "Counted", look=CellLook.PROSE,
           of=lambda one: f"{'' if one.counted else 'no: '}{one.policy}"),
)  # fmt: skip
FUNCTIONS = (Column("name", "Function", whole=True), Column("bytes", "Bytes", number=True))


class SizeRow(Struct, frozen=True):
    """A footprint, and what was published for its architecture.

    `unrolled` is the footprint of the unrolled form on the same target, where one ships.
    """

    footprint: Footprint
    published: Published | None
    unrolled: Footprint | None = None
    device: Device | None = None

    @property
    def fits(self) -> str:
        """Return whether it fits the device, or what is missing, in words."""
        one = self.footprint
        if self.device is None or one.size is None:
            return ""
        missing = self.device.lacks(one)
        if missing:
            return ", ".join(f"{many:,} bytes too much {name}" for name, many in missing.items())
        return "yes" if self.device.fits(one) else "without its stack, which is unknown"

    @property
    def unrolled_percent(self) -> float | None:
        """Return the speed for a long message, in per cent of the unrolled form's (paper, 2.6).

        None for that form itself, and where both were not measured in one unit.
        """
        one, other = self.footprint, self.unrolled
        if other is None or other.selector == one.selector:
            return None
        mine, fastest = one.measured("long"), other.measured("long")
        if mine is None or fastest is None or mine.unit != fastest.unit or not mine.amount:
            return None
        return 100 * fastest.per_byte / mine.per_byte


def size_rows(
    footprints: Sequence[Footprint],
    published: Mapping[str, Sequence[Published]],
    unrolled: Iterable[Footprint] = (),
    device: Device | None = None,
) -> tuple[SizeRow, ...]:
    """Put a primitive's published figures, by selector, beside code for that architecture.

    `unrolled` are footprints of unrolled forms, which code on the same target is compared with.
    """
    known = {
        (selector, figure.architecture): figure
        for selector, figures in published.items()
        for figure in figures
    }
    forms = {(one.selector.partition("/")[0], one.target.name): one for one in unrolled}
    rows = []
    for one in footprints:
        # No published figure is one of this machine.
        architecture = "" if one.target.is_native else one.target.architecture
        form = forms.get((one.selector.partition("/")[0], one.target.name))
        rows.append(SizeRow(one, known.get((one.selector, architecture)), form, device))
    return tuple(rows)


def size_report(rows: Sequence[SizeRow], form: str = "terminal") -> Report:
    """Make the table; programs also get what was skipped, and JSON all that is known.

    A page has tables of what the bytes are besides.
    """
    shown = [row for row in rows if form in {"csv", "json"} or not row.footprint.skipped]
    lines = tuple(map(_line, shown))
    table = Table("", "", SHOWN, lines, charted="bytes")
    packages = [
        {**table.record(line), **_details(row)} for line, row in zip(lines, shown, strict=True)
    ]
    tables = (table, *_by_function(rows)) if form not in {"csv", "json"} else (table,)
    tables += tuple(each for row in rows for each in _parts(row.footprint) if form == "html")
    facts: dict[str, Any] = {"packages": packages} if form == "json" else {}
    if form == "json" and any(row.device for row in rows):
        facts["device"] = next(row.device for row in rows if row.device)
    more = [Note(UNROLLED_NOTE)] if any(row.unrolled_percent for row in rows) else []
    more += [Note(FIT)] if any(row.device for row in rows) else []
    more += [Note(OPERATIONS)] if any(row.footprint.operation for row in rows) else []
    notes = (Note(NOTE), *more, *_skipped(rows))
    return Report(tables, (), notes, facts)


def _by_function(rows: Iterable[SizeRow]) -> Iterator[Table]:
    """Yield the table of what the functions of operations take, if there are any."""
    found = [
        (row.footprint.target.name, row.footprint.selector, one.function, one.stack_bytes,
         one.heap_bytes, one.allocations, LEAST if one.is_least else "")
        for row in rows if row.footprint.operation for one in row.footprint.functions
    ]  # fmt: skip
    if found:
        yield listed(found, *OF_FUNCTIONS, title="Memory of each function", unit="bytes")


def _parts(one: Footprint) -> Iterator[Table]:
    """Yield the tables of sections, of which some count, and of functions."""
    size, made = one.size, one.configuration
    if size is None:
        return
    title = f"{one.selector} on {one.target.name}: {size.total_bytes} bytes"
    others = ", ".join(f"{name} {count}" for name, count in one.others)
    notes = (
        f"{f'{made.arch} {made.opt}. ' if made else ''}GNU size would say {size.dec_bytes}.",
        f"Needed from elsewhere: {', '.join(size.externals) or 'nothing'}.",
        *((f"Other options: {others}.",) if len(one.others) > 1 else ()),
    )
    yield replace(listed(size.sections, *SECTIONS, title=title), notes=notes)
    yield listed(size.functions, *FUNCTIONS, title=f"Functions of {one.selector}")


def unit_of(one: Footprint) -> str | None:
    """Name what is counted: instructions, cycles, ticks."""
    return one.steps[0].unit if one.steps else None


def verdict(one: Footprint) -> str:
    """Return whether the code is right and keeps to the size rule."""
    if one.skipped:
        return f"skipped: {one.skipped}"
    if one.problems:
        return "; ".join(one.problems)
    equal = "checksum equal" if one.operation else "vectors equal"
    return {True: equal, False: "wrong", None: UNCOMPARED}[one.passed]


def _line(row: SizeRow) -> TableRow:
    one = row.footprint
    wrong = bool(one.problems) or one.passed is False
    values = {**_record(row), "verdict": verdict(one)}
    if one.size and (row.device or (one.functions and one.operation)):
        values |= {"flash": one.flash_bytes, "ram": one.ram_bytes}
    if row.device and one.size:
        values["fits"] = row.fits
        values["in_device"] = row.device.fits(one)
    return TableRow(values, Style.FAIL if wrong else Style.PLAIN)


def _skipped(rows: Sequence[SizeRow]) -> Iterator[Note]:
    """List what was skipped, one line per reason and target."""
    skipped = (row.footprint for row in rows if row.footprint.skipped)
    found = grouped((f"{one.target.name}: {one.skipped}", one.selector) for one in skipped)
    for reason, names in found.items():
        yield Note(f"skipped {reason} ({', '.join(names)})", Style.OPEN)


def _record(row: SizeRow) -> dict[str, object]:
    one, size, known = row.footprint, row.footprint.size, row.published
    long, short = one.measured("long"), one.measured("short")
    return {
        "package": one.selector,
        "target": one.target.name,
        "architecture": one.target.architecture,
        "configuration": one.configuration and one.configuration.name,
        "bytes": size and size.total_bytes,
        **{part: size and getattr(size, f"{part}_bytes") for part in PARTS},
        "context": one.context_bytes,
        "stack": one.stack_bytes,
        "unit": unit_of(one),
        "long_bytes": long and long.work_bytes,
        "long_per_byte": long and long.per_byte,
        "short": short and round(short.amount),
        "ratio": one.ratio or None,
        "unrolled_percent": row.unrolled_percent,
        "published_bytes": known and known.size_bytes,
        "published_long_cycles": known and known.long_cycles,
        "published_short_cycles": known and known.short_cycles,
        "passed": one.passed,
        "problems": "; ".join(one.problems),
        "skipped": one.skipped,
    }


def _details(row: SizeRow) -> dict[str, object]:
    one, size = row.footprint, row.footprint.size
    if size is None:
        return {}
    fitting = (
        {"fits": row.device.fits(one), "missing": row.device.lacks(one)} if row.device else {}
    )
    return {
        **fitting,
        "flash_bytes": one.flash_bytes,
        "ram_bytes": one.ram_bytes,
        "sections": size.sections,
        "functions": dict(size.functions),
        "externals": size.externals,
        "steps": one.steps,
        "memory": one.functions,
        "configurations": dict(one.others),
        "options": one.configuration and f"{one.configuration.arch} {one.configuration.opt}",
    }
