# SPDX-License-Identifier: MIT
"""The SQLite file: opening, transactions, and the settings that make `kill -9` harmless."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from assay.errors import AssayError, MachineError, UsageError
from assay.store import schema
from assay.store.limits import CheckedRow, QueryTime, explained, fetched, limit
from assay.writing import make_folder

FILE_NAME = "results.sqlite"

# Long enough for another process's launch to be written, short enough to be told.
LOCK_SECONDS = 10.0


class Database:
    """A connection to one results file. Use `open` or `create`, and as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection, watch: QueryTime) -> None:
        """Take over `connection`, which is open on `path` and has current tables."""
        self.path = path
        self._connection = connection
        self._watch = watch
        self._inode = path.stat().st_ino

    @classmethod
    def create(
        cls, folder: Path, lock_seconds: float = LOCK_SECONDS, *, lasting: bool = True
    ) -> Self:
        """Open the results of `folder` for writing; make folder and file if needed.

        Those that are not `lasting` go with the command, and need not survive a power cut.
        """
        with explained(folder / FILE_NAME):
            make_folder(folder)
            _require_files(folder / FILE_NAME)
            return cls._connect(folder / FILE_NAME, lock_seconds, lasting=lasting)

    @classmethod
    def open(
        cls, folder: Path, *, read_only: bool = False, lock_seconds: float = LOCK_SECONDS
    ) -> Self:
        """Open the results that `folder` already has; UsageError where there are none."""
        path = folder / FILE_NAME
        if not path.is_file():
            cure = "Start `assay run` there first, or name the folder where it ran."
            if folder.is_file():
                cure = f"Take an archive in with `assay import {folder} --results FOLDER`."
            raise UsageError(f"no results in {folder}", cure)
        _require_files(path)
        with explained(path):
            return cls._read(path) if read_only else cls._connect(path, lock_seconds)

    def close(self) -> None:
        """Fold the write-ahead log into the file and let go of it."""
        with explained(self.path):
            self._connection.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Close."""
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do all of the block or nothing of it."""
        self._still_there()
        self._watch.stop()
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk makes SQLite roll back on its own.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _still_there(self) -> None:
        """Raise MachineError if the file was removed: SQLite would write to nothing."""
        try:
            there = self.path.stat().st_ino == self._inode
        except OSError:
            there = False
        if not there:
            raise MachineError(
                f"{self.path} was removed or replaced while it was written",
                "Put it back, or start again in a new folder.",
            )

    def rows(self, query: str, *values: Any, named: bool = True) -> list[Any]:
        """Fetch all rows of a query, whose columns are `named` or plain, which takes less time."""
        self._watch.start()
        with explained(self.path), closing(self._connection.execute(query, values)) as cursor:
            if not named:
                cursor.row_factory = None
            return fetched(cursor)

    def row(self, query: str, *values: Any) -> Any:
        """Fetch the first row of a query, or None."""
        self._watch.start()
        with explained(self.path), closing(self._connection.execute(query, values)) as cursor:
            return cursor.fetchone()

    def copy_to(self, path: Path) -> None:
        """Write a copy of everything into a new file, as it is at one moment."""
        with explained(self.path), closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")

    @classmethod
    def _connect(cls, path: Path, lock_seconds: float, *, lasting: bool = True) -> Self:
        """Open for writing."""
        connection = sqlite3.connect(path, timeout=lock_seconds, isolation_level=None)
        try:
            watch = _watched(connection)
            schema.version(connection, path)  # before anything that a stranger's file defines runs
            # Readers do not block the campaign, and what is committed survives a power cut.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'OFF'}")
            connection.execute("PRAGMA foreign_keys = ON")
            _check(path, connection)
            store = cls(path, connection, watch)
            with store.transaction():
                schema.prepare(connection)
        except BaseException:
            connection.close()
            raise
        return store

    @classmethod
    def _read(cls, path: Path) -> Self:
        """Open for reading, from a read-only folder too."""
        log = path.with_name(path.name + "-wal")
        # Without a log nobody is writing, and no shared-memory file need be made.
        mode = "mode=ro" if log.is_file() and log.stat().st_size else "mode=ro&immutable=1"
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None
        )
        try:
            watch = _watched(connection)
            if schema.version(connection, path) is None:
                raise AssayError(f"{path} is empty", "Call `assay run` in the folder.")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, watch)


def copy_store(folder: Path, into: Path) -> None:
    """Write a folder's results into a new file, as they are at one moment.

    Beside a log the copy is one transaction. Without one the file is read as if nobody wrote:
    it is copied again where somebody did begin.
    """
    path, log = folder / FILE_NAME, folder / f"{FILE_NAME}-wal"
    while True:
        into.unlink(missing_ok=True)
        with Database.open(folder, read_only=True) as database:
            before, logged = _state(path), log.is_file() and log.stat().st_size > 0
            database.copy_to(into)
        if logged or _state(path) == before:
            return


def _state(path: Path) -> tuple[int, int]:
    """Return what changes with a file's contents."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _require_files(path: Path) -> None:
    """Raise UsageError if the file, or one that SQLite makes beside it, is a link or no file."""
    for end in ("", "-wal", "-shm", "-journal"):
        one = path.with_name(path.name + end)
        if one.is_symlink() or (one.exists() and not one.is_file()):
            raise UsageError(
                f"{one} is a link, or no file", "Put the file itself there, or remove it."
            )


def _watched(connection: sqlite3.Connection) -> QueryTime:
    """Bound what a connection may cost, from its first query on."""
    connection.row_factory = CheckedRow
    watch = limit(connection)
    watch.start()
    return watch


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Raise MachineError for a damaged file before anything is written to it."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise MachineError(
            f"{path}: the file is damaged ({found.splitlines()[-1][:80]})",
            "Move it away and run again, or restore a copy; nothing was changed.",
        )
