# SPDX-License-Identifier: MIT
"""All sizes of one quantity side by side: the medians of one implementation per line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.model.series import Implementation
from assay.report.ebacs.ranking import (
    DECIDING,
    Curve,
    SlideRow,
    SlideTable,
    View,
    build_of,
    figure,
    league_order,
    tables,
)
from assay.report.ebacs.records import Provenance


@dataclass(frozen=True, slots=True)
class Line:
    """An implementation and its figures, in the order of the overview's views."""

    first: SlideRow
    rows: tuple[SlideRow | None, ...]

    @property
    def subject(self) -> Implementation:
        """State whose figures they are."""
        return self.first.subject


@dataclass(frozen=True, slots=True)
class Overview:
    """Lines that may be compared; `deciding` is the view that chose the implementations."""

    views: tuple[View, ...]
    deciding: View
    table: SlideTable
    lines: tuple[Line, ...]

    @property
    def decided(self) -> SlideTable:
        """Return the table of the deciding size: the first lines that have a figure there."""
        place = self.views.index(self.deciding)
        rows = tuple(line.first for line in self.lines if line.rows[place] is not None)
        return replace(self.table, rows=rows)


def overviews(
    curves: Sequence[Curve], views: Sequence[View], *, together: bool = False
) -> tuple[Overview, ...]:
    """Put the sizes of one quantity side by side, one overview per table of the deciding size.

    The best implementation is that at 576 bytes, or at the first size that was measured;
    it may not be the best at all sizes.
    """
    deciding = next((view for view in views if view.size == DECIDING), views[0])
    groups: dict[
        tuple[str, tuple[Provenance, ...]], dict[tuple[Provenance, str, str], SlideRow]
    ] = {}
    for view in (deciding, *views):
        for table in tables(curves, view, together=together):
            firsts = groups.setdefault((table.unit, () if together else table.places), {})
            for row in table.rows:
                key = (Provenance.of(row.series.source), row.subject.primitive, row.subject.league)
                firsts.setdefault(key, row)
    found = []
    for (unit, _), firsts in groups.items():
        rows = tuple(sorted(firsts.values(), key=lambda row: league_order(row.subject)))
        places = tuple(sorted({Provenance.of(row.series.source) for row in rows}))
        table = SlideTable(deciding, places, unit, rows)
        found.append(Overview(tuple(views), deciding, table, _lines(curves, table, views)))
    return tuple(found)


def _lines(curves: Sequence[Curve], table: SlideTable, views: Sequence[View]) -> tuple[Line, ...]:
    """Return each row of the deciding table its figures at all sizes."""
    key = table.view.quantity.key
    known = {one.build: one for one in curves if one.key == key}
    return tuple(
        Line(row, tuple(figure(known[build_of(row.series)], view) for view in views))
        for row in table.rows
    )
