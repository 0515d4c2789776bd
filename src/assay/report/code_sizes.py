# SPDX-License-Identifier: MIT
"""The table of code sizes: the paper's section 2, for any package on any target."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.model.compared import UNCOMPARED
from assay.model.footprint import Footprint
from assay.model.published import Published
from assay.report.table import Column, Note, Report, Style, Table, TableRow, decimals

NOTE = (
    "Bytes: all that is loaded, less unwind tables, notes and ABI flags. Long: steps per byte of "
    "8 KiB (AVR: what fits). Short: steps for 32 bytes.\nPublished: bytes, cycles per byte and "
    "cycles for 32 bytes on a real machine: cycles are not instructions. Lower is better; "
    "of the ratio 10^6/(c s), higher."
)
UNROLLED_NOTE = "% of unrolled: speed for a long message, of that of the primitive's `unrolled`."
OPERATIONS = (
    "Of operations (crypto_...) the bytes are those of a package's own objects, without the "
    "subroutines and libraries that it is linked with. Steps, context and stack are not measured: "
    "`assay run` times operations, and memory/stack-need of `assay check` looks at the stack."
)
FIELDS = (
    "package", "target", "architecture", "configuration", "bytes", "text", "rodata", "data",
    "bss", "dec", "context", "stack", "unit", "long_bytes", "long_per_byte", "short", "ratio",
    "unrolled_percent",
    "published_bytes", "published_long_cycles", "published_short_cycles", "passed", "problems",
    "skipped",
)  # fmt: skip
DIGITS = {"long_per_byte": 4, "ratio": 2, "unrolled_percent": 1}
STYLES = {True: Style.PASS, False: Style.FAIL, None: Style.OPEN}


def _number(key: str, heading: str, digits: int = 0, *, optional: bool = False) -> Column:
    return Column(
        key, heading, number=True, text=decimals(digits), optional=optional, exported=False
    )


def _verdict_style(values: Mapping[str, Any]) -> Style:
    return Style.FAIL if values["problems"] else STYLES[values["passed"]]


SHOWN = (
    Column("target", "Target", whole=True, exported=False),
    Column("package", "Package", whole=True, exported=False),
    Column("verdict", "Verdict", style=_verdict_style, exported=False),
    _number("bytes", "Bytes"),
    _number("published_bytes", "Published", optional=True),
    _number("long_per_byte", "Long", 2),
    _number("published_long_cycles", "Published", 1, optional=True),
    _number("short", "Short"),
    _number("published_short_cycles", "Published", optional=True),
    _number("ratio", "10^6/(c s)", 1),
    _number("unrolled_percent", "% of unrolled", optional=True),
    _number("context", "Context"),
    _number("stack", "Stack"),
    Column("unit", "Unit", exported=False),
    Column("configuration", "Compiled with", exported=False),
    *(Column(field, digits=DIGITS.get(field)) for field in FIELDS),
)


@dataclass(frozen=True, slots=True)
class SizeRow:
    """A footprint, and what was published for its architecture.

    `unrolled` is the footprint of the unrolled form on the same target, where one ships.
    """

    footprint: Footprint
    published: Published | None
    unrolled: Footprint | None = None

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
) -> tuple[SizeRow, ...]:
    """Put a primitive's published figures, by selector, beside code for that architecture.

    `unrolled` are footprints of unrolled forms, which code on the same target is compared with.
    """
    known = {
        (selector, figure.architecture): figure
        for selector, figures in published.items()
        for figure in figures
    }
    forms = {_primitive_on(one): one for one in unrolled}
    return tuple(
        SizeRow(one, known.get((one.selector, _architecture(one))), forms.get(_primitive_on(one)))
        for one in footprints
    )


def _primitive_on(one: Footprint) -> tuple[str, str]:
    """Name what is compared: a primitive on a target."""
    return one.selector.partition("/")[0], one.target.name


def size_report(rows: Sequence[SizeRow], form: str = "terminal") -> Report:
    """Make the table; programs also get what was skipped, and JSON all that is known."""
    programs = form in {"csv", "json"}
    lines = tuple(_line(row) for row in rows if programs or not row.footprint.skipped)
    facts = {"packages": details(rows)} if form == "json" else {}
    more = [Note(UNROLLED_NOTE)] if any(row.unrolled_percent for row in rows) else []
    more += [Note(OPERATIONS)] if any(row.footprint.operation for row in rows) else []
    notes = (Note(NOTE), *more, *_skipped(rows))
    return Report((Table("", "", SHOWN, lines, charted="bytes"),), (), notes, facts)


def details(rows: Sequence[SizeRow]) -> list[dict[str, object]]:
    """Describe each row with its sections, its functions, and what other options gave."""
    (table,) = size_report(rows, "csv").tables
    found = zip(map(table.record, table.rows), map(_details, rows), strict=True)
    return [{**record, **more} for record, more in found]


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
    return TableRow(values, Style.FAIL if wrong else Style.PLAIN)


def _skipped(rows: Sequence[SizeRow]) -> Iterator[Note]:
    """List what was skipped, one line per reason and target."""
    found: dict[str, list[str]] = {}
    for row in rows:
        one = row.footprint
        if one.skipped:
            found.setdefault(f"{one.target.name}: {one.skipped}", []).append(one.selector)
    for reason, names in found.items():
        yield Note(f"skipped {reason} ({', '.join(names)})", Style.OPEN)


def _architecture(one: Footprint) -> str:
    """Name the architecture whose published figure belongs to the row; this machine's is none."""
    return "" if one.target.is_native else one.target.architecture


def _record(row: SizeRow) -> dict[str, object]:
    one, size, known = row.footprint, row.footprint.size, row.published
    long, short = one.measured("long"), one.measured("short")
    return {
        "package": one.selector,
        "target": one.target.name,
        "architecture": one.target.architecture,
        "configuration": one.configuration.name if one.configuration else None,
        "bytes": size.total_bytes if size else None,
        "text": size.text_bytes if size else None,
        "rodata": size.rodata_bytes if size else None,
        "data": size.data_bytes if size else None,
        "bss": size.bss_bytes if size else None,
        "dec": size.dec_bytes if size else None,
        "context": one.context_bytes,
        "stack": one.stack_bytes,
        "unit": unit_of(one),
        "long_bytes": long.work_bytes if long else None,
        "long_per_byte": long.per_byte if long else None,
        "short": round(short.amount) if short else None,
        "ratio": one.ratio or None,
        "unrolled_percent": row.unrolled_percent,
        "published_bytes": known.size_bytes if known else None,
        "published_long_cycles": known.long_cycles if known else None,
        "published_short_cycles": known.short_cycles if known else None,
        "passed": one.passed,
        "problems": "; ".join(one.problems),
        "skipped": one.skipped,
    }


def _details(row: SizeRow) -> dict[str, object]:
    one, size = row.footprint, row.footprint.size
    if size is None:
        return {}
    return {
        "sections": [asdict(section) for section in size.sections],
        "functions": dict(size.functions),
        "externals": list(size.externals),
        "steps": [asdict(steps) for steps in one.steps],
        "configurations": dict(one.others),
        "options": one.configuration and f"{one.configuration.arch} {one.configuration.opt}",
    }
