# SPDX-License-Identifier: MIT
"""The pages above primitives: the first one, operations, machines, and the feed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from assay.report.printable import printable
from assay.site.cells import SiteMachine
from assay.site.names import family_name, operation_at
from assay.site.page import Known, Page, page
from assay.site.rows import Row, charts, told
from assay.site.summaries import ranked_rows

FIRST_PAGE = 12  # primitives of an operation on the first page
IN_FEED = 50
Summary = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SiteOverview:
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
        return tuple(sorted(found, key=lambda one: (one.startswith("crypto_"), one)))

    def rows(self, family: str, machine: str) -> list[Row]:
        """Return the leaders of an operation on a machine, several of a primitive among them."""
        return [row for one in self.summaries if one["family"] == family
                for row in one["leaders"] if row["machine"] == machine]  # fmt: skip

    def leading(self) -> str:
        """Return the machine with results of most primitives, the newest of several."""
        counts: dict[str, tuple[int, str]] = {}
        for one in self.summaries:
            for machine, (_, _, day) in one["cells"].items():
                number, newest = counts.get(machine, (0, ""))
                counts[machine] = (number + 1, max(newest, day))
        native = [one for one in counts if self.machines[one].cpu[:7] != "target "] or list(counts)
        return max(native, key=lambda one: (*counts[one], one), default="")


def front_page(over: SiteOverview) -> Page:
    """Make the first page: one picture for each operation on the machine with most results."""
    machine = over.leading()
    return page(
        "index.html",
        "front.html.j2",
        machine=machine and over.known.labels[machine],
        machine_at=machine and over.known.addresses[machine],
        machines=_machines(over),
        sections=list(_sections(over, machine, FIRST_PAGE)),
        families=[family_of(over, one) for one in over.families],
        levels=_levels(over, machine),
        warnings=over.warnings,
        primitives=len(over.summaries),
    )


def _levels(over: SiteOverview, machine: str) -> list[int]:
    rows = (row for one in over.families for row in over.rows(one, machine))
    return sorted({row["level"] for row in rows if row["level"]})


def family_of(over: SiteOverview, family: str) -> dict[str, Any]:
    """Return what links to an operation say."""
    found = [one for one in over.summaries if one["family"] == family]
    return {
        "family": family, "name": printable(family_name(family)), "at": operation_at(family),
        "primitives": len(found), "implementations": sum(one["implementations"] for one in found),
    }  # fmt: skip


def _sections(over: SiteOverview, machine: str, most: int | None) -> Iterator[dict[str, Any]]:
    """Yield a picture for each operation that was measured on a machine."""
    for family in over.families:
        rows, notes = ranked_rows(best_of(over.rows(family, machine)))
        found = charts(rows, most)
        if found:
            yield {**family_of(over, family), "charts": found, "notes": told(notes),
                   "rows": rows[:most], "all": len(rows)}  # fmt: skip


def best_of(rows: Iterable[Row]) -> list[Row]:
    """Keep the best row of each primitive."""
    found: dict[str, Row] = {}
    for row in rows:
        kept = found.get(row["primitive"])
        if kept is None or row["value"] < kept["value"]:
            found[row["primitive"]] = row
    return list(found.values())


def machine_pages(over: SiteOverview) -> Iterator[Page]:
    """Yield the list of machines and a page for each."""
    yield page("machines/index.html", "machines.html.j2", machines=_machines(over))
    for identity, machine in sorted(over.machines.items()):
        yield page(
            f"{over.known.addresses[identity]}/index.html",
            "machine.html.j2",
            label=over.known.labels[identity],
            machine=machine,
            signers=tuple(over.signers.get(identity, ())),
            sections=list(_sections(over, identity, None)),
            levels=_levels(over, identity),
        )


def _machines(over: SiteOverview) -> list[dict[str, Any]]:
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
    return sorted(found, key=lambda one: (one["label"], one["identity"]))


def about_page() -> Page:
    """Make the page that says how to read the others."""
    return page("about.html", "about.html.j2")


def feed(over: SiteOverview) -> Page:
    """Make an Atom feed of the newest results, RFC 4287."""
    found = [version for one in over.summaries for version in one["versions"]]
    found.sort(key=lambda one: (one[2], one[0]), reverse=True)
    updated = _moment(found[0][2]) if found else "1970-01-01T00:00:00Z"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        "<title>Results of Assay</title>",
        "<id>urn:assay:site</id>",
        '<link rel="alternate" href="index.html"/>',
        f"<updated>{updated}</updated>",
        "<author><name>Assay</name></author>",
    ]
    for at, name, moment, verdict in found[:IN_FEED]:
        lines.append(
            f"<entry><title>{escape(name)}: {escape(verdict)}</title>"
            f"<id>urn:assay:{escape(at)}</id><updated>{_moment(moment)}</updated>"
            f"<link href={quoteattr(f'{at}/index.html')}/></entry>"
        )
    return "feed.xml", "\n".join([*lines, "</feed>", ""])


def _moment(text: str) -> str:
    """Write a moment as RFC 3339 has it."""
    if not text[:10].replace("-", "").isdigit():
        return "1970-01-01T00:00:00Z"
    return escape(
        text if "T" in text and ("+" in text or "Z" in text) else f"{text[:10]}T00:00:00Z"
    )
