# SPDX-License-Identifier: MIT
"""Views of a primitive's cells: which figure ranks, who wins where, and what rows show."""

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct

from assay.grouped import grouped
from assay.model.operation import Op
from assay.model.operations import OPERATIONS
from assay.report.leads import lead
from assay.report.printable import printable
from assay.report.table import figure_text
from assay.site.cells import Once, SiteCell, SiteFigure
from assay.site.figures import leading, measures, what_is
from assay.site.names import primitive_at, version_at
from assay.stats.places import Place
from assay.summary.ranks import ENOUGH, Entrant, Order, Ranking, best_of, ranking

SYMMETRIC = {"stream", *(one.name for one in OPERATIONS.values() if one.is_symmetric)}
DIGESTS = {Op.HASH, Op.XOF, Op.CXOF}
# What standards say of parameter sets: FIPS 203 to 205, RFC 7748 and 8032, NIST SP 800-57.
LEVELS = (
    (r"(ml-?kem|kyber)-?512|(ml-?dsa-?44|dilithium2)", 128),
    (r"(ml-?kem|kyber)-?768|(ml-?dsa-?65|dilithium3)", 192),
    (r"(ml-?kem|kyber)-?1024|(ml-?dsa-?87|dilithium5)", 256),
    (r"(slh|sphincs).*128", 128),
    (r"(slh|sphincs).*192", 192),
    (r"(slh|sphincs).*256", 256),
    (r"x25519|ed25519|curve25519|nistp256|rsa3072", 128),
)

LEAGUES = {"constbranchindex": "constant time", "timingleaks": "may leak"}
Row = dict[str, Any]


class SiteEntry(Struct, frozen=True, dict=True):
    """A cell, the machine on which it was measured, and the place of its folder in the order."""

    cell: SiteCell
    machine: str
    source: int

    @property
    def moment(self) -> tuple[str, int]:
        """Return what orders entries in time."""
        return self.cell.ended, self.source

    @Once
    def figure(self) -> SiteFigure | None:
        """Return the figure that ranks; None where there is none."""
        return leading(self.cell.family, self.cell.figures)

    @property
    def subject(self) -> tuple[str, str, int, str]:
        """Name what has a history: an implementation under a configuration on a machine."""
        return self.machine, self.cell.selector, self.cell.variant, self.cell.configuration


class SiteRank(Struct, frozen=True):
    """A row of a contest: an implementation under its best configuration."""

    entry: SiteEntry
    figure: SiteFigure

    @property
    def cell(self) -> SiteCell:
        """Return the cell."""
        return self.entry.cell

    @property
    def entrant(self) -> Entrant:
        """Enter the row by its figure."""
        cell, one = self.cell, self.figure
        values = () if one.spread and len(one.values) < 2 else one.values
        return Entrant(
            cell.selector,
            one.middle,
            values,
            dropped=cell.dropped,
            disturbed=cell.disturbed,
            exact=one.exact,
        )

    @property
    def order(self) -> Order:
        """Sort by unit, cycles first, and by figure; what dropped out of a race comes last."""
        one = self.figure
        level = (one.unit == "ticks", one.text, self.cell.dropped)
        return level, (one.middle, self.cell.selector)

    @property
    def is_lucky(self) -> bool:
        """Return whether the figure is of few launches."""
        return not self.figure.exact and 0 < len(self.entrant.values) < ENOUGH


class SiteContest(Struct, frozen=True, dict=True):
    """Implementations of a primitive on a machine, best first."""

    machine: str
    rows: tuple[SiteRank, ...]

    @Once
    def entrants(self) -> list[Entrant | None]:
        """Enter the rows in the unit of the first; those in others have no place."""
        unit = self.rows[0].figure.text if self.rows else ""
        return [one.entrant if one.figure.text == unit else None for one in self.rows]

    @Once
    def ranking(self) -> Ranking:
        """Return the places of the rows; notes say why none has one."""
        return ranking(self.entrants)

    @property
    def answer(self) -> str:
        """State who wins, by how much and how sure that is."""
        cell, figure = self.rows[0].cell, self.rows[0].figure
        takes = f"{cell.selector} takes {figure_text(figure.middle)} {figure.text}"
        alone = f"{takes}; no other was measured to the end."
        said = lead(self.entrants, self.ranking, figure.text) or alone
        return printable(f"{what_is(cell.family, figure)}: {said}")

    @Once
    def shown(self) -> list[Row]:
        """Return the rows as plain values, each relative to the best in its unit."""
        best: dict[str, float] = {}
        for one in self.rows:
            best.setdefault(one.figure.text, one.figure.middle)
        placed = zip(self.rows, self.ranking.places, strict=True)
        return [row_of(one, place, best[one.figure.text]) for one, place in placed]


