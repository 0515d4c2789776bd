# SPDX-License-Identifier: MIT
"""Results for programs: what is known of cells besides figures, and a line for each series."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from msgspec.structs import asdict

from assay.model.series import Series
from assay.report.formats.data_files import FORMAT, csv_of
from assay.report.table import Column, values_of
from assay.report.verdicts import standing
from assay.stats.summary import calibration
from assay.summary.cells import Results
from assay.summary.series import CellResult

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


def described(results: Results) -> dict[str, Any]:
    """Describe the machine, its calibration, and of every cell what it was made of, and checks.

    Figures are in tables, and launch by launch in what `csv_lines` and `json_lines` write.
    """
    one = results.machine
    said = {"class": one.trust_class, "diagnosis": one.diagnosis} if one else {}
    return {
        "machine": {**asdict(one), **said} if one else None,
        "calibration": calibration(results.launches),
        "cells": [values_of(each, CELL) for each in results.cells],
    }


def _made_with(cell: CellResult) -> dict[str, str]:
    """Return the digests of harness and compiler."""
    harness, _, compiler = cell.key.harness.partition("-") if cell.key else ("", "", "")
    return {"harness": harness, "compiler": compiler}


def _checks(cell: CellResult) -> list[dict[str, Any]]:
    """Return verdicts, less the digests by which cells were compared."""
    return [{name: value for name, value in asdict(each).items() if name != "outputs"}
            for each in cell.checks]  # fmt: skip


BUILD = tuple(map(Column, ("stage", "reason", "command", "jail")))
CELL = (
    *(Column(key, of=f"package.{key}") for key in ("kind", "place", "content_hash", "role")),
    Column("package", of="package.selector"),
    Column("quirks", of="package.quirks"),
    Column("object_hash", of="build.object_hash"),
    *map(Column, ("cell", "configuration", "counter", "shared_with", "measured_at")),
    Column("made_with", of=_made_with),
    Column("build", of=lambda cell: values_of(cell.build, BUILD)),
    Column("state", of=lambda cell: standing(cell).state),
    Column("reasons", of=lambda cell: standing(cell).reasons),
    Column("checks", of=_checks),
)


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
