# SPDX-License-Identifier: MIT
"""What a results file may cost whoever reads it: it may be a stranger's."""

import sqlite3
import time
from typing import Any

from assay.errors import MachineError

MOST_BYTES = 8 << 20  # of one text or row
MOST_ROWS = 2_000_000  # of one query
MOST_READ_BYTES = 512 << 20  # by one query: a join repeats a long text in every row
MOST_SECONDS = 30.0  # of processor time for one query: a busy machine changes nothing
STEPS = 100_000  # of SQLite's machine, some milliseconds, after which the time is looked at
BATCH = 32  # rows, after which they are counted

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 5,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 10,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 100,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}

CURE = "Name another results folder. Of a file that somebody sent: ask for a new one."


class QueryTime:
    """Ends a query that takes too long. Queries begin by `start`; what writes is not watched."""

    def __init__(self) -> None:
        """QueryTime nothing yet."""
        self._ends: float | None = None
        self._watched = False

    def start(self) -> None:
        """Begin to count the processor time of this thread, once a query has taken its STEPS.

        Most queries take fewer, and asking for the time was a twentieth of reading a folder.
        """
        self._ends, self._watched = None, True

    def stop(self) -> None:
        """Let what follows take as long as it needs."""
        self._watched = False

    def __call__(self) -> bool:
        """Return whether SQLite is to give up, with SQLITE_INTERRUPT."""
        if self._watched and self._ends is None:
            self._ends = time.thread_time() + MOST_SECONDS
        return self._watched and self._ends is not None and time.thread_time() > self._ends


def limit(connection: sqlite3.Connection) -> QueryTime:
    """Bound what a connection allocates, and return what bounds its time. No schema is trusted."""
    for each, most in LIMITS.items():
        connection.setlimit(each, most)
    for setting in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {setting}")
    watch = QueryTime()
    connection.set_progress_handler(watch, STEPS)
    return watch


def fetched(cursor: sqlite3.Cursor) -> list[Any]:
    """Return all rows of a query; MachineError if they are too many, or too long together."""
    rows: list[Any] = []
    read = 0
    while batch := cursor.fetchmany(BATCH):
        rows += batch
        read += sum([len(each) for row in batch for each in row
                     if (kind := type(each)) is str or kind is bytes])  # fmt: skip
        if len(rows) > MOST_ROWS or read > MOST_READ_BYTES:
            raise MachineError(
                f"results.sqlite answers one question with more than {MOST_ROWS} rows, "
                f"or {MOST_READ_BYTES >> 20} MiB",
                CURE,
            )
    return rows
