# SPDX-License-Identifier: MIT
"""From series to figures of a site, and which of them ranks."""

from collections.abc import Iterable, Iterator, Sequence

from assay.model.operation import SCORE
from assay.model.series import Series
from assay.report.quantities import QUANTITIES, Part, Per, Quantity
from assay.site.cells import SiteFigure
from assay.stats.rates import IMIX
from assay.summary.rows import COLUMNS, weighed

CIPHERS = {"stream/long": "a long stream"}  # in words; other measures have a name that says it
LEADING = {"stream": "stream/long", "hash": "long/"}
DECISIVE = 1536  # the length that SUPERCOP compares implementations by
FIGURES = 6  # digits that are kept of a value


def figure_of(one: Series) -> SiteFigure:
    """Return a series as the index keeps it: a value for each launch, per byte, call or setup."""
    pooled = one.subject.kind.rules.pooled
    values = [each / one.work for each in one.per_launch]
    rate = one.counter.ticks_per_second * one.ratio if one.counter and one.timed else None
    return SiteFigure(
        one.measure, one.sizes_text, one.size if pooled else None, one.unit, one.work_unit,
        rate, tuple(float(f"{value:.{FIGURES}g}") for value in values),
        (one.q1, one.q3) if one.imported else (),
    )  # fmt: skip


def figures_of(series: Iterable[Series]) -> tuple[SiteFigure, ...]:
    """Return the figures of a cell; that of a contest is none that a reader looks for."""
    return tuple(figure_of(one) for one in series if one.points and one.measure != SCORE)


def leading(family: str, figures: Sequence[SiteFigure]) -> SiteFigure | None:
    """Return the figure that ranks: of the long stream, of a long message, or of the operation.

    Of an operation it is the first quantity that was timed, at the length nearest to the decisive
    one; of a cipher the one at the largest sizes.
    """
    if family in LEADING:
        found = [one for one in figures if one.measure.startswith(LEADING[family])]
        return max(found, key=lambda one: (_bits(one), one.measure), default=None)
    timed = list(_timed(family, figures))
    first = [(0 if length is None else abs(length - DECISIVE), one)
             for what, one, length in timed if what is timed[0][0]]  # fmt: skip
    return scaled(family, min(first, key=lambda item: item[0])[1]) if first else None


def _timed(
    family: str, figures: Sequence[SiteFigure]
) -> Iterator[tuple[Quantity, SiteFigure, int | None]]:
    """Yield what was timed of an operation, quantity by quantity, with the messages' lengths."""
    for quantity in QUANTITIES.get(family, ()):
        for one in figures:
            length = quantity.length(one.size, Part.MESSAGE)
            known = one.size is None or length is not None
            if one.measure.rpartition("/")[0] == quantity.key and known:
                yield quantity, one, length


def measures(family: str, figures: Sequence[SiteFigure]) -> dict[str, float]:
    """Return what a table shows besides the figure that ranks, by heading.

    Of ciphers these are the HOWTO's columns at the sizes that rank, of operations every quantity
    at the lengths of eBACS's tables.
    """
    first = leading(family, figures)
    if first is None:
        return {}
    if family in LEADING:
        alike = {one.measure: one.middle for one in figures if one.sizes == first.sizes}
        found = {heading: alike.get(measure) for heading, measure in COLUMNS.items()}
        packets = ((size, alike.get(f"packet/{size}")) for size in IMIX)
        found["Imix"] = weighed({size: value for size, value in packets if value is not None})
        others = {name: value for name, value in alike.items() if name not in COLUMNS.values()}
        return {name: value for name, value in {**found, **others}.items() if value is not None}
    shown = {}
    for quantity, one, length in _timed(family, figures):
        if length is None or length in quantity.sizes:
            heading = quantity.title if length is None else f"{quantity.title}, {length}"
            shown[heading] = scaled(family, one).middle
    return shown


def _bits(figure: SiteFigure) -> tuple[int, ...]:
    return tuple(int(part) for part in figure.sizes.split("/") if part.isdigit())


def what_is(family: str, figure: SiteFigure) -> str:
    """State in words what a figure measures."""
    quantity = quantity_of(family, figure.measure)
    if quantity is None:
        name = CIPHERS.get(figure.measure)
        if name is None:
            return f"{figure.measure} {figure.sizes}".strip()
        sizes = zip(figure.sizes.split("/"), ("key", "IV", "MAC"), strict=False)
        return ", ".join([name, *(f"{bits}-bit {of}" for bits, of in sizes if bits.isdigit())])
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
