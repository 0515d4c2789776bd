# SPDX-License-Identifier: MIT
"""What is above primitives: what is known of each there, the first page, machines, the feed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from assay.model import PackageKind
from assay.report.printable import natural, printable
from assay.site.cells import SiteMachine
from assay.site.charts import charts, told
from assay.site.names import Key, family_name, operation_at, primitive_at, version_at
from assay.site.page import Known, page
from assay.site.views import PrimitiveEntries, Row, SiteEntry
from assay.site.writer import Page
from assay.summary.ranks import Entrant, best_of, ranking

FIRST_PAGE = 12  # primitives of an operation on the first page
IN_FEED = 50
Summary = Mapping[str, Any]


class SiteOverview(Struct, frozen=True):
    """What all of these pages are made of; `machines` by identity, newest facts.

    `signers` are those of the results of machines, by identity.
    """

    summaries: Sequence[Summary]
    machines: Mapping[str, SiteMachine]
    known: Known
    warnings: tuple[str, ...] = ()
    signers: Mapping[str, Iterable[str]] = field(default_factory=dict)

    @property
    def families(self) -> tuple[str, ...]:
        """Return the operations and kinds, those of kinds first."""
        found = {one["family"] for one in self.summaries}
        return tuple(sorted(found, key=lambda one: (one not in tuple(PackageKind), one)))

    def rows(self, family: str, machine: str) -> list[Row]:
        """Return the leaders of an operation on a machine, several of a primitive among them."""
        return [row for one in self.summaries if one["family"] == family
                for row in one["leaders"] if row["machine"] == machine]  # fmt: skip

    def leading(self, family: str = "") -> str:
        """Return the machine with results of most primitives, the newest of several."""
        counts: dict[str, tuple[int, str]] = {}
        for one in (each for each in self.summaries if family in ("", each["family"])):
            for machine, (_, _, day) in one["cells"].items():
                number, newest = counts.get(machine, (0, ""))
                counts[machine] = (number + 1, max(newest, day))
        native = [one for one in counts if self.machines[one].cpu[:7] != "target "] or list(counts)
        return max(native, key=lambda one: (*counts[one], one), default="")


def front_page(over: SiteOverview) -> Page:
    """Make the first page: one picture for each operation on the machine with most results."""
    machine = over.leading()
    sections = list(_first_sections(over, machine))
    return page(
        "index.html",
        "front.html.j2",
        machine=machine and over.known.labels[machine],
        machine_at=machine and over.known.addresses[machine],
        machines=machines_of(over),
        sections=sections,
        families=[family_of(over, one) for one in over.families],
        levels=levels_of(row for one in sections for row in one["rows"]),
        warnings=over.warnings,
        primitives=len(over.summaries),
    )


def levels_of(rows: Iterable[Row]) -> list[int]:
    """Return the levels of security that a page can filter by."""
    return sorted({row["level"] for row in rows if row["level"]})


def family_of(over: SiteOverview, family: str) -> dict[str, Any]:
    """Return what links to an operation say."""
    found = [one for one in over.summaries if one["family"] == family]
    return {
        "family": family, "name": printable(family_name(family)), "at": operation_at(family),
        "primitives": len(found), "implementations": sum(one["implementations"] for one in found),
    }  # fmt: skip


def _first_sections(over: SiteOverview, machine: str) -> Iterator[dict[str, Any]]:
    """Yield a picture for each operation: on a machine, or on that with most results of it."""
    for family in over.families:
        on = machine if over.rows(family, machine) else over.leading(family)
        there = {"on": over.known.labels[on], "on_at": over.known.addresses[on]} if on else {}
        for one in _sections(over, on, FIRST_PAGE, (family,)):
            yield {**one, **(there if on != machine else {})}


def _sections(
    over: SiteOverview, machine: str, most: int | None, families: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield a picture for each operation that was measured on a machine."""
    for family in families or over.families:
        rows, notes = ranked_rows(over.rows(family, machine), ("primitive",))
        found = charts(rows, most)
        if found:
            yield {**family_of(over, family), "charts": found, "notes": told(notes),
                   "rows": rows[:most], "all": len(rows)}  # fmt: skip


