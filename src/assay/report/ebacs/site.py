# SPDX-License-Identifier: MIT
"""The site: a folder of pages that needs no network and, for reading, no script."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from assay.model import Direction
from assay.report.ebacs import options, page_tables
from assay.report.ebacs.graph import POINTS, graphs
from assay.report.ebacs.machines import machine_page
from assay.report.ebacs.page_tables import OperationSummary
from assay.report.ebacs.primitives import benches, by_primitive, score_units
from assay.report.ebacs.quantities import Part, Quantity, counted, quantities
from assay.report.ebacs.records import BenchMachine, Provenance, Records
from assay.report.ebacs.tables import slide_table
from assay.report.ebacs.views import Curve, SlideTable, curves_of, tables, views_of
from assay.report.formats.csv_file import csv_text
from assay.report.formats.json_file import json_text
from assay.report.pages import copy_assets, page_environment
from assay.report.pictures import curves
from assay.report.table import Report
from assay.writing import require_folder, write_below

SCRIPTS = ("ebacs.css", "graph.js")
# Version 1.6.32 as it was published, with its licence (MIT).
UPLOT = ("uPlot.iife.min.js", "uPlot.min.css", "uPlot.LICENSE")
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,80}")


@dataclass(frozen=True, slots=True)
class OperationPage:
    """A page of an operation: one quantity, and the way in which lengths grow."""

    quantity: Quantity
    part: Part
    name: str


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages need."""

    folder: Path
    environment: Environment
    records: Records
    places: dict[Provenance, str]
    notes: Mapping[str, Sequence[str]]
    machines: Sequence[BenchMachine] = ()

    def origin(self, place: Provenance) -> str:
        """Return when a place was measured, and with which compilers if that is known."""
        days = self.records.at(place).dates
        when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "on an unknown day"
        bench = self.bench(place)
        made = f", compilers: {' and '.join(bench.machine.compilers)}" if bench else ""
        return f"Measured {when}{made if bench and bench.machine.compilers else ''}."

    def bench(self, place: Provenance) -> BenchMachine | None:
        """Return the machine of a place, if Assay measured there."""
        own = place.version.startswith("assay")
        return next((one for one in self.machines if own and one.name == place.machine), None)

    def write(self, path: str, template: str, **context: Any) -> None:
        """Render a page; `path` is relative to the folder."""
        text = self.environment.get_template(template).render(
            **context,
            root="../" * path.count("/"),
            direction=Direction.LOWER.value,
            places=self.places,
        )
        write_below(self.folder, path, text)


def write_site(
    folder: Path,
    records: Records,
    machines: Sequence[BenchMachine] = (),
    notes: Mapping[str, Sequence[str]] | None = None,
) -> Path:
    """Write all pages into `folder` and give the path of the first.

    `machines` are those that Assay measured on; `notes` stand below the tables of an operation.
    """
    require_folder(folder)
    copy_assets(folder)
    for name in SCRIPTS:
        source = resources.files("assay.report.ebacs").joinpath("templates", name)
        write_below(folder, name, source.read_text("utf-8"))
    for name in UPLOT:
        source = resources.files("assay.report.ebacs").joinpath("vendored", name)
        write_below(folder, name, source.read_text("utf-8"))
    places = {place: f"machine-{i}.html" for i, place in enumerate(records.places, 1)}
    site = Site(folder, _environment(), records, places, notes or {}, machines)
    summaries = [_operation(site, operation) for operation in records.operations]
    for place, page in places.items():
        shown = machine_page(records.at(place), place, site.bench(place))
        site.write(page, "place.html.j2", page=shown)
    site.write("index.html", "operations.html.j2", operations=summaries)
    return folder / "index.html"


def file_name(name: str) -> str:
    """Make a file name of a stranger's name: itself if it is harmless, else a digest."""
    if PLAIN.fullmatch(name):
        return name
    return f"name-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _environment() -> Environment:
    """Find these templates, and those of the other reports."""
    environment = page_environment().overlay()
    own = PackageLoader("assay.report.ebacs")
    environment.loader = ChoiceLoader([own, PackageLoader("assay.report")])
    environment.globals.update(shown_as=page_tables)
    return environment


def _operation(site: Site, operation: str) -> OperationSummary:
    """Write the pages of one operation, and give what the first page says of it."""
    own = site.records.only(operation)
    folder = file_name(operation)
    series = curves_of(own.series)
    pages = _pages(operation, series)
    numbers = options.compilers(own)
    primitives, units = by_primitive(own), score_units(series)
    links = {one: f"primitive-{file_name(one)}.html" for one in primitives}
    found: list[SlideTable] = []
    for page in pages:
        shown = _tables(series, page)
        found += shown
        context = {
            "operation": operation,
            "page": page,
            "pages": pages,
            "tables": [
                (one, page_tables.size_table(operation, one, numbers, links)) for one in shown
            ],
            "graphs": [
                curves(one)
                for one in graphs(series, page.quantity, page.part, POINTS // len(pages))
            ],
            "numbers": numbers,
            "notes": site.notes.get(operation, ()),
            "origin": site.origin,
        }
        site.write(f"{folder}/{page.name}", "operation.html.j2", **context)
    report = Report(
        tuple(slide_table(operation, table) for table in found), facts={"operation": operation}
    )
    write_below(site.folder, f"{folder}/tables.csv", csv_text(report))
    write_below(site.folder, f"{folder}/tables.json", json_text(report))
    for primitive, link in links.items():
        site.write(
            f"{folder}/{link}",
            "primitive.html.j2",
            operation=operation,
            primitive=primitive,
            numbers=numbers,
            shown=benches(primitives[primitive], primitive, numbers, units),
        )
    return _summary(operation, folder, own, len(primitives))


def _pages(operation: str, series: Sequence[Curve]) -> list[OperationPage]:
    """Return the pages of an operation: all that was measured, what is timed first."""
    known = (
        *quantities(operation),
        *counted(operation, (one for curve in series for one in curve.points.values())),
    )
    wanted = [(quantity, part) for quantity in known for part in quantity.parts]
    wanted = [pair for pair in wanted if _measured(series, *pair)] or wanted[:1]
    names = ["index.html", *(f"{_page_name(*pair)}.html" for pair in wanted[1:])]
    return [OperationPage(*pair, name) for pair, name in zip(wanted, names, strict=True)]


def _page_name(quantity: Quantity, part: Part) -> str:
    return file_name(f"{quantity.key}-{part.value}" if quantity.other else quantity.key)


def _measured(series: Sequence[Curve], quantity: Quantity, part: Part) -> bool:
    known = any(one.key == quantity.key for one in series)
    return known and bool(views_of(series, quantity, part))


def _tables(series: Sequence[Curve], page: OperationPage) -> list[SlideTable]:
    """Return the tables of a page, place by place and then size by size."""
    views = views_of(series, page.quantity, page.part)
    found = [table for view in views for table in tables(series, view)]
    return sorted(found, key=lambda table: (table.places, table.unit))


def _summary(operation: str, folder: str, records: Records, primitives: int) -> OperationSummary:
    """Count what is known of an operation."""
    return OperationSummary(
        operation,
        folder,
        primitives,
        implementations=len({one.subject.implementation for one in records.attempts}),
        tried=len(records.attempts),
        sound=sum(one.outcome not in options.NOT_SOUND for one in records.attempts),
        places=records.places,
    )
