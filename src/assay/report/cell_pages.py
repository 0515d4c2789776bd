# SPDX-License-Identifier: MIT
"""The tables of a results folder's pages: like those of the terminal, with links and bars."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.model import Cell, CheckResult, Quirk, Verdict
from assay.model.series import Series
from assay.report.cells import LAUNCHES, PLACE, kind_of, row_style, values, verdict_style
from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries, Form
from assay.report.kinds import CellKind, Metric, largest
from assay.report.table import (
    Badge,
    CellLook,
    Column,
    More,
    Note,
    Style,
    Table,
    TableRow,
    listed,
    nothing_more,
)
from assay.report.verdicts import standing
from assay.report.views import Excluded, RankedTable, page_link, page_place
from assay.summary.rows import Row
from assay.summary.unit import Unit

VERDICTS = {Verdict.PASS: Style.PASS, Verdict.OPEN: Style.OPEN, Verdict.FAIL: Style.FAIL}
TICKS = (
    "Ticks are those of the counter, not core cycles: the core's clock could not be established."
)
EXACT = (
    "Executed {clock}, counted exactly by the emulator: two runs give the same number. They say "
    "nothing about time."
)
COUNT = replace(LAUNCHES, hint="number of launches", spare=0)
VARIANT = Column("implementation", "Variant", look=CellLook.VARIANT)


def what_is_counted(unit: Unit) -> tuple[str, ...]:
    """Describe a unit that is not core cycles."""
    if unit.exact:
        return (EXACT.format(clock=unit.clock),)
    return () if unit.core_cycles else (TICKS,)


def ranking_table(table: RankedTable, failed_cells: Mapping[str, int]) -> Table:
    """Show the rows of a ranking; a name leads to the package's page.

    `failed_cells` are how many other cells of a package failed, by place.
    """
    kind = kind_of(row.result for row in table.rows)
    columns = (
        PLACE,
        Column("name", "Primitive", look=CellLook.NAME, more=_name),
        _standing(_others),
        *_sizes(kind),
        *(replace(one.column, optional=False) for one in kind.metrics),
        VARIANT,
        Column("tag", "Compiler", look=CellLook.CODE),
        COUNT,
        Column("profile", "Profile", look=CellLook.PROFILE, optional=bool(kind.title)),
    )
    rows = tuple(_ranked(table, row, failed_cells) for row in table.rows)
    unit, charted = kind.unit_text(table.unit), kind.metrics[0].key
    return Table("", unit, columns, rows, table.notes, charted=charted)


def configurations_table(table: RankedTable, files: Mapping[Cell, str | None]) -> Table:
    """Show all configurations of a package, with quartiles and bars.

    `files` are addresses of text files next to the page.
    """
    kind = kind_of(row.result for row in table.rows)
    main, *others = kind.metrics
    columns = (
        PLACE,
        Column("tag", "Compiler", look=CellLook.CODE, more=_file),
        replace(VARIANT, key="variant"),
        _standing(),
        COUNT,
        *_sizes(kind),
        _quartiles(main, table.unit),
        Column(
            "bar", f"Quartiles of {main.heading.lower()}", number=True, text=lambda _: "",
            look=CellLook.PLAIN, more=_bar(main, table),
        ),
        *(_quartiles(one, table.unit) for one in others),
    )  # fmt: skip
    rows = tuple(
        TableRow(
            {**_values(table, row), "file": files[row.result.cell], "row": row}, row_style(row)
        )
        for row in table.rows
    )
    return Table("", kind.unit_text(table.unit), columns, rows, table.notes)


def scale(table: RankedTable) -> str:
    """Describe what figures and bars of the configurations are."""
    end = f"{largest(table):.2f} {table.unit.text}"
    return (
        "Median over n launches, below it the quartiles [q1..q3]. Bars start at 0 and end at "
        f"{end}."
    )


def excluded_table(found: Sequence[Excluded]) -> Table:
    """List the packages that are not ranked, and why."""
    rows = (
        {"name": one.selector, "link": page_link(one.place) if one.place else "",
         "standing": one.standing, "reasons": one.standing.reasons, "cures": one.cures}
        for one in found
    )  # fmt: skip
    return listed(
        rows,
        Column("name", "Package", look=CellLook.NAME, more=_name),
        Column("link"),
        _standing(),
        Column("reasons", "Why", text="\n".join, look=CellLook.PROSE),
        Column("cures", "What to do", text="\n".join, look=CellLook.PROSE),
    )


def quirks_table(quirks: Sequence[Quirk]) -> Table:
    """List departures from the API that were accepted."""
    return listed(
        quirks,
        Column("name", "Quirk", look=CellLook.NAME),
        Column("message", "What was seen", look=CellLook.PROSE),
        Column("cure", "What to do", look=CellLook.PROSE),
    )


def checks_table(checks: Sequence[CheckResult]) -> Table:
    """List the verdicts of all checks with their evidence."""
    return listed(
        checks,
        Column("check", "Check", look=CellLook.NAME),
        Column(
            "verdict", "Verdict", look=CellLook.VERDICT,
            style=lambda row: VERDICTS.get(row["verdict"], Style.UNKNOWN),
        ),
        Column(
            "reason", "Why", look=CellLook.PROSE, text=str,
            more=lambda row: More(block=row["evidence"], below=_follows(row)),
        ),
        Column("evidence"),
        Column("follows"),
        Column("cure", "What to do", look=CellLook.PROSE, text=str),
    )  # fmt: skip


def _follows(row: Mapping[str, Any]) -> tuple[Note, ...]:
    return (Note(f"follows from {row['follows']}"),) if row["follows"] else ()


def _ranked(table: RankedTable, row: Row, failed_cells: Mapping[str, int]) -> TableRow:
    place = page_place(row.result.package)
    failed = failed_cells.get(place, 0)
    more = {
        "link": page_link(place),
        "badge": Badge("benchmark") if row.benchmark else None,
        "others": f"{failed} other{'' if failed == 1 else 's'} failed" if failed else "",
    }
    style = Style.BENCHMARK if row.benchmark else Style.PLAIN
    return TableRow({**_values(table, row), **more}, style)


def _values(table: RankedTable, row: Row) -> dict[str, Any]:
    """Return what a row of a page shows besides what all tables do."""
    other = row.result.shared_with
    return {
        **values(table, row),
        "standing": standing(row.result),
        "shared": f"same code as {other.configuration}" if other else "",
    }


def _standing(more: Callable[[Mapping[str, Any]], More] = nothing_more) -> Column:
    """Show a verdict with what is to be said of figures below it."""

    def whole(row: Mapping[str, Any]) -> More:
        return replace(more(row), below=tuple(map(Note, row["standing"].remarks)))

    return Column(
        "standing", "Verdict", text=lambda state: state.text, look=CellLook.VERDICT, more=whole,
        style=lambda row: verdict_style(row["standing"].state),
    )  # fmt: skip


def _others(row: Mapping[str, Any]) -> More:
    badge = Badge(row["others"], Style.FAIL, f"{row['link']}#checks") if row["others"] else None
    return More(badge=badge)


def _name(row: Mapping[str, Any]) -> More:
    return More(link=row["link"], badge=row.get("badge"))


def _file(row: Mapping[str, Any]) -> More:
    return More(row["file"] or "", (Note(row["shared"]),) if row["shared"] else ())


def _sizes(kind: CellKind) -> tuple[Column, ...]:
    return tuple(replace(one, optional=False) for one in kind.sizes)


def _quartiles(metric: Metric, unit: Unit) -> Column:
    """Show a metric with its quartiles below it."""

    def below(row: Mapping[str, Any]) -> More:
        found = _all_quartiles(metric.figure(row["row"]), unit)
        if found is None:
            return More()
        low, _, high = (f"{one:.{metric.digits}f}" for one in found)
        return More(below=(Note(f"[{low}..{high}]"),))

    return replace(metric.column, optional=False, more=below)


def _all_quartiles(figure: Series | None, unit: Unit) -> tuple[float, float, float] | None:
    if figure is None:
        return None
    low, high = (unit.value(figure, one) for one in (figure.q1, figure.q3))
    return (low, unit.value(figure), high)


def _bar(metric: Metric, table: RankedTable) -> Callable[[Mapping[str, Any]], More]:
    """Show the quartiles of a metric on a scale that all rows share."""
    end = largest(table)

    def bar(row: Mapping[str, Any]) -> More:
        found = _all_quartiles(metric.figure(row["row"]), table.unit)
        if found is None:
            return More()
        low, median, high = found
        title = f"median {median:.2f}, quartiles {low:.2f} to {high:.2f}"
        axis = Axis(table.unit.text, end=end)
        series = ChartSeries(metric.heading, (ChartPoint(median, None, low, high),))
        return More(chart=Chart(Form.BAR, title, axis, Axis(), (series,)))

    return bar
