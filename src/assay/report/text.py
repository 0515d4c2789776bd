# SPDX-License-Identifier: MIT
"""The text of a performance report, line for line as in the eSTREAM HOWTO, Example 1.

The words are in `templates/speed.txt.j2`, and the numbers here. The word "cycles" stands there
only if the core clock is known; otherwise every line says "ticks".
"""

from dataclasses import dataclass

from assay.model import CellResult, Counter, SizeChoice, Subject
from assay.model.series import TICKS, Series
from assay.report.kinds import KINDS
from assay.stats.rates import IMIX, megabits_per_second, overhead_percent, setups_per_second
from assay.summary.rows import STREAM, Row, rows_of
from assay.summary.unit import Unit


@dataclass(frozen=True, slots=True)
class SpeedPage:
    """The numbers of one report."""

    row: Row
    subject: Subject
    counter: Counter
    unit: Unit

    @property
    def timed(self) -> bool:
        """Return whether there was a clock; an emulator counts and tells no time."""
        return self.counter.ticks_per_second > 0

    @property
    def hertz(self) -> float:
        """Return the rate of the clock that the unit counts."""
        ratio = self.counter.cycles_per_tick if self.unit.core_cycles else None
        return self.counter.ticks_per_second * (ratio or 1.0)

    @property
    def applied(self) -> str:
        """State how many core cycles a tick is, unless it is one."""
        ratio = f"{self.counter.cycles_per_tick or 1.0:.2f}"
        applies = self.unit.core_cycles and ratio != "1.00"
        return f", {ratio} core cycles per tick" if applies else ""

    @property
    def stream(self) -> Series | None:
        """Return the long stream."""
        return self.row.figures.get(STREAM)

    @property
    def packets(self) -> list[Series]:
        """Return the packets, shortest first."""
        found = (self.row.figures.get(f"packet/{size}") for size in IMIX)
        return [one for one in found if one is not None]

    @property
    def imix(self) -> float | None:
        """Return the weighted average of packets."""
        return self.row.imix(self.unit)

    def rate(self, figure: Series) -> float:
        """Return the median per byte or setup."""
        return self.unit.value(figure)

    def total(self, figure: Series) -> int:
        """Return the ticks of all tests together.

        As long as they take at the median, so that the report agrees with itself.
        """
        return round(figure.ticks * figure.tests)

    def microseconds(self, figure: Series) -> float:
        """Return how long all tests took together."""
        return self.total(figure) * 1e6 / self.counter.ticks_per_second

    def megabits(self, rate: float) -> float:
        """Return a rate per byte in Mbps."""
        return megabits_per_second(rate, self.hertz)

    def setups(self, figure: Series) -> float:
        """Return how many setups pass in a second."""
        return setups_per_second(self.rate(figure), self.hertz)

    def overhead(self, rate: float) -> float | None:
        """Compare a rate with the long stream's, in per cent, where that is known."""
        return overhead_percent(rate, self.rate(self.stream)) if self.stream else None


def performance_report(result: CellResult, sizes: SizeChoice) -> str:
    """Write the report of one cell at one size choice, without the empty line before it.

    Empty if the cell was not measured at `sizes`.
    """
    from assay.report.formats.html import page_environment  # noqa: PLC0415 - reports alone need it

    kind = KINDS.get(result.package.kind)
    row = next((one for one in rows_of(result) if one.sizes == sizes), None)
    if not (kind and kind.page and row and result.subject and result.counter):
        return ""
    core = result.counter.cycles_per_tick is not None
    exact = result.counter.exact_unit
    unit = Unit.of(row.figures.values()) if core or exact else Unit(TICKS)
    page = SpeedPage(row, result.subject, result.counter, unit)
    return page_environment().get_template(kind.page).render(page=page) + "\n"
