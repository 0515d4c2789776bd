# SPDX-License-Identifier: MIT
"""SQLite's errors in words that say what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import MachineError, PackageError

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
