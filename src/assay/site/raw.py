# SPDX-License-Identifier: MIT
"""The data behind a primitive's pages: CSV, JSON, database lines, and what the script compares."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from assay.report.formats.csv_file import spreadsheet_cell
from assay.site.cells import SiteMachine
from assay.site.figures import leading
from assay.site.names import Key, primitive_at
from assay.site.page import Known, Page
from assay.site.views import SiteEntry

COLUMNS = ("machine", "implementation", "version", "variant", "configuration", "target", "league",
           "verdict", "measured", "measure", "sizes", "size", "unit", "median", "low", "high",
           "launches", "nanoseconds", "text", "data", "bss")  # fmt: skip
FORMAT = 1
LINES = "database-lines.txt"


def raw_pages(key: Key, entries: Sequence[SiteEntry], known: Known) -> Iterator[Page]:
    """Yield the files of data of a primitive."""
    at = primitive_at(key)
    yield f"{at}/data.csv", _csv(entries, known)
    yield f"{at}/data.json", _json(key, entries, known)
    lines = [line for one in entries for line in one.cell.lines]
    if lines:
        yield f"{at}/{LINES}", "\n".join([*lines, ""])


def _csv(entries: Sequence[SiteEntry], known: Known) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in entries:
        cell = one.cell
        words = (known.labels[one.machine], cell.selector, cell.version, cell.variant,
                 cell.configuration, cell.target, cell.league, cell.verdict,
                 cell.ended)  # fmt: skip
        about = [spreadsheet_cell(word) if isinstance(word, str) else word for word in words]
        size = cell.bytes or ("", "", "")
        for figure in cell.figures:
            low, high = figure.interval
            writer.writerow((
                *about, figure.measure, figure.sizes, figure.size, figure.text,
                f"{figure.middle:.6g}", f"{low:.6g}", f"{high:.6g}", len(figure.values),
                f"{figure.nanoseconds:.6g}" if figure.nanoseconds else "", *size,
            ))  # fmt: skip
    return text.getvalue()


def _json(key: Key, entries: Sequence[SiteEntry], known: Known) -> str:
    """Write all that is known, launch by launch."""
    rows = []
    for one in entries:
        record = msgspec.to_builtins(one.cell)
        del record["diagnostics"], record["lines"]
        rows.append({"machine": one.machine, **record})
    document = {
        "format": FORMAT, "direction": "lower is better", "operation": key[0],
        "primitive": key[1], "machines": {one: known.labels[one]
                                          for one in sorted({one.machine for one in entries})},
        "results": rows,
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def comparable(entries: Sequence[SiteEntry], known: Known) -> dict[str, Any]:
    """Return what the script of the page that compares needs: the figure that ranks, by launch."""
    facts: dict[int, dict[str, str]] = {}
    rows = []
    places: dict[tuple[int, str], int] = {}
    for one in entries:
        figure = leading(one.cell.family, one.cell.figures) if one.cell.sound else None
        if figure is None or figure.spread:
            continue
        place = places.setdefault((one.source, one.machine), len(places))
        facts[place] = said(known.facts[one.source, one.machine])
        rows.append([
            one.cell.implementation, one.cell.configuration, known.labels[one.machine],
            one.cell.ended[:16], place, figure.text, [float(f"{v:.5g}") for v in figure.values],
            figure.hertz and round(figure.hertz), one.cell.command, one.cell.version[:16],
        ])  # fmt: skip
    return {"facts": [facts[place] for place in range(len(places))], "rows": rows}


def said(machine: SiteMachine) -> dict[str, str]:
    """Return what may differ between two results besides the code."""
    found = {
        "processor": machine.cpu, "compilers": ", ".join(machine.compilers),
        "kernel": machine.kernel, "system": machine.system, "doctor's class": machine.trust,
        "Assay": machine.assay, **dict(machine.facts),
    }  # fmt: skip
    return {name: value for name, value in found.items() if value}
