# SPDX-License-Identifier: MIT
"""How a file of the version before becomes a current one."""

import json
import sqlite3
import zlib
from array import array
from sys import byteorder
from typing import Any

from assay.errors import AssayError
from assay.store.numbers import pack

OLDER = 3
MOST_BYTES = 1 << 20  # of the ticks of one sample: 131,072 calls
LEAGUE, SUBROUTINE = "league ", "subroutine "


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the records of version 3 up to date, inside the caller's transaction.

    Ticks were 64-bit words under zlib; a build had its league and its subroutines as notes.
    """
    connection.create_function("repacked", 1, _repacked, deterministic=True)
    connection.create_function("with_league", 1, _with_league, deterministic=True)
    try:
        connection.execute("UPDATE sample SET ticks = repacked(ticks)")
        connection.execute(
            "UPDATE build SET record = with_league(record) WHERE record LIKE '%\"league %'"
        )
    except sqlite3.OperationalError as error:
        if "user-defined function" not in str(error):
            raise
        raise AssayError(
            "a stored sample or build is damaged",
            "Restore a copy of results.sqlite, or move it away and run again.",
        ) from error


def _repacked(blob: bytes) -> bytes:
    unpacked = zlib.decompressobj()
    words = array("Q", unpacked.decompress(blob, MOST_BYTES))
    if not unpacked.eof:
        raise ValueError("a sample is damaged, or larger than any")
    if byteorder == "big":
        words.byteswap()
    return pack(words)


def _with_league(record: str) -> str:
    build: dict[str, Any] = json.loads(record)
    notes = [str(note) for note in build.get("notes", ())]
    leagues = [note.removeprefix(LEAGUE) for note in notes if note.startswith(LEAGUE)]
    linked = [note.removeprefix(SUBROUTINE) for note in notes if note.startswith(SUBROUTINE)]
    build["league"] = leagues[0] if leagues else ""
    build["subroutines"] = [_subroutine(text) for text in linked]
    build["notes"] = [note for note in notes if not note.startswith((LEAGUE, SUBROUTINE))]
    return json.dumps(build, sort_keys=True)


def _subroutine(text: str) -> dict[str, str]:
    """Read `crypto_hash/low/ref (timingleaks)`; which contents it had was not recorded."""
    selector, _, league = text.partition(" (")
    return {"selector": selector, "league": league.rstrip(")"), "content_hash": ""}
