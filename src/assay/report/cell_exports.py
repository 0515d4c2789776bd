# SPDX-License-Identifier: MIT
"""Cells for programs: a line for each figure as CSV, and all that is known of each as JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.model import CellResult, CheckResult, Launch, Machine, PackageKind
from assay.model.series import Series
from assay.report.kinds import per_unit, tables
from assay.report.table import Column, Table, TableRow
from assay.report.verdicts import standing
from assay.stats.calibration import calibration
from assay.stats.places import Place
from assay.summary.ranks import Key, key_of
from assay.summary.rows import Row, best_rows, rows_of
from assay.summary.unit import Unit

KEYS = (
    *("kind", "package", "primitive", "role", "target", "variant", "configuration", "tag"),
    *("key_bits", "iv_bits", "mac_bits", "measure", "median", "q1", "q3", "launches"),
    *("unit", "direction", "checks", "shared_with", "measured_at", "place"),
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
    keyed = result.package.kind is PackageKind.STREAM
    for figure in row.figures.values():
        unit = Unit.of([figure])
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
                "median": unit.value(figure),
                "q1": unit.value(figure, figure.q1),
                "q3": unit.value(figure, figure.q3),
                "launches": figure.launches,
                "unit": per_unit(unit, figure),
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
    ranked = tables(best_rows(results))
    places = {key_of(row): place for table in ranked for row, place in table.ranked}
    return {
        "machine": _machine(machine) if machine else None,
        "calibration": calibration(launches),
        "cells": [_cell(result, places) for result in results],
    }


def _machine(machine: Machine) -> dict[str, Any]:
    """Describe the machine, with its class and the doctor's findings."""
    return {**asdict(machine), "class": machine.trust_class, "diagnosis": machine.diagnosis}


def _cell(result: CellResult, places: Mapping[Key, Place | None]) -> dict[str, Any]:
    """Describe one cell."""
    state = standing(result)
    harness, _, compiler = result.made_with.partition("-")
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
                "place": places.get(key_of(row)),
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
    unit = Unit.of([figure])
    return {
        "measure": figure.measure,
        "unit": per_unit(unit, figure),
        "median": unit.value(figure),
        "q1": unit.value(figure, figure.q1),
        "q3": unit.value(figure, figure.q3),
        "launches": figure.launches,
        "values": [unit.value(figure, each) for each in figure.per_launch],
        "ticks_per_test": figure.ticks,
        "cycles_per_tick": figure.counter and figure.counter.cycles_per_tick,
    }
