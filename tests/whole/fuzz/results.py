# SPDX-License-Identifier: MIT
"""Damaged results: a file with a record of every kind, changed in its bytes or its values.

An input's first byte says which. Bytes: four each, three of a place and one that stands
there instead. Values: lines of a column, a row, a type, and what stands there instead.
"""

import sqlite3
import struct
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from tests.unit.store.examples import (
    BUILD,
    CELL,
    CHECKS,
    FILE,
    LAUNCH,
    MACHINE,
    O3,
    PACKAGE,
    RECORDS,
    SUBJECT,
)

from assay.model import BrokenPackage, Campaign
from assay.model.notes import Dropped, Unreached
from assay.model.supercop import Run
from assay.store import FILE_NAME, Store
from assay.store.published import ImportedRecords
from assay.store.rows import Notes

BYTES, VALUES = b"b", b"v"
INTEGER, REAL, BLOB, NOTHING, DELETED = b"irbn-"  # other types than text
BROKEN = BrokenPackage("a/b", "submissions/a/b", Path("/a"), "reason", "cure")


def damage(path: Path, whole: bytes, data: bytes) -> None:
    """Write a good results file, damaged as the input says, in place of what is there."""
    for left in path.parent.iterdir():
        left.unlink()
    if data[:1] == VALUES:
        path.write_bytes(whole)
        _other_values(path, data[1:])
    else:
        path.write_bytes(_other_bytes(whole, data[1:]))


def read_everything(folder: Path) -> None:
    """Read a results folder as reports and campaigns do."""
    with Store.open(folder, read_only=True) as store:
        store.machine(), store.packages(), store.broken_packages()
        store.configurations(), store.campaigns(), store.launch_heads()
        store.build_for(PACKAGE, O3, "harness-1", 1, "native")
        store.checked_codes(PACKAGE, 1, "native")
        for cell in store.cells():
            where = cell.build.cell
            store.launches(where), store.efforts(where), store.twin(where)
            store.subject(where), store.checks(where), store.key(where)
        Notes(store).all(Dropped), Notes(store).all(Unreached)
        published = ImportedRecords(store)
        published.files(), published.sources(), list(published.records())


def seeds() -> list[bytes]:
    """Give inputs to begin with: no damage, single bytes, and a value of every column."""
    single = [b"b\0\0\0S", b"b\x64\0\0\x0d", b"b\x12\0\0\x02"]
    every = range(11, 111)  # not 10, which ends a line; columns are counted round
    return [BYTES, *single, *(b"v%c\0[]" % column for column in every)]


@cache
def good(folder: Path) -> bytes:
    """Give the bytes of a results file that has a record of every kind."""
    with Store.create(folder) as store:
        store.put_machine(MACHINE)
        store.put_package(PACKAGE)
        store.put_broken_package(BROKEN)
        store.put_build(BUILD, PACKAGE, O3, "harness-1")
        store.put_subject(CELL, SUBJECT)
        store.put_checks(CELL, CHECKS)
        store.put_launch(LAUNCH)
        store.finish_campaign(store.start_campaign(Campaign(("run",), "t0")), "t1")
        key = store.key(CELL)
        assert key is not None
        Notes(store).put(key, Dropped(1, 2.0, "gcc_native_O2", "0b", 1))
        Notes(store).put(key, Unreached(1.0, None, "agility", 50, "that is the bound"))
        ImportedRecords(store).put(FILE, [Run(RECORDS, "run-1")])
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        for pragma in ("journal_mode = DELETE", "page_size = 512"):  # small, so dense
            file.execute(f"PRAGMA {pragma}")
        file.execute("VACUUM")
    return (folder / FILE_NAME).read_bytes()


def _other_bytes(whole: bytes, data: bytes) -> bytes:
    """Change single bytes."""
    changed = bytearray(whole)
    for at in range(0, len(data) - 3, 4):
        changed[int.from_bytes(data[at : at + 3], "little") % len(changed)] = data[at + 3]
    return bytes(changed)


def _other_values(path: Path, data: bytes) -> None:
    """Put other values into single columns, or delete rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        columns = _columns(file)
        for line in data.split(b"\n"):
            if len(line) > 2:
                _change(file, *columns[line[0] % len(columns)], line[1], line[2:])


def _change(file: sqlite3.Connection, table: str, column: str, row: int, given: bytes) -> None:
    """Change a column of a row as far as the table's rules allow."""
    # Names are the schema's own.
    which = f"WHERE {column} IN (SELECT {column} FROM {table} LIMIT 1 OFFSET {row % 4})"  # noqa: S608
    with suppress(sqlite3.IntegrityError):
        if given[0] == DELETED:
            file.execute(f"DELETE FROM {table} {which}")  # noqa: S608
        else:
            file.execute(f"UPDATE {table} SET {column} = ? {which}", (_value(given),))  # noqa: S608


def _value(given: bytes) -> object:
    """Read a value: a type's letter and the value, or a text."""
    kind, rest = given[0], given[1:]
    if kind == INTEGER:
        return int.from_bytes(rest[:8], "little", signed=True)
    if kind == REAL:
        return struct.unpack("<d", rest[:8].ljust(8, b"\0"))[0]
    return {BLOB: rest, NOTHING: None}.get(kind, given.decode("latin-1"))


def _columns(file: sqlite3.Connection) -> list[tuple[str, str]]:
    """Name all columns of all tables."""
    tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [
        (table, row[1])
        for (table,) in tables.fetchall()
        for row in file.execute(f"PRAGMA table_info({table})")
    ]
