# SPDX-License-Identifier: MIT
"""Every result for programs: a line for each series, with all that is known of it.

Lines are written one after another, so that no number of results fills the memory.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from assay.model.series import Series
from assay.report.formats.csv_file import spreadsheet_cell
from assay.report.formats.json_file import FORMAT

COLUMNS: Mapping[str, Callable[[Series], Any]] = MappingProxyType(
    {
        "kind": lambda one: one.subject.kind.value,
        "operation": lambda one: one.subject.operation,
        "primitive": lambda one: one.subject.primitive,
        "implementation": lambda one: one.subject.name,
        "variant": lambda one: one.subject.variant,
        "league": lambda one: one.subject.league,
        "place": lambda one: one.subject.place,
        "content_hash": lambda one: one.subject.contents,
        "configuration": lambda one: one.configuration.name,
        "command": lambda one: one.configuration.command_line,
        "shared_with": lambda one: one.shared,
        "machine": lambda one: one.source.machine,
        "abi": lambda one: one.source.abi,
        "date": lambda one: one.source.date,
        "version": lambda one: one.source.version,
        "target": lambda one: one.target,
        "measure": lambda one: one.measure,
        "size": lambda one: one.size,
        "key_bits": lambda one: one.sizes.key_bits or None,
        "iv_bits": lambda one: one.sizes.iv_bits or None,
        "mac_bits": lambda one: one.sizes.mac_bits,
        "unit": lambda one: one.unit,
        "work": lambda one: one.work,
        "work_unit": lambda one: one.work_unit,
        "rate": lambda one: one.rate,
        "q1": lambda one: one.q1,
        "median": lambda one: one.median,
        "q3": lambda one: one.q3,
        "launches": lambda one: one.launches,
        "per_launch": lambda one: list(one.per_launch),
        "started_at": lambda one: [each.started_at for each in one.points if each.started_at],
        "counter": lambda one: one.counter.name if one.counter else "",
        "ticks_per_second": lambda one: one.counter.ticks_per_second if one.counter else None,
        "cycles_per_tick": lambda one: one.counter.cycles_per_tick if one.counter else None,
        "exact": lambda one: one.exact,
        "failed": lambda one: one.failed,
        "compared": lambda one: one.compared,
        "disturbed": lambda one: one.disturbed,
        "imported": lambda one: one.imported,
    }
)


def csv_lines(series: Iterable[Series]) -> Iterator[str]:
    """Yield a line of keys, and one for each series; a list is its items with blanks."""
    yield _line(COLUMNS)
    for one in series:
        yield _line(_cell(read(one)) for read in COLUMNS.values())


def json_lines(series: Iterable[Series]) -> Iterator[str]:
    """Yield the lines of one JSON document: `results` has an object for each series."""
    yield f'{{"format": {FORMAT}, "results": ['
    before = ""
    for one in series:
        if before:
            yield f"{before},"
        before = json.dumps({key: read(one) for key, read in COLUMNS.items()})
    yield from (before,) if before else ()
    yield "]}"


def _line(cells: Iterable[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Write a list as one text, and keep a stranger's text from being a formula."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return spreadsheet_cell(value) if isinstance(value, str) else value
