# SPDX-License-Identifier: MIT
"""What reading a file of results may cost, as it may be a stranger's, and errors of SQLite."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import MachineError, PackageError

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
# Prefixes of SQLite's extended error names, from its C interface's result codes.
CAUSES: dict[str | tuple[str, ...], tuple[str, str]] = {
    "SQLITE_FULL": ("the disk is full", "Free some space; the same command continues from there."),
    "SQLITE_READONLY": (
        "the results folder is read-only",
        "Make it writable, or work in another folder.",
    ),
    "SQLITE_CANTOPEN": (
        "the file cannot be opened",
        "Check that the folder exists and that you may read and write it.",
    ),
    "SQLITE_PERM": ("access is denied", "Change the permissions of the results folder."),
    ("SQLITE_BUSY", "SQLITE_LOCKED"): (
        "another process is writing to it",
        "Wait for the other `assay` to finish, or use another results folder.",
    ),
    "SQLITE_CORRUPT": (
        "the file is damaged",
        "Move it away and run again, or restore a copy; nothing was changed.",
    ),
    "SQLITE_NOTADB": (
        "it is no results file",
        "Move it away and run again, or name another folder; nothing was changed.",
    ),
    "SQLITE_TOOBIG": (
        "a text in it is longer than Assay writes",
        "Name another results folder. Of a file that somebody sent: ask for a new one.",
    ),
    "SQLITE_INTERRUPT": (
        "one question took more than half a minute of processor time",
        "Name another results folder. Of a file that somebody sent: ask for a new one.",
    ),
    "SQLITE_IOERR": (
        "reading or writing failed",
        "Check the disk (`dmesg`); what was stored before is kept.",
    ),
}


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


class CheckedRow(sqlite3.Row):
    """A row whose missing column is an error that says what to do: the table is another's."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        """Return a column by its name or number."""
        try:
            return super().__getitem__(key)
        except IndexError:
            raise MachineError(
                f"a table of results.sqlite lacks the column {key!r}",
                "The file is damaged: restore a copy, or move it away and run again.",
            ) from None


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an `sqlite3.Error` about the file at `path` into a MachineError with a cure.

    Names that are no text, as a hostile archive may have, give a PackageError.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise PackageError(
            f"the name {error.object!r} is not valid UTF-8", "Rename the package's folder."
        ) from error
    except UnicodeDecodeError as error:
        raise MachineError(f"{path}: the file is damaged", CAUSES["SQLITE_CORRUPT"][1]) from error
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        for prefix, (cause, cure) in CAUSES.items():
            if name.startswith(prefix):
                raise MachineError(f"{path}: {cause}", cure) from error
        raise MachineError(
            f"{path}: {error}", "Move the file away and run again; nothing was changed."
        ) from error
