# SPDX-License-Identifier: MIT
"""Rows of the tables for imported results, from records and back."""

import sqlite3
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec.structs import fields

from assay.model.supercop import (
    Attempt,
    Fact,
    Measurement,
    ObjectSize,
    Record,
    Run,
    Source,
    Subject,
)
from assay.store import records
from assay.store.records import pack, unpack

# Fields with a place of their own in the tables.
APART = ("source", "subject", "values", "medians", "unit")
KINDS: dict[str, type[Attempt | ObjectSize | Fact]] = {
    one.__name__: one for one in (Attempt, ObjectSize, Fact)
}
# Those of a measurement that are columns.
PLAIN = ("key", "size", "q1", "median", "q3", "unit", "launches")

ABOUT = """
    machine, abi, date, version, operation, primitive, league, implementation, compiler
"""
ABOUT_COLUMNS = 9
NAMED = """
    JOIN published_source ON published_source.id = source
    JOIN published_subject ON published_subject.id = subject
"""
JOINED = f"JOIN published_run ON published_run.id = run {NAMED}"
RUNS = f"SELECT {ABOUT}, published_run.id FROM published_run {NAMED}"  # noqa: S608 - constants
# Of a run, whose thousands of lines are about the same.
MEASURED = f"SELECT {', '.join(PLAIN)}, timings, position FROM published_measurement"  # noqa: S608
RECORDED = f"""
    SELECT {ABOUT}, kind, record, timings, position
    FROM published_record {JOINED}
"""  # noqa: S608 - constants
MEASUREMENT = "INSERT INTO published_measurement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
RECORD = "INSERT INTO published_record VALUES (?, ?, ?, ?, ?)"


def is_known(connection: sqlite3.Connection, digest: str, file: int) -> bool:
    """Return whether a run came with another file."""
    query = "SELECT 1 FROM published_run WHERE digest = ? AND file != ?"
    return connection.execute(query, (digest, file)).fetchone() is not None


def put_run(connection: sqlite3.Connection, run: Run, file: int) -> None:
    """Insert a run; one that is about several subjects becomes several."""
    for (source, subject), lines in groupby(run.records, lambda one: (one.source, one.subject)):
        about = (_number(connection, source), _number(connection, subject))
        cursor = connection.execute(
            "INSERT INTO published_run (file, source, subject, digest) VALUES (?, ?, ?, ?)",
            (file, *about, run.digest),
        )
        run_id = int(cursor.lastrowid or 0)
        rows: dict[str, list[tuple[Any, ...]]] = {MEASUREMENT: [], RECORD: []}
        for position, one in enumerate(lines):
            insert, values = _row(one)
            rows[insert].append((run_id, position, *values))
        for insert, each in rows.items():
            connection.executemany(insert, each)


def _number(connection: sqlite3.Connection, about: Source | Subject) -> int:
    """Return the number of a source or subject, a new one if need be."""
    table = "published_source" if isinstance(about, Source) else "published_subject"
    names = [each.name for each in fields(about)]
    values = [getattr(about, name) for name in names]
    marks = ", ".join("?" * len(names))
    columns = ", ".join(names)
    connection.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", values)  # noqa: S608
    where = " AND ".join(f"{name} = ?" for name in names)
    row = connection.execute(f"SELECT id FROM {table} WHERE {where}", values).fetchone()  # noqa: S608
    return int(row[0])


def _row(record: Record) -> tuple[str, tuple[Any, ...]]:
    """Return how a record is inserted, and what stands behind run and position."""
    if isinstance(record, Measurement):
        figures = (record.key, record.size, record.q1, record.median, record.q3)
        return MEASUREMENT, (*figures, record.unit, record.launches, pack(record.values))
    values = record.values if isinstance(record, Attempt) else ()
    return RECORD, (type(record).__name__, records.dump(record, omit=APART), pack(values))


def about(row: Any) -> tuple[Source, Subject]:
    """Read what a row is about; its first columns say it."""
    return _names(*row[:ABOUT_COLUMNS])


@lru_cache(maxsize=256)
def _names(*words: str) -> tuple[Source, Subject]:
    """Make source and subject once for the thousands of rows of a run."""
    given = [records.read(str, word) for word in words]
    return Source(*given[:4]), Subject(*given[4:])


def measurement(row: Any, source: Source, subject: Subject) -> Measurement:
    """Put a measurement of a run together."""
    cells = tuple(row)  # by name each would take as long as what becomes of it
    plain = dict(zip(PLAIN, cells, strict=False))
    values = unpack(cells[len(PLAIN)])
    return records.read(Measurement, plain, source=source, subject=subject, values=values)


def record(row: Any) -> Attempt | ObjectSize | Fact:
    """Put another record together."""
    source, subject = about(row)
    kind = KINDS.get(row["kind"], Fact)
    apart = {"values": unpack(row["timings"])} if kind is Attempt else {}
    return records.load(kind, row["record"], source=source, subject=subject, **apart)