def newest(entries: Iterable[SiteEntry]) -> tuple[SiteEntry, ...]:
    """Keep the newest entry of each subject, of entries that stand oldest first."""
    return tuple({one.subject: one for one in entries}.values())


class PrimitiveEntries(tuple[SiteEntry, ...]):  # noqa: SLOT001 - it keeps its contests
    """The entries of a primitive; the newest and contests are held once for all pages."""

    @Once
    def in_time(self) -> list[SiteEntry]:
        """Return the entries, oldest first."""
        return sorted(self, key=attrgetter("moment"))

    @Once
    def newest(self) -> tuple[SiteEntry, ...]:
        """Return the newest entry of each subject."""
        return newest(self.in_time)

    @Once
    def contests(self) -> tuple[SiteContest, ...]:
        """Make implementations compete, machine by machine."""
        machines = grouped((one.machine, one) for one in self.newest)
        return tuple(_contest(machine, found) for machine, found in sorted(machines.items()))


def _contest(machine: str, entries: Sequence[SiteEntry]) -> SiteContest:
    """Rank the best configuration of each implementation."""
    known = (SiteRank(one, one.figure) for one in entries if one.cell.sound and one.figure)
    rows = best_of(known, lambda row: row.cell.selector, lambda row: row.order,
                   lambda row: row.is_lucky)  # fmt: skip
    return SiteContest(machine, tuple(rows))


def level(family: str, primitive: str, facts: Mapping[str, int]) -> int | None:
    """Return the security level in bits as far as sizes or standards say it.

    Of symmetric primitives it is the key's length, of hashes half the digest's.
    """
    for pattern, bits in LEVELS:
        if re.search(pattern, primitive, re.IGNORECASE):
            return bits
    if family in SYMMETRIC and facts.get("KEYBYTES"):
        return 8 * facts["KEYBYTES"]
    if family in DIGESTS and facts.get("BYTES"):
        return 4 * facts["BYTES"]
    return None


def days(entries: Iterable[SiteEntry]) -> tuple[str, ...]:
    """Return the first and the last day of entries; nothing where none is known."""
    found = sorted(one.cell.ended[:10] for one in entries if one.cell.ended)
    return (found[0], found[-1]) if found else ()


def row_of(one: SiteRank, place: Place | None, best: float) -> Row:
    """Return a row: what a page shows of an implementation, and what filters look at."""
    cell, figure = one.cell, one.figure
    low, high = figure.interval
    return {
        "family": cell.family,
        "primitive": cell.primitive,
        "name": printable(cell.implementation),
        "selector": cell.selector,
        "at": primitive_at(cell.key),
        "version": version_at(cell.version),
        "machine": one.entry.machine,
        "place": str(place) if place else "",
        "value": _short(figure.middle),
        "low": _short(low),
        "high": _short(high),
        "values": [_short(value) for value in figure.values] if not figure.spread else [],
        "ns": _short(figure.nanoseconds),
        "ratio": _short(figure.middle / best) if best else None,
        "unit": figure.text,
        "exact": figure.exact,
        "what": what_is(cell.family, figure),
        "measures": {
            name: _short(value) for name, value in measures(cell.family, cell.figures).items()
        },
        **_about(cell),
    }


def _about(cell: SiteCell) -> Row:
    """Return what a row says of its cell besides figures."""
    memory = cell.facts.get("context", cell.facts.get("static memory"))
    return {
        "code": cell.bytes[0] + cell.bytes[1] if cell.bytes else None,
        "memory": memory,
        "stack": cell.facts.get("stack"),
        "league": LEAGUES.get(cell.league, ""),
        "ct": cell.constant_time,
        "level": level(cell.family, cell.primitive, cell.facts),
        "verdict": cell.verdict,
        "uncompared": cell.uncompared,
        "configuration": printable(cell.configuration),
        "command": printable(cell.command),
        "date": cell.ended[:10],
        "disturbed": cell.disturbed,
        "benchmark": cell.role == "benchmark",
        "imported": cell.imported,
        "sizes": {key: cell.facts[key] for key in cell.facts if key.endswith("BYTES")},
    }


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
