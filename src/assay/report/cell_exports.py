# SPDX-License-Identifier: MIT
"""Results for programs: cells with all that is known of them, and a line for each series."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from msgspec.structs import asdict

from assay.model import Cell, CheckResult, Launch, Machine, SizeChoice
from assay.model.series import Series
from assay.report.formats.data_files import FORMAT, csv_of
from assay.report.kinds import KINDS, tables
from assay.report.table import Column, Table, TableRow
from assay.report.verdicts import standing
from assay.stats.calibration import calibration
from assay.stats.places import Place
from assay.summary.rows import Detail, Row, chosen_rows, rows_of
from assay.summary.series import CellResult

KEYS = (
    *("kind", "package", "primitive", "role", "target", "variant", "configuration", "tag"),
    *("key_bits", "iv_bits", "mac_bits", "measure", "median", "q1", "q3", "launches"),
    *("unit", "direction", "checks", "shared_with", "measured_at", "place"),
)
COLUMNS: Mapping[str, Callable[[Series], Any]] = MappingProxyType(
    {
        "kind": lambda one: one.subject.kind.value,
        **{name: attrgetter(f"subject.{name}") for name in ("operation", "primitive")},
        "implementation": lambda one: one.subject.name,
        **{name: attrgetter(f"subject.{name}") for name in ("variant", "league", "place")},
        "content_hash": lambda one: one.subject.contents,
        "configuration": lambda one: one.configuration.name,
        "command": lambda one: one.configuration.command_line,
        "shared_with": lambda one: one.shared,
        **{name: attrgetter(f"source.{name}") for name in ("machine", "abi", "date", "version")},
        **{name: attrgetter(name) for name in ("target", "measure", "size")},
        "key_bits": lambda one: one.sizes.key_bits or None,
        "iv_bits": lambda one: one.sizes.iv_bits or None,
        "mac_bits": lambda one: one.sizes.mac_bits,
        **{name: attrgetter(name) for name in ("unit", "work", "work_unit", "rate")},
        **{name: attrgetter(name) for name in ("q1", "median", "q3", "launches")},
        "per_launch": lambda one: list(one.per_launch),
        "started_at": lambda one: [each.started_at for each in one.points if each.started_at],
        "counter": lambda one: one.counter.name if one.counter else "",
        "ticks_per_second": lambda one: one.counter.ticks_per_second if one.counter else None,
        "cycles_per_tick": lambda one: one.counter.cycles_per_tick if one.counter else None,
        **{name: attrgetter(name) for name in ("exact", "failed", "compared", "disturbed")},
        "imported": lambda one: one.imported,
    }
)


def lines_of(rows: Iterable[Row]) -> Table:
    """Write the rows by target; every line has its unit, cycles only where they are known."""
    lines = (
        line
        for table in tables(rows)
        for row, place in table.ranked
        for line in _lines(row, place)
    )
    return Table("", "", tuple(map(Column, KEYS)), tuple(lines))


def _lines(row: Row, place: Place | None) -> Iterator[TableRow]:
    """Write one line per measure of a row."""
    result, sizes, state = row.result, row.sizes, standing(row.result)
    keyed = KINDS[result.package.kind].keyed
    for figure in row.figures.values():
        yield TableRow(
            {
                **named(result),
                "kind": result.package.kind.value,
                "target": result.cell.target,
                "primitive": result.package.primitive,
                "key_bits": sizes.key_bits if keyed else None,
                "iv_bits": sizes.iv_bits if keyed else None,
                "mac_bits": sizes.mac_bits,
                "measure": figure.measure,
                **_quartiles(figure),
                "checks": "; ".join((state.text, *state.remarks)),
                "shared_with": result.shared_with.configuration if result.shared_with else None,
                "measured_at": result.measured_at,
                "place": place if figure is row.rate else None,
            }
        )


def named(result: CellResult) -> dict[str, Any]:
    """Name a cell as programs read it, apart from what all rows of a table share."""
    return {
        "package": result.package.selector,
        "role": result.package.role.value,
        "variant": result.cell.variant,
        "configuration": result.configuration.name,
        "tag": result.configuration.tag,
    }


def document(
    results: Sequence[CellResult],
    machine: Machine | None = None,
    launches: Sequence[Launch] = (),
) -> dict[str, Any]:
    """Describe the cells; `machine` is where they were measured.

    Of `launches` the error of the calibration is reported.
    """
    ranked = tables(chosen_rows(results, Detail.PACKAGES))
    places = {row.key: place for table in ranked for row, place in table.ranked}
    return {
        "machine": _machine(machine) if machine else None,
        "calibration": calibration(launches),
        "cells": [_cell(result, places) for result in results],
    }


def _machine(machine: Machine) -> dict[str, Any]:
    """Describe the machine, with its class and the doctor's findings."""
    return {**asdict(machine), "class": machine.trust_class, "diagnosis": machine.diagnosis}


def _cell(
    result: CellResult, places: Mapping[tuple[Cell, SizeChoice], Place | None]
) -> dict[str, Any]:
    """Describe one cell."""
    state = standing(result)
    harness, _, compiler = (result.key.harness if result.key else "").partition("-")
    return {
        "kind": result.package.kind.value,
        "package": result.package.selector,
        "place": result.package.place,
        "content_hash": result.package.content_hash,
        "role": result.package.role.value,
        "quirks": result.package.quirks,
        "cell": result.cell,
        "configuration": result.configuration,
        "object_hash": result.build.object_hash,
        "made_with": {"harness": harness, "compiler": compiler} if harness else None,
        "build": {
            "stage": result.build.stage.value,
            "reason": result.build.reason,
            "command": result.build.command,
            "jail": result.build.jail,
        },
        "state": state.state,
        "reasons": state.reasons,
        "remarks": state.remarks,
        "checks": [_check(check) for check in result.checks],
        "counter": result.counter,
        "shared_with": result.shared_with,
        "measured_at": result.measured_at,
        "sizes": [
            {
                **asdict(row.sizes),
                "place": places.get(row.key),
                "figures": [_figure(figure) for figure in row.figures.values()],
            }
            for row in rows_of(result)
        ],
    }


def _check(check: CheckResult) -> dict[str, Any]:
    """Write a verdict, less the digests by which cells were compared."""
    return {name: value for name, value in asdict(check).items() if name != "outputs"}


def _figure(figure: Series) -> dict[str, Any]:
    """Describe one figure in its unit, and as it was counted."""
    return {
        "measure": figure.measure,
        **_quartiles(figure),
        "values": [each / figure.work for each in figure.per_launch],
        "ticks_per_test": figure.ticks,
        "cycles_per_tick": figure.counter and figure.counter.cycles_per_tick,
    }


def _quartiles(figure: Series) -> dict[str, Any]:
    low, high = figure.quartiles
    return {"unit": figure.rate_unit, "median": figure.rate, "q1": low, "q3": high,
            "launches": figure.launches}  # fmt: skip


def csv_lines(series: Iterable[Series]) -> Iterator[str]:
    """Yield a line of keys, and one for each series; a list is its items with blanks."""
    yield csv_of((COLUMNS,)).removesuffix("\n")
    for one in series:
        yield csv_of(([read(one) for read in COLUMNS.values()],)).removesuffix("\n")


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
