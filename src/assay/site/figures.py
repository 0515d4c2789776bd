# SPDX-License-Identifier: MIT
"""From series to figures of a site, and which of them ranks."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from assay.model.operation import SCORE
from assay.model.series import Series
from assay.report.curves import View, indecision
from assay.report.quantities import QUANTITIES, Part
from assay.site.cells import SiteFigure
from assay.summary.rows import COLUMNS, imix_of

CIPHERS = {"stream/long": "a long stream"}  # in words; other measures have a name that says it
HASHES = {"long": "a long message", "short": "a short message"}
LEADING = {"stream": "stream/long", "hash": "long/"}
Names = tuple[tuple[str, int | None], ...]  # measures and sizes of figures
FIGURES = 6  # digits that are kept of a value


def figure_of(one: Series) -> SiteFigure:
    """Return a series as the index keeps it: a value for each launch, per byte, call or setup."""
    pooled = one.subject.kind.rules.pooled
    values = [each / one.work for each in one.per_launch]
    rounded = (f"%.{FIGURES}g " * len(values) % tuple(values)).split()  # at once: a third
    rate = one.counter.ticks_per_second * one.ratio if one.counter and one.timed else None
    return SiteFigure(
        one.measure, one.sizes_text, one.size if pooled else None, one.unit, one.work_unit,
        rate, tuple(map(float, rounded)),
        (one.q1, one.q3) if one.imported else (),
    )  # fmt: skip


def figures_of(series: Iterable[Series]) -> tuple[SiteFigure, ...]:
    """Return the figures of a cell; that of a contest is none that a reader looks for."""
    return tuple(figure_of(one) for one in series if one.points and one.measure != SCORE)


def leading(family: str, figures: Sequence[SiteFigure]) -> SiteFigure | None:
    """Return the figure that ranks: of the long stream, of a long message, or of the operation.

    Of an operation it is the first quantity that was timed, at the length nearest to the one that
    decides in tables; of a cipher the one at the largest sizes.
    """
    if family in LEADING:
        found = [one for one in figures if one.measure.startswith(LEADING[family])]
        return max(found, key=lambda one: (_bits(one), one.measure), default=None)
    timed = _timed(family, _named(figures))
    first = [(indecision(view.size), number)
             for number, view in timed if view.quantity is timed[0][1].quantity]  # fmt: skip
    return scaled(family, figures[min(first)[1]]) if first else None


def _named(figures: Sequence[SiteFigure]) -> Names:
    return tuple([(one.measure, one.size) for one in figures])


@lru_cache(maxsize=64)  # most cells of an operation have the same figures
def _timed(family: str, names: Names) -> tuple[tuple[int, View], ...]:
    """Return the numbers of what was timed of an operation, with views, quantity by quantity."""
    views = [(number, view) for number, one in enumerate(names)
             if (view := _view_of(family, *one))]  # fmt: skip
    return tuple(
        (number, view) for quantity in QUANTITIES.get(family, ()) for number, view in views
        if view.quantity is quantity and view.part is Part.MESSAGE
    )  # fmt: skip


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
        found["Imix"] = imix_of(alike)
        others = {_hash_words(name) or name: value for name, value in alike.items()
                  if name not in COLUMNS.values()}  # fmt: skip
        return {name: value for name, value in {**found, **others}.items() if value is not None}
    shown = {}
    for number, view in _timed(family, _named(figures)):
        if view.size is None or view.size in view.quantity.sizes:
            size = "" if view.size is None else f", {view.size}"
            shown[f"{view.quantity.title}{size}"] = scaled(family, figures[number]).middle
    return shown


def _bits(figure: SiteFigure) -> tuple[int, ...]:
    return tuple(int(part) for part in figure.sizes.split("/") if part.isdigit())


def what_is(family: str, figure: SiteFigure) -> str:
    """State in words what a figure measures."""
    view = view_of(family, figure)
    if view is not None:
        return view.text
    if hashed := _hash_words(figure.measure):
        return hashed
    name = CIPHERS.get(figure.measure)
    if name is None:
        return f"{figure.measure} {figure.sizes}".strip()
    sizes = zip(figure.sizes.split("/"), ("key", "IV", "MAC"), strict=False)
    return ", ".join([name, *(f"{bits}-bit {of}" for bits, of in sizes if bits.isdigit())])


def _hash_words(measure: str) -> str:
    """State in words what a measure of a hash is; nothing of other ones."""
    name, _, bits = measure.partition("/")
    return f"{HASHES[name]}, {bits}-bit digest" if name in HASHES and bits else ""


def view_of(family: str, figure: SiteFigure) -> View | None:
    """Return the view of an operation that a figure belongs to."""
    return _view_of(family, figure.measure, figure.size)


@lru_cache(maxsize=4096)
def _view_of(family: str, measure: str, size: int | None) -> View | None:
    key = measure.rpartition("/")[0]
    views = (
        View(one, part, one.length(size, part))
        for one in QUANTITIES.get(family, ()) if one.key == key for part in one.parts
    )  # fmt: skip
    return next((one for one in views if (one.size is None) == (size is None)), None)


def scaled(family: str, figure: SiteFigure) -> SiteFigure:
    """Return a figure of an operation per byte or item, where that is how it is shown."""
    view = view_of(family, figure)
    by = view.divisor if view else 1
    if view is None or by < 2:
        return figure
    values = tuple(value / by for value in figure.values)
    spread = tuple(value / by for value in figure.spread)
    return replace(figure, per=view.quantity.per.value, values=values, spread=spread)
