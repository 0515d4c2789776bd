# SPDX-License-Identifier: MIT
"""How a file of the version before becomes a current one."""

import json
import sqlite3
import zlib
from array import array
from sys import byteorder
from typing import Any

from assay.store.numbers import pack

OLDER = 3
LEAGUE, SUBROUTINE = "league ", "subroutine "


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the records of version 3 up to date, inside the caller's transaction.

    Ticks were 64-bit words under zlib; a build had its league and its subroutines as notes.
    """
    connection.create_function("repacked", 1, _repacked, deterministic=True)
    connection.create_function("with_league", 1, _with_league, deterministic=True)
    connection.execute("UPDATE sample SET ticks = repacked(ticks)")
    connection.execute(
        "UPDATE build SET record = with_league(record) WHERE record LIKE '%\"league %'"
    )


def _repacked(blob: bytes) -> bytes:
    words = array("Q", zlib.decompress(blob))
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
