# SPDX-License-Identifier: MIT
"""From launches to figures of a site, and which of them ranks."""

from collections.abc import Iterable, Sequence
from statistics import median

from assay.model import Launch, Sample
from assay.model.operations import SCORE
from assay.report.ebacs.quantities import QUANTITIES, Part, Per, Quantity
from assay.site.cells import SiteFigure
from assay.stats.stabilised import stabilised
from assay.stats.summary import per_test
from assay.summary.series import COUNTS

LEADING = {"stream": "stream/long", "hash": "long/"}
DECISIVE = 1536  # the length that SUPERCOP compares implementations by
FIGURES = 6  # digits that are kept of a value


def figures_of(launches: Sequence[Launch]) -> tuple[SiteFigure, ...]:
    """Return every measure at every size choice, a value for each launch that counts."""
    groups: dict[tuple[str, str], list[tuple[Launch, Sample]]] = {}
    for launch in launches:
        for sample in launch.samples:
            if sample.measure != SCORE:
                groups.setdefault((sample.measure, _sizes(sample)), []).append((launch, sample))
    return tuple(_figure(measure, sizes, pairs) for (measure, sizes), pairs in groups.items())


def _sizes(sample: Sample) -> str:
    return str(sample.sizes) if sample.sizes.key_bits or sample.sizes.iv_bits else ""


def _figure(measure: str, sizes: str, pairs: Sequence[tuple[Launch, Sample]]) -> SiteFigure:
    key, _, size = measure.rpartition("/")
    length = int(size) if size.isdigit() and not sizes else None
    exact = pairs[-1][0].counter.exact_unit or COUNTS.get(key.rpartition("_")[2], "")
    ratios = [launch.counter.cycles_per_tick for launch, _ in pairs]
    cycles = not exact and None not in ratios
    per, work = _work(pairs[0][1])
    values = [
        _value(launch, sample, operation=not sizes) * (ratio or 1.0 if cycles else 1.0) / work
        for (launch, sample), ratio in zip(pairs, ratios, strict=True)
    ]
    return SiteFigure(
        measure, sizes, length, exact or ("cycles" if cycles else "ticks"), per,
        None if exact else _hertz(launch for launch, _ in pairs) * _ratio(ratios, known=cycles),
        tuple(float(f"{value:.{FIGURES}g}") for value in values),
    )  # fmt: skip


def _value(launch: Launch, sample: Sample, *, operation: bool) -> float:
    """Return a launch's ticks per test: SUPERCOP's statistic for operations."""
    if operation and sample.beats is None:
        return stabilised(sample.ticks).median / sample.tests
    return per_test(launch, sample)


def _hertz(launches: Iterable[Launch]) -> float:
    return median(launch.counter.ticks_per_second for launch in launches)


def _ratio(ratios: Sequence[float | None], *, known: bool) -> float:
    return median(one or 1.0 for one in ratios) if known else 1.0


def _work(sample: Sample) -> tuple[str, int]:
    """Return what a figure is per, and how many of it a test is."""
    if sample.block_bytes or sample.is_setup:
        return sample.work_unit.removesuffix("s"), sample.work
    return "call", 1


def leading(family: str, figures: Sequence[SiteFigure]) -> SiteFigure | None:
    """Return the figure that ranks: of the long stream, of a long message, or of the operation.

    Of an operation it is the first quantity that was timed, at the length nearest to the decisive
    one; of a cipher the one at the largest sizes.
    """
    if family in LEADING:
        found = [one for one in figures if one.measure.startswith(LEADING[family])]
        return max(found, key=lambda one: (_bits(one), one.measure), default=None)
    for quantity in QUANTITIES.get(family, ()):
        sized = [
            (abs(length - DECISIVE) if length is not None else 0, one)
            for one in figures
            if one.measure.rpartition("/")[0] == quantity.key
            and (
                (length := quantity.length(one.size, Part.MESSAGE)) is not None or one.size is None
            )
        ]
        if sized:
            return scaled(family, min(sized, key=lambda item: item[0])[1])
    return None


def _bits(figure: SiteFigure) -> tuple[int, ...]:
    return tuple(int(part) for part in figure.sizes.split("/") if part.isdigit())


def what_is(family: str, figure: SiteFigure) -> str:
    """State in words what a figure measures."""
    quantity = quantity_of(family, figure.measure)
    if quantity is None:
        return f"{figure.measure} {figure.sizes}".strip()
    if figure.size is None:
        return quantity.title
    for part in quantity.parts:
        length = quantity.length(figure.size, part)
        if length is not None:
            of = "items" if quantity.per is Per.ITEM else "bytes"
            return f"{quantity.text(part)}, {length} {of}"
    return f"{quantity.title}, size {figure.size}"


def quantity_of(family: str, measure: str) -> Quantity | None:
    """Return the quantity of an operation that a measure belongs to."""
    key = measure.rpartition("/")[0]
    return next((one for one in QUANTITIES.get(family, ()) if one.key == key), None)


def scaled(family: str, figure: SiteFigure) -> SiteFigure:
    """Return a figure of an operation per byte or item, where that is how it is shown."""
    quantity = quantity_of(family, figure.measure)
    if quantity is None or quantity.per is Per.CALL or figure.size is None:
        return figure
    divisor = next(
        (quantity.divisor(length, part) for part in quantity.parts
         if (length := quantity.length(figure.size, part)) is not None), 1)  # fmt: skip
    if divisor < 2:
        return figure
    values = tuple(value / divisor for value in figure.values)
    spread = tuple(value / divisor for value in figure.spread)
    return SiteFigure(figure.measure, figure.sizes, figure.size, figure.unit, quantity.per.value,
                      figure.hertz, values, spread)  # fmt: skip
