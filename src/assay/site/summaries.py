# SPDX-License-Identifier: MIT
"""What the pages above primitives know of each: its leaders, machine by machine, and versions."""

from collections.abc import Sequence
from typing import Any

from assay.report.printable import printable
from assay.site.names import Key, primitive_at, version_at
from assay.site.rows import Row, contest_rows
from assay.site.views import SiteEntry, contests
from assay.summary.ranks import Entrant, ranking


def summary_of(key: Key, entries: Sequence[SiteEntry]) -> dict[str, Any]:
    """Summarise a primitive: rows of its leaders on each machine, all and in constant time."""
    leaders: list[Row] = []
    for contest in contests(entries):
        rows = contest_rows(contest)
        chosen = rows[:1] + [row for row in rows[1:] if row["ct"]][:1]
        if chosen and chosen[0]["ct"]:
            chosen = chosen[:1]
        leaders += [{**row, "of": len(rows)} for row in chosen]
    return {
        "family": key[0],
        "name": printable(key[1]),
        "at": primitive_at(key),
        "leaders": leaders,
        "versions": _versions(entries),
        "cells": _cells(entries),
        "implementations": len({one.cell.selector for one in entries}),
    }


def _versions(entries: Sequence[SiteEntry]) -> list[list[str]]:
    """List versions with their names and newest days, for the feed."""
    found: dict[str, list[str]] = {}
    for one in sorted(entries, key=lambda entry: entry.moment):
        if one.cell.version and one.cell.ended:
            found[one.cell.version] = [
                version_at(one.cell.version), printable(one.cell.selector), one.cell.ended,
                one.cell.verdict,
            ]  # fmt: skip
    return list(found.values())


def _cells(entries: Sequence[SiteEntry]) -> dict[str, list[Any]]:
    """Count cells, failures and the newest day, machine by machine."""
    found: dict[str, list[Any]] = {}
    for one in entries:
        row = found.setdefault(one.machine, [0, 0, ""])
        row[0] += 1
        row[1] += one.cell.verdict == "fail"
        row[2] = max(row[2], one.cell.ended[:10])
    return found


def ranked_rows(rows: Sequence[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """Rank the leaders of several primitives on one machine; notes say what is missing.

    Rows in another unit than the first one stand behind the others, without a place.
    """
    ordered = sorted(rows, key=lambda row: (row["unit"].startswith("ticks"), row["unit"],
                                            row["value"], row["primitive"]))  # fmt: skip
    if not ordered:
        return [], ()
    alike = [row for row in ordered if row["unit"] == ordered[0]["unit"]]
    entrants = [Entrant(row["selector"], row["value"], tuple(row["values"])) for row in alike]
    found = ranking(entrants, exact=bool(ordered[0]["exact"]))
    placed = [{**row, "place": str(place) if place else ""}
              for row, place in zip(alike, found.places, strict=True)]  # fmt: skip
    rest = [{**row, "place": ""} for row in ordered if row["unit"] != ordered[0]["unit"]]
    return placed + rest, found.notes
