# SPDX-License-Identifier: MIT
"""The tables and their version."""

import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from assay.errors import AssayError

VERSION = 4

# Records that are only read whole are JSON; what queries select by has a column.
TABLES = """
CREATE TABLE machine (id INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE);
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY, arguments TEXT NOT NULL, started_at TEXT NOT NULL, finished_at TEXT);
CREATE TABLE package (
    id INTEGER PRIMARY KEY, place TEXT NOT NULL, selector TEXT NOT NULL,
    content_hash TEXT NOT NULL, record TEXT NOT NULL, seen INTEGER NOT NULL,
    UNIQUE (place, content_hash));
CREATE INDEX package_selector ON package (selector, seen);
CREATE TABLE broken (place TEXT PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE configuration (
    contents TEXT PRIMARY KEY, name TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL, content_hash TEXT NOT NULL, contents TEXT NOT NULL, harness TEXT NOT NULL,
    selector TEXT NOT NULL, variant INTEGER NOT NULL, configuration TEXT NOT NULL,
    target TEXT NOT NULL, object_hash TEXT, record TEXT NOT NULL, written INTEGER NOT NULL,
    UNIQUE (place, content_hash, contents, harness, variant, configuration, target));
CREATE INDEX build_cell ON build (selector, variant, configuration, target, written);
CREATE INDEX build_object ON build (object_hash, place, variant, target);
CREATE TABLE subject (
    build INTEGER PRIMARY KEY REFERENCES build (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE checked (
    build INTEGER PRIMARY KEY REFERENCES build (id) ON DELETE CASCADE,
    results TEXT NOT NULL);
CREATE TABLE launch (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL, selector TEXT NOT NULL, variant INTEGER NOT NULL,
    configuration TEXT NOT NULL, target TEXT NOT NULL, object_hash TEXT NOT NULL,
    harness TEXT NOT NULL, disturbed TEXT NOT NULL, record TEXT NOT NULL);
CREATE INDEX launch_object ON launch (object_hash, place, variant, target, harness);
CREATE TABLE sample (
    launch INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL, record TEXT NOT NULL, ticks BLOB NOT NULL,
    PRIMARY KEY (launch, position)) WITHOUT ROWID;
"""

# What was imported, file by file and run by run; positions keep the order of its lines.
PUBLISHED_TABLES = """
CREATE TABLE published_file (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    read_at TEXT NOT NULL, lines INTEGER NOT NULL, bad INTEGER NOT NULL);
CREATE TABLE published_source (
    id INTEGER PRIMARY KEY, machine TEXT NOT NULL, abi TEXT NOT NULL, date TEXT NOT NULL,
    version TEXT NOT NULL, UNIQUE (machine, abi, date, version));
CREATE TABLE published_subject (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, primitive TEXT NOT NULL,
    league TEXT NOT NULL, implementation TEXT NOT NULL, compiler TEXT NOT NULL,
    UNIQUE (operation, primitive, league, implementation, compiler));
CREATE TABLE published_run (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES published_file (id) ON DELETE CASCADE,
    source INTEGER NOT NULL REFERENCES published_source (id),
    subject INTEGER NOT NULL REFERENCES published_subject (id), digest TEXT NOT NULL);
CREATE INDEX published_run_digest ON published_run (digest);
CREATE INDEX published_run_subject ON published_run (subject);
CREATE INDEX published_run_file ON published_run (file);
CREATE TABLE published_measurement (
    run INTEGER NOT NULL REFERENCES published_run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL, key TEXT NOT NULL, size INTEGER, q1 REAL NOT NULL,
    median REAL NOT NULL, q3 REAL NOT NULL, unit TEXT NOT NULL, launches INTEGER,
    timings BLOB NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;
CREATE INDEX published_measurement_size ON published_measurement (key, size);
CREATE TABLE published_record (
    run INTEGER NOT NULL REFERENCES published_run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL, kind TEXT NOT NULL, record TEXT NOT NULL,
    timings BLOB NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;
CREATE INDEX published_record_kind ON published_record (kind);
"""

META_TABLE = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
MOST_DEFINITIONS = 200

# What is known of a machine code besides its launches, one note of a kind each.
NOTE_TABLES = """
CREATE TABLE note (
    object_hash TEXT NOT NULL, place TEXT NOT NULL, variant INTEGER NOT NULL,
    target TEXT NOT NULL, harness TEXT NOT NULL, kind TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (object_hash, place, variant, target, harness, kind)) WITHOUT ROWID;
"""


def _create_all(connection: sqlite3.Connection) -> None:
    """Create the tables, inside the caller's transaction."""
    for statement in (TABLES + PUBLISHED_TABLES + NOTE_TABLES + META_TABLE).split(";"):
        connection.execute(statement)


def _schema(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Read what a file defines, word for word; of a hostile one no more than is needed."""
    query = f"SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT {MOST_DEFINITIONS}"  # noqa: S608 - a constant
    return {tuple(row) for row in connection.execute(query)}


@cache
def _ours() -> set[tuple[str, ...]]:
    """Return what Assay defines: tables and indices, no view and no trigger."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        _create_all(made)
        return _schema(made)


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file, inside the caller's transaction.

    A file of another version raises AssayError.
    """
    if version(connection) is None:
        _create_all(connection)
        connection.execute("REPLACE INTO meta VALUES ('version', ?)", (str(VERSION),))


def version(connection: sqlite3.Connection, path: Path = Path("results.sqlite")) -> int | None:
    """Read the version of the file's tables; None for an empty file."""
    defined = _schema(connection)
    if not defined:
        return None
    meta = {one for one in _ours() if one[2] == "meta"}
    if not meta <= defined or any(one[0] in {"view", "trigger"} for one in defined):
        raise _foreign()
    row = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    if row is None or not re.fullmatch("[0-9]{1,9}", str(row[0]), re.ASCII):
        raise AssayError(
            f"{path} does not say the version of its tables",
            "The file is damaged: restore a copy, or move it away and run again.",
        )
    found = int(row[0])
    if found > VERSION:
        raise AssayError(
            f"{path} has version {found}, this Assay knows up to {VERSION}",
            "Use the newer Assay that wrote it, or another results folder.",
        )
    if found < VERSION:
        raise AssayError(
            f"{path} has version {found}, this Assay reads {VERSION}",
            "Move the file away and call `assay run` again: no released Assay wrote it.",
        )
    if defined != _ours():
        raise _foreign()
    return found


def _foreign() -> AssayError:
    return AssayError(
        "results.sqlite holds tables that are not Assay's, or views or triggers",
        "Name another results folder. Of a file that somebody sent: ask for a new one.",
    )
