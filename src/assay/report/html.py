# SPDX-License-Identifier: MIT
"""The HTML report: a folder of pages that needs no network and, for reading, no script."""

from collections.abc import Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from assay import __version__
from assay.model import CellResult, Direction
from assay.report import bars, canaries, views
from assay.report.ciphers import Detail, cipher_report
from assay.report.files import place_below
from assay.report.formats.csv_file import csv_text
from assay.report.formats.json_file import json_text
from assay.report.table import Column, TableRow
from assay.report.tabulate import TextRow
from assay.report.text import performance_report
from assay.report.verdicts import standing
from assay.stats.places import Place
from assay.summary.cells import Results
from assay.summary.rows import COLUMNS, best_rows, leading_rows, rows_of

ASSETS = ("results.css", "sort.js")


def write_report(folder: Path, results: Results) -> Path:
    """Write all pages into `folder` and give the path of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    copy_assets(folder)
    environment = page_environment()
    common = {"results": results, "direction": Direction.LOWER.value}
    for form, write in (("json", json_text), ("csv", csv_text)):
        report = cipher_report(results, Detail.EVERYTHING, form)
        write_page(folder / f"results.{form}", write(report))
    machine = environment.get_template("machine.html.j2")
    health = canaries.health(results.launches)
    write_page(folder / "machine.html", machine.render(**common, root="", health=health))
    for place, cells in views.by_package(results.cells).items():
        page = place_below(folder, place) / "index.html"
        text = environment.get_template("package.html.j2")
        write_page(page, text.render(**common, **_package(page.parent, cells), root=_up(place)))
    index = environment.get_template("index.html.j2")
    write_page(folder / "index.html", index.render(**common, **_index(results), root=""))
    return folder / "index.html"


def write_text_report(folder: Path, rows: Sequence[TextRow]) -> Path:
    """Write the page of a folder that has `speed_*` files and no store."""
    copy_assets(folder)
    page = folder / "index.html"
    write_page(page, text_table(rows, page=True))
    return page


def text_table(rows: Sequence[TextRow], *, page: bool) -> str:
    """Make the HOWTO's table of rows read from files; `page` puts a whole page around it."""
    clocks = {row.clock for row in rows}
    context = {"rows": rows, "clock": clocks.pop() if len(clocks) == 1 else "mixed units: ticks"}
    name = "tabulated.html.j2" if page else "rows.html.j2"
    direction = Direction.LOWER.value
    return page_environment().get_template(name).render(**context, direction=direction, root="")


def _index(results: Results) -> dict[str, Any]:
    """Gather what the first page shows."""
    return {
        "leading": views.ranked_tables(leading_rows(results.cells)),
        "packages": views.ranked_tables(best_rows(results.cells)),
        "excluded": views.excluded(results),
        "failed_cells": views.failed_cells(results),
    }


def _package(folder: Path, cells: Sequence[CellResult]) -> dict[str, Any]:
    """Gather what the page of one package shows."""
    tables = views.package_tables(cells)
    sound = [row for table in tables for row in table.rows if not row.result.failed]
    return {
        "package": cells[0].package,
        "subject": next((cell.subject for cell in cells if cell.subject), None),
        "cells": cells,
        "tables": tables,
        "checks": views.check_groups(cells),
        "messages": views.message_groups(cells),
        "failures": views.failure_groups(cells),
        "report": _reports(sound[0].result) if sound else "",
        "files": {cell.cell: _file(folder, cell) for cell in cells},
    }


def _reports(cell: CellResult) -> str:
    """Return the text reports of a cell at all its sizes."""
    return "\n".join(performance_report(cell, row.sizes) for row in rows_of(cell))


def _file(folder: Path, cell: CellResult) -> str | None:
    """Return the address of a cell's text file next to the page, if it has one."""
    names = (f"{kind}_{cell.cell.extension}" for kind in ("speed", "info", "errors"))
    return next((quote(name) for name in names if (folder / name).is_file()), None)


def _up(place: str) -> str:
    """Lead from a package's page back to the results folder."""
    return "../" * len(Path(place).parts)


def page_environment() -> Environment:
    """Make templates that escape everything and know what a page needs."""
    environment = Environment(
        loader=PackageLoader("assay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        COLUMNS=COLUMNS,
        version=__version__,
        standing=standing,
        zip=partial(zip, strict=True),
        bar=bars.quartile_bar,
        trend=bars.trend,
        sort_value=sort_value,
        page_link=views.page_link,
        page_place=views.page_place,
    )
    return environment


def sort_value(row: TableRow, column: Column) -> object:
    """Return what a click on a heading sorts by; nothing for what is not known, which is last."""
    value = row.values.get(column.key)
    return "" if value is None else value.first if isinstance(value, Place) else value


def copy_assets(folder: Path) -> None:
    """Put style and script next to the pages."""
    for name in ASSETS:
        text = resources.files("assay.report").joinpath("templates", name).read_text("utf-8")
        write_page(folder / name, text)


def write_page(path: Path, text: str) -> None:
    """Write a page; characters that are no text (hostile names) are replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")
