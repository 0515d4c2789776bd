# SPDX-License-Identifier: MIT
"""Notes on machine codes: why one was not launched more often, what another one depends on."""

from typing import TypeVar

from assay.model.notes import CodeOrigin, Dropped, Slower, Unreached, Unused
from assay.model.portability import Portability
from assay.store import records
from assay.store.database import Database
from assay.store.rows import ObjectKey

Note = Dropped | CodeOrigin | Portability | Slower | Unreached | Unused
NoteT = TypeVar("NoteT", Dropped, CodeOrigin, Portability, Slower, Unreached, Unused)


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
