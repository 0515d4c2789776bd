# SPDX-License-Identifier: MIT
"""The HTML report: a folder of pages that needs no network and, for reading, no script."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.model import CellResult, Direction
from assay.report import canaries, cell_pages, views
from assay.report.cells import Detail, folder_report, kind_of
from assay.report.chart import Chart
from assay.report.files import inside
from assay.report.formats.csv_file import csv_text
from assay.report.formats.json_file import json_text
from assay.report.origin import origin_text
from assay.report.pages import copy_assets, page_environment
from assay.report.ranked import ranked_chart
from assay.report.table import Note, Table
from assay.report.tabulate import TextRow, text_rows_table
from assay.report.text import performance_report
from assay.report.verdicts import standing
from assay.summary.cells import Results
from assay.summary.rows import Row, best_rows, leading_rows, rows_of
from assay.writing import write_below

# The folders of further pages, below a results folder.
OPERATIONS = "ebacs"
SIZES = "sizes"


@dataclass(frozen=True, slots=True)
class PageSection:
    """A table with what its heading says, and what is to be known of it."""

    heading: str
    table: Table
    lines: tuple[Note, ...] = ()
    chart: Chart | None = None


def write_report(folder: Path, *found: Results) -> Path:
    """Write all pages of a results folder into `folder` and give the path of the first.

    `found` are the results of each kind of package.
    """
    copy_assets(folder)
    environment = page_environment()
    environment.globals.update(standing=standing)
    results = found[0]
    common = {
        "results": results,
        "direction": Direction.LOWER.value,
        "operations": _page_below(folder, OPERATIONS),
        "sizes": _page_below(folder, SIZES),
    }
    for form, write in (("json", json_text), ("csv", csv_text)):
        write_below(
            folder, f"results.{form}", write(folder_report(found, Detail.EVERYTHING, form))
        )

    def page(path: str, template: str, **context: Any) -> None:
        text = environment.get_template(template).render(
            **common, **context, root="../" * path.count("/")
        )
        write_below(folder, inside(folder, path), text)

    page("machine.html", "machine.html.j2", health=canaries.health(results.launches))
    for place, cells in views.by_package(cell for one in found for cell in one.cells).items():
        page(f"{place}/index.html", "package.html.j2", **_package(folder / place, cells))
    page("index.html", "index.html.j2", **_index(found))
    return folder / "index.html"


def write_text_report(folder: Path, rows: Sequence[TextRow]) -> Path:
    """Write the page of a folder that has `speed_*` files and no store."""
    copy_assets(folder)
    template = page_environment().get_template("tabulated.html.j2")
    return write_below(folder, "index.html", template.render(table=text_rows_table(rows), root=""))


def _page_below(folder: Path, name: str) -> str:
    """Return the path of the first page in a folder below, or nothing if there is none."""
    path = f"{name}/index.html"
    return path if (folder / path).is_file() else ""


def _index(found: Sequence[Results]) -> dict[str, Any]:
    """Gather what the first page shows."""
    excluded = dict.fromkeys(chain.from_iterable(map(views.excluded, found)))
    kinds = " and ".join(kind_of(each.cells).name for each in found)
    return {
        "subject": f"Speed of {kinds}",
        "origin": origin_text(found[0].machine, found[0].launches),
        "rankings": [
            one for each in found for one in _rankings(each, leading_rows, pictured=True)
        ],
        "everything": [one for each in found for one in _rankings(each, best_rows)],
        "excluded": cell_pages.excluded_table(tuple(excluded)) if excluded else None,
    }


def _rankings(
    results: Results,
    choose: Callable[[Sequence[CellResult]], Sequence[Row]],
    *,
    pictured: bool = False,
) -> list[PageSection]:
    """Show the chosen rows, target by target."""
    failed = views.failed_cells(results)
    found = []
    for ranked in views.ranked_tables(choose(results.cells)):
        table = cell_pages.ranking_table(ranked, failed)
        said = tuple(map(Note, cell_pages.what_is_counted(ranked.unit)))
        chart = ranked_chart(table) if pictured else None
        found.append(PageSection(_of(ranked), table, said, chart))
    return found


def _of(table: views.RankedTable) -> str:
    """Name the kind and the target, where they do not go without saying."""
    kind = kind_of(row.result for row in table.rows)
    what = f" of {kind.name}" if kind.title else ""
    return f"{what}{'' if table.target == 'native' else f' on {table.target}'}"


def _package(folder: Path, cells: Sequence[CellResult]) -> dict[str, Any]:
    """Gather what the page of one package shows."""
    tables = views.package_tables(cells)
    sound = [row for table in tables for row in table.rows if not row.result.failed]
    package = cells[0].package
    files = {cell.cell: _file(folder, cell) for cell in cells}
    return {
        "package": package,
        "subject": next((cell.subject for cell in cells if cell.subject), None),
        "quirks": cell_pages.quirks_table(package.quirks) if package.quirks else None,
        "sections": [_configurations(table, files) for table in tables],
        "checks": views.check_groups(cells),
        "checks_table": cell_pages.checks_table,
        "messages": views.message_groups(cells),
        "failures": views.failure_groups(cells),
        "report": _reports(sound[0].result) if sound else "",
    }


def _configurations(table: views.RankedTable, files: dict[Any, str | None]) -> PageSection:
    """Show all configurations of a package on one target."""
    where = "" if table.target == "native" else f" on {table.target}"
    said = (*cell_pages.what_is_counted(table.unit), cell_pages.scale(table))
    shown = cell_pages.configurations_table(table, files)
    return PageSection(f"All configurations{where}", shown, tuple(map(Note, said)))


def _reports(cell: CellResult) -> str:
    """Return the text reports of a cell at all its sizes."""
    return "\n".join(performance_report(cell, row.sizes) for row in rows_of(cell))


def _file(folder: Path, cell: CellResult) -> str | None:
    """Return the address of a cell's text file next to the page, if it has one."""
    names = (f"{kind}_{cell.cell.extension}" for kind in ("speed", "info", "errors"))
    return next((quote(name) for name in names if (folder / name).is_file()), None)