def machine_page(over: SiteOverview, identity: str) -> Iterator[Page]:
    """Yield the page of a machine."""
    yield page(
        f"{over.known.addresses[identity]}/index.html",
        "machine.html.j2",
        label=over.known.labels[identity],
        machine=over.machines[identity],
        signers=tuple(over.signers.get(identity, ())),
        sections=list(_sections(over, identity, None)),
        levels=levels_of(row for one in over.families for row in over.rows(one, identity)),
    )


def machines_of(over: SiteOverview) -> list[dict[str, Any]]:
    """Return a row for each machine, and how much older than the newest its results are."""
    newest = max(
        (day for one in over.summaries for _, _, day in one["cells"].values()), default=""
    )
    found = []
    for identity, machine in over.machines.items():
        cells = [one["cells"][identity] for one in over.summaries if identity in one["cells"]]
        found.append({
            "identity": identity, "label": over.known.labels[identity],
            "at": over.known.addresses[identity], "machine": machine,
            "primitives": len(cells), "cells": sum(one[0] for one in cells),
            "failed": sum(one[1] for one in cells),
            "newest": max((one[2] for one in cells), default=""), "site": newest,
        })  # fmt: skip
    return sorted(found, key=lambda one: (natural(one["label"]), one["identity"]))


def feed(over: SiteOverview) -> Page:
    """Make an Atom feed of the newest results, RFC 4287."""
    found = [version for one in over.summaries for version in one["versions"]]
    found.sort(key=lambda one: (one[2], one[0]), reverse=True)
    return page("feed.xml", "feed.xml.j2", versions=found[:IN_FEED], moment=_moment)


def _moment(text: str) -> str:
    """Write a moment as RFC 3339 has it."""
    if not text[:10].replace("-", "").isdigit():
        return "1970-01-01T00:00:00Z"
    return text if "T" in text and ("+" in text or "Z" in text) else f"{text[:10]}T00:00:00Z"


def summary_of(key: Key, entries: PrimitiveEntries) -> dict[str, Any]:
    """Summarise a primitive: rows of its leaders on each machine, all and in constant time."""
    leaders: list[Row] = []
    for contest in entries.contests:
        rows = contest.shown
        chosen = rows[:1] + [row for row in rows[1:] if row["ct"]][:1]
        if chosen and chosen[0]["ct"]:
            chosen = chosen[:1]
        leaders += [{**row, "of": len(rows)} for row in chosen]
    return {
        "family": key[0],
        "name": printable(key[1]),
        "at": primitive_at(key),
        "leaders": leaders,
        "versions": _versions(entries.in_time),
        "cells": _cells(entries),
        "implementations": len({one.cell.selector for one in entries}),
    }


def _versions(entries: Iterable[SiteEntry]) -> list[list[str]]:
    """List versions with their names and newest days, for the feed; entries are in time."""
    found: dict[str, list[str]] = {}
    for one in entries:
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


def ranked_rows(
    rows: Iterable[Row], slot: Sequence[str] = ("primitive", "selector")
) -> tuple[list[Row], tuple[str, ...]]:
    """Rank the leaders of several primitives on one machine; notes say what is missing.

    The best row stands for what it has in the fields of `slot`. Rows in another unit than the
    first one stand behind the others, without a place.
    """
    ordered = best_of(
        rows,
        lambda row: tuple(row[name] for name in slot),
        lambda row: (
            (row["unit"].startswith("ticks"), row["unit"]),
            (row["value"], row["primitive"]),
        ),
    )
    found = ranking([
        Entrant(row["selector"], row["value"], tuple(row["values"]), exact=row["exact"])
        if row["unit"] == ordered[0]["unit"] else None for row in ordered
    ])  # fmt: skip
    placed = zip(ordered, found.places, strict=True)
    return [{**row, "place": str(place) if place else ""} for row, place in placed], found.notes
