# SPDX-License-Identifier: MIT
"""What the store hands out besides the records of `model`, and notes on machine codes.

A note says why a code was not launched more often, or what another one depends on.
"""

import hashlib
import json
from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from assay.model import Build, Cell, CheckResult, Configuration, Package, Subject
from assay.model.compared import fails
from assay.model.notes import CodeOrigin, Dropped, Portability, Slower, Unreached, Unused
from assay.store import records
from assay.store.database import Database

Note = Dropped | CodeOrigin | Portability | Slower | Unreached | Unused
NoteT = TypeVar("NoteT", Dropped, CodeOrigin, Portability, Slower, Unreached, Unused)


class ObjectKey(Struct, frozen=True):
    """What decides whether two cells are the same measured thing.

    The machine code, where the package stands, its variant and target, and the
    harness that drives it.
    """

    object_hash: str
    place: str
    variant: int
    target: str
    harness: str

    @property
    def columns(self) -> tuple[str, str, int, str, str]:
        """Return the values of the columns that have it."""
        return self.object_hash, self.place, self.variant, self.target, self.harness


class StoredChecks(Struct, frozen=True):
    """The verdicts on one build, as they lie in the file, what asked for them, and how long.

    `mark` tells whether this user's Assay stored them (`own.py`).
    """

    checks: tuple[CheckResult, ...]
    asked_by: str = ""
    seconds: float | None = None
    mark: str = ""


class StoredCell(Struct, frozen=True):
    """One cell as the store knows it; `checks` is empty if it was never checked.

    `marked` says whether this user's Assay stored the checks: it takes time, and most do not ask.
    """

    build: Build
    package: Package
    configuration: Configuration
    subject: Subject | None
    checks: tuple[CheckResult, ...]
    key: ObjectKey | None
    marked: Callable[[], bool]

    @property
    def own(self) -> bool:
        """Return whether this user's Assay stored the checks, or there are none."""
        return self.marked()

    @property
    def cell(self) -> Cell:
        """Name the cell."""
        return self.build.cell

    @property
    def failed(self) -> bool:
        """Return whether a reader must not trust its figures."""
        return not self.build.ok or fails(self.checks)


def contents(configuration: Configuration) -> str:
    """Digest what a configuration says (its names apart): a change makes builds invalid."""
    one = configuration
    says = [one.family, one.command, one.arch, one.opt]
    return hashlib.sha256(json.dumps(says).encode()).hexdigest()


class Notes:
    """The notes in a store."""

    def __init__(self, database: Database) -> None:
        """Look at the table of an open store."""
        self._database = database

    def put(self, key: ObjectKey, note: Note) -> None:
        """Write a note on a machine code, in place of an earlier one of its kind."""
        values = (*key.columns, type(note).__name__, records.dump(note))
        with self._database.transaction() as connection:
            connection.execute("REPLACE INTO note VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def forget(self, key: ObjectKey, kind: type[NoteT]) -> None:
        """Take a note away: it holds no longer."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM note WHERE object_hash = ? AND place = ? AND variant = ?"
                " AND target = ? AND harness = ? AND kind = ?",
                (*key.columns, kind.__name__),
            )

    def get(self, key: ObjectKey, kind: type[NoteT]) -> NoteT | None:
        """Return the note of a kind on a machine code, or None."""
        return self.all(kind).get(key)

    def all(self, kind: type[NoteT]) -> dict[ObjectKey, NoteT]:
        """Return all notes of a kind."""
        rows = self._database.rows("SELECT * FROM note WHERE kind = ?", kind.__name__)
        return {
            records.read(ObjectKey, dict(row)): records.load(kind, row["record"]) for row in rows
        }
