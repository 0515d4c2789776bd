# SPDX-License-Identifier: MIT
"""The text of a performance report, line for line as in the eSTREAM HOWTO, Example 1.

The word "cycles" stands there only if the core clock is known; otherwise every
line says "ticks".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.model import CellResult, Counter, SizeChoice, StreamSubject
from assay.model.series import TICKS, Series
from assay.report.printable import printable
from assay.stats.rates import IMIX, megabits_per_second, overhead_percent, setups_per_second
from assay.summary.rows import AGILITY, IV_SETUP, KEY_SETUP, STREAM, Row, rows_of
from assay.summary.unit import Unit

RATIO_OF_ONE = 1.0


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """What the lines of one report are written from."""

    row: Row
    subject: StreamSubject
    counter: Counter
    unit: Unit

    @property
    def timed(self) -> bool:
        """Return whether there was a clock; an emulator counts and tells no time."""
        return self.counter.ticks_per_second > 0

    def clock_hertz(self) -> float:
        """Return the rate of the clock that the unit counts."""
        ratio = self.counter.cycles_per_tick if self.unit.core_cycles else None
        return self.counter.ticks_per_second * (ratio or RATIO_OF_ONE)


def performance_report(result: CellResult, sizes: SizeChoice) -> str:
    """Write the report of one cell at one size choice, without the empty line before it.

    Empty if the cell was not measured at `sizes`.
    """
    rows = {row.sizes: row for row in rows_of(result)}
    if sizes not in rows or not isinstance(result.subject, StreamSubject) or not result.counter:
        return ""
    row = rows[sizes]
    core = result.counter.cycles_per_tick is not None
    exact = result.counter.exact_unit
    unit = Unit.of(row.figures.values()) if core or exact else Unit(TICKS)
    page = ReportSubject(row, result.subject, result.counter, unit)
    return "\n".join(_lines(page)) + "\n"


def _lines(page: ReportSubject) -> Iterator[str]:
    """Write all lines."""
    figures = page.row.figures
    yield from _primitive(page)
    yield from _clock(page)
    yield from _memory(page)
    if STREAM in figures:
        yield from _stream(page, figures[STREAM])
    yield from _packets(page)
    if KEY_SETUP in figures:
        yield from ("Testing key setup speed:", "")
        yield from _setup(page, figures[KEY_SETUP], "Key")
    if IV_SETUP in figures:
        both = page.subject.authenticates
        yield "Testing speed of IV setup + finalize:" if both else "Testing IV setup speed:"
        yield ""
        yield from _setup(page, figures[IV_SETUP], "IV")
    if AGILITY in figures:
        yield from _agility(page, figures[AGILITY])
    yield from ("", "End of performance measurements")


def _primitive(page: ReportSubject) -> Iterator[str]:
    """Describe what was measured."""
    subject, sizes = page.subject, page.row.sizes
    name = printable(subject.name)
    yield f"Primitive Name: {name}"
    # The original stops underlining after 42 characters of the name.
    yield "=" * (len("Primitive Name: ") + min(len(name), 42))
    if subject.profile is not None:
        yield f"Profile: {printable(subject.profile)}"
    yield f"Key size: {sizes.key_bits} bits"
    yield f"IV size: {sizes.iv_bits} bits"
    if sizes.mac_bits is not None:
        yield f"MAC size: {sizes.mac_bits} bits"
    yield ""


def _clock(page: ReportSubject) -> Iterator[str]:
    """State which clock counted."""
    ratio = page.counter.cycles_per_tick
    applied = ""
    if page.unit.core_cycles and ratio is not None and f"{ratio:.2f}" != "1.00":
        applied = f", {ratio:.2f} core cycles per tick"
    if page.timed:
        yield f"CPU speed: {page.clock_hertz() / 1e6:.1f} MHz"
    yield f"{page.unit.clock.capitalize()} are measured using {page.counter.name}{applied}"
    yield ""


def _memory(page: ReportSubject) -> Iterator[str]:
    """Describe how large a context is."""
    name = "ECRYPT_AE_ctx" if page.subject.authenticates else "ECRYPT_ctx"
    yield from ("Testing memory requirements:", "")
    yield from (f"Size of {name}: {page.subject.context_bytes} bytes", "")


def _stream(page: ReportSubject, figure: Series) -> Iterator[str]:
    """Report the rate in a long stream."""
    yield from ("Testing stream encryption speed:", "")
    yield f"Encrypted {figure.tests} blocks of {figure.work} bytes {_keys(figure, 'blocks')}"
    yield _total(page, figure)
    yield from _speed(page, page.unit.value(figure))
    yield ""


def _packets(page: ReportSubject) -> Iterator[str]:
    """Report packets of every length, and their weighted average."""
    figures = [page.row.figures.get(f"packet/{size}") for size in IMIX]
    known = [figure for figure in figures if figure is not None]
    if known:
        yield from ("Testing packet encryption speed:", "")
    for figure in known:
        rate = page.unit.value(figure)
        keys = _keys(figure, "packets")
        yield f"Encrypted {figure.tests} packets of {figure.work} bytes {keys}"
        yield _total(page, figure)
        yield f"Encryption speed ({page.unit.clock}/packet): {rate * figure.work:.2f}"
        yield from (*_speed(page, rate), *_overhead(page, rate), "")
    imix = page.row.imix(page.unit)
    if imix is not None:
        yield "Weighted average (Simple Imix):"
        yield from (*_speed(page, imix), *_overhead(page, imix), "")


def _setup(page: ReportSubject, figure: Series, what: str) -> Iterator[str]:
    """Report key or IV setups."""
    noun = "key" if what == "Key" else what
    rate = page.unit.value(figure)
    yield f"Did {figure.tests} {noun} setups {_keys(figure, 'setups')}"
    yield _total(page, figure)
    yield f"{what} setup speed ({page.unit.setup_text}): {rate:.2f}"
    if page.timed:
        per_second = setups_per_second(rate, page.clock_hertz())
        yield f"{what} setup speed (setups/second): {per_second:.2f}"
    yield ""


def _agility(page: ReportSubject, figure: Series) -> Iterator[str]:
    """Report encryption that changes the context every time."""
    rate = page.unit.value(figure)
    yield from ("Testing key agility:", "")
    blocks = f"{figure.tests} blocks of {figure.work} bytes"
    yield f"Encrypted {blocks} (each time switching contexts)"
    yield _total(page, figure)
    yield from (*_speed(page, rate), *_overhead(page, rate), "")


def _keys(figure: Series, noun: str) -> str:
    """Describe how the tests were spread over keys."""
    return f"(under {figure.keys} keys, {figure.tests // figure.keys} {noun}/key)"


def _total(page: ReportSubject, figure: Series) -> str:
    """Return how long all tests took together, or how many steps."""
    # As long as `tests` tests take at the median, so that the report agrees with itself.
    total = round(figure.ticks * figure.tests)
    if not page.timed:
        return f"Total: {total} {page.unit.clock}, counted exactly"
    usec = total * 1e6 / page.counter.ticks_per_second
    return f"Total time: {total} clock ticks ({usec:.2f} usec)"


def _speed(page: ReportSubject, rate: float) -> Iterator[str]:
    """Yield a rate per byte in both its forms."""
    yield f"Encryption speed ({page.unit.text}): {rate:.2f}"
    if page.timed:
        yield f"Encryption speed (Mbps): {megabits_per_second(rate, page.clock_hertz()):.2f}"


def _overhead(page: ReportSubject, rate: float) -> Iterator[str]:
    """Compare a rate with the long stream's, where that is known."""
    stream = page.row.figures.get(STREAM)
    if stream is not None:
        yield f"Overhead: {overhead_percent(rate, page.unit.value(stream)):.1f}%"
