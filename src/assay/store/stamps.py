# SPDX-License-Identifier: MIT
"""What is stored of each place, in a few bytes: equal stamps mean equal results."""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from assay.store.database import Database

PAGE = 10_000  # rows that are read at once
FIRST = -(1 << 63)
# Samples are left out: the record of a launch has their digest.
SMALL = (
    "SELECT place, content_hash, record FROM package ORDER BY place, seen",
    "SELECT place, record FROM broken ORDER BY place",
    "SELECT place, object_hash, variant, target, harness, kind, record FROM note",
)
LARGE = (
    "SELECT place, id AS row, contents, harness, object_hash, written, record FROM build",
    "SELECT place, build AS row, kind, subject.record FROM subject JOIN build ON id = build",
    "SELECT place, build AS row, results FROM checked JOIN build ON id = build",
    "SELECT place, id AS row, object_hash, harness, disturbed, record FROM launch",
)


def stamps_of(database: Database) -> dict[str, str]:
    """Return the stamp of every place; the moments at which packages were seen do not count."""
    found: dict[str, Any] = {}
    for rows in _pages(database):
        groups: dict[str, list[Any]] = {}
        for place, *rest in rows:
            groups.setdefault(place, []).append(rest)
        for place, group in groups.items():
            if place not in found:
                found[place] = hashlib.sha256()
            found[place].update(msgspec.msgpack.encode(group))
    return {place: digest.hexdigest() for place, digest in found.items()}


def _pages(database: Database) -> Iterator[Any]:
    for query in SMALL:
        yield database.rows(query)
    for query in LARGE:
        last = FIRST
        while rows := database.rows(f"{query} WHERE row > ? ORDER BY row LIMIT {PAGE}", last):
            yield rows
            last = rows[-1]["row"]
