# SPDX-License-Identifier: MIT
"""Imported results: files of database lines, run by run, beside one's own."""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct
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
from assay.store.database import Database
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


class PublishedFile(Struct, frozen=True):
    """A file that was imported. `digest` is of its lines; `read_at` is ISO 8601 in UTC."""

    digest: str
    name: str
    read_at: str
    lines: int = 0
    bad: int = 0


class Put(Struct, frozen=True):
    """How many records an import added, and how many runs were there already."""

    records: int
    known_runs: int


class ImportedRecords:
    """The imported part of a store; a store from before there was one has nothing in it."""

    def __init__(self, database: Database) -> None:
        """Look at the tables of an open store."""
        self._database = database

    def files(self) -> tuple[PublishedFile, ...]:
        """Return the files that were imported, in that order."""
        query = "SELECT digest, name, read_at, lines, bad FROM published_file ORDER BY id"
        return tuple(records.read(PublishedFile, dict(row)) for row in self._database.rows(query))

    def sources(self) -> tuple[Source, ...]:
        """Return all machines with their dates and versions."""
        query = "SELECT machine, abi, date, version FROM published_source ORDER BY 1, 2, 3, 4"
        return tuple(records.read(Source, dict(row)) for row in self._database.rows(query))

    def primitives(self, operation: str | None = None) -> tuple[tuple[str, str], ...]:
        """Return operations with their primitives, those of one operation if it is given."""
        where, values = _where({"operation": operation})
        query = (
            f"SELECT DISTINCT operation, primitive FROM published_subject {where} ORDER BY 1, 2"  # noqa: S608 - constants
        )
        return tuple(
            (row["operation"], row["primitive"]) for row in self._database.rows(query, *values)
        )

    def attempts(
        self, operation: str | None = None, primitive: str | None = None
    ) -> Iterator[Attempt]:
        """Yield what came of trying implementations, those of an operation or primitive."""
        for each in self._recorded("Attempt", operation, primitive):
            if isinstance(each, Attempt):
                yield each

    def about(self, operation: str, primitive: str) -> Iterator[Record]:
        """Yield what reports show of a primitive: tries, measurements and sizes of objects."""
        yield from self.attempts(operation, primitive)
        where, values = _where({"operation": operation, "primitive": primitive})
        for run in self._database.rows(f"{RUNS} {where} ORDER BY published_run.id", *values):
            yield from (each for each, _ in self._measured(run))
        yield from self._recorded("ObjectSize", operation, primitive)

    def records(self) -> Iterator[Record]:
        """Yield all records in the order of their lines, file after file."""
        for run in self._database.rows(f"{RUNS} ORDER BY published_run.id"):
            found: list[tuple[Record, Any]] = list(self._measured(run))
            rows = self._database.rows(f"{RECORDED} WHERE run = ?", run["id"])
            found += ((record(row), row) for row in rows)
            placed = [(records.read(int, row["position"]), each) for each, row in found]
            yield from (each for _, each in sorted(placed, key=lambda item: item[0]))

    def knows(self, digest: str) -> PublishedFile | None:
        """Return the file with these lines that was imported, if there is one."""
        return next((file for file in self.files() if file.digest == digest), None)

    def put(self, file: PublishedFile, runs: Iterable[Run]) -> Put:
        """Add a file, all of it or nothing.

        Runs that came with another file are left out: SUPERCOP copies its files into one.
        """
        with self._database.transaction() as connection:
            values = (file.digest, file.name, file.read_at, file.lines, file.bad)
            cursor = connection.execute(
                "INSERT INTO published_file (digest, name, read_at, lines, bad)"
                " VALUES (?, ?, ?, ?, ?)",
                values,
            )
            number, records, known = int(cursor.lastrowid or 0), 0, 0
            for run in runs:
                if is_known(connection, run.digest, number):
                    known += 1
                else:
                    put_run(connection, run, number)
                    records += len(run.records)
            return Put(records, known)

    def count(self, file: PublishedFile) -> None:
        """Record how many lines of an imported file there were, and how many were bad."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE published_file SET lines = ?, bad = ? WHERE digest = ?",
                (file.lines, file.bad, file.digest),
            )

    def _measured(self, run: Any) -> Iterator[tuple[Measurement, Any]]:
        """Yield the measurements of a run with their rows."""
        source, subject = about(run)
        for row in self._database.rows(f"{MEASURED} WHERE run = ? ORDER BY position", run["id"]):
            yield measurement(row, source, subject), row

    def _recorded(
        self, kind: str, operation: str | None, primitive: str | None
    ) -> Iterator[Record]:
        """Yield the records of a kind."""
        where, values = _where({"kind": kind, "operation": operation, "primitive": primitive})
        query = f"{RECORDED} {where} ORDER BY run, position"
        yield from map(record, self._database.rows(query, *values))


def _where(given: dict[str, str | None]) -> tuple[str, list[str]]:
    """Write the condition for the columns that have a value."""
    wanted = {name: value for name, value in given.items() if value is not None}
    condition = " AND ".join(f"{name} = ?" for name in wanted)
    return (f"WHERE {condition}" if condition else ""), list(wanted.values())


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
