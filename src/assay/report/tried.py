# SPDX-License-Identifier: MIT
"""Which options are best: every configuration that was tried, by the score that decides."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from assay.model import PackageKind
from assay.model.compared import UNCOMPARED
from assay.model.series import TIMES, Series
from assay.model.supercop import Attempt, Place, Subject
from assay.report.curves import MARK, Records, league_mark, league_order
from assay.report.operations import LEAGUE_NOTE, WHOSE, whose
from assay.report.table import Column, Note, Report, Style, Table, TableRow, numeric
from assay.stats.places import Place as Rank
from assay.summary.imported import UNKNOWN, UNSOUND
from assay.summary.ranks import Entrant, ranked_apart

SCORE = "score"
NO_UNIT = "cycles or ticks"
OUTCOMES = {
    "ok": ("pass", "ok"),
    UNKNOWN: ("open", UNCOMPARED),
    "fails": ("fail", "wrong outputs"),
    "tryfails": ("fail", "failed"),
}
SCORES = (
    "score: what one call of every timed function takes together at the length that contests "
    "compare, median over launches."
)
KEYS = (
    *("kind", "operation", "measure", *WHOSE),
    *("median", "unit", "direction", "launches", "place", "outcome", "compared", "reason"),
)


COLUMNS = (
    Column("place", "place", number=True, optional=True, exported=False),
    numeric("median", "score", 0),
    Column("launches", "n", number=True, optional=True, spare=2, exported=False),
    Column("short_name", "implementation", whole=True, exported=False),
    Column("verdict", "verdict", style=lambda row: Style(row["verdict_style"]), exported=False),
    Column("configuration", "configuration", exported=False),
    Column("reason", "reason", optional=True, spare=1, exported=False),
    *map(Column, KEYS),
)


def tried_report(records: Records, operations: Iterable[str]) -> Report:
    """Make a table of the configurations of each operation, for each place and unit."""
    named = tuple(operations)
    found = tuple(table for one in named for table in _tables(records.only(one), one))
    nothing = () if found else (Note("There is no record of what was tried.", Style.PLAIN),)
    return Report(found, nothing, facts={"operations": list(named)})


def _tables(records: Records, operation: str) -> Iterator[Table]:
    units = _score_units(records.series)
    attempts = sorted(_newest(records.attempts), key=lambda one: _table_of(one, units))
    for (place, unit), group in groupby(attempts, key=lambda one: _table_of(one, units)):
        tries = sorted(group, key=_order)
        ranked = ranked_apart(tries, _group, _entrant)
        leaks = any(league_mark(one.subject) for one in tries)
        yield Table(
            f"{operation}, every configuration that was tried; {' '.join(place)}",
            unit,
            COLUMNS,
            tuple(_row(*each, operation) for each in zip(tries, ranked.places, strict=True)),
            (SCORES, *ranked.notes, *((LEAGUE_NOTE,) if leaks else ())),
            facts={"kind": PackageKind.OPERATION.value, "operation": operation, "measure": SCORE},
            groups={name: name for name in map(_group, tries)},
            charted="median",
        )


def _newest(attempts: Iterable[Attempt]) -> Iterable[Attempt]:
    """Keep the newest attempt of each build."""
    found: dict[tuple[Place, Subject], Attempt] = {}
    for one in sorted(attempts, key=lambda each: each.source.date):
        found[one.source.place, one.subject] = one
    return found.values()


def _score_units(series: Iterable[Series]) -> dict[Place, str]:
    """Name the unit of scores at each place: that of its timings, if there is but one."""
    found: dict[Place, set[str]] = {}
    for one in series:
        if one.points and one.key.endswith("cycles") and not one.failed and not one.shared:
            found.setdefault(one.source.place, set()).add(one.unit)
    return {place: units.pop() for place, units in found.items() if len(units) == 1}


def _table_of(one: Attempt, units: dict[Place, str]) -> tuple[Place, str]:
    """Return the place and the unit whose table an attempt stands in."""
    place = one.source.place
    return place, one.unit or units.get(place, NO_UNIT)


def _group(one: Attempt) -> str:
    """Name the primitive and league within which configurations are ranked."""
    mark = f" ({MARK} {one.subject.league})" if league_mark(one.subject) else ""
    return f"{one.subject.primitive}{mark}"


def _order(one: Attempt) -> tuple[str, int, bool, float, str, str]:
    """Sort by primitive and league, sound ones first and the best of them on top."""
    whose, worst = one.subject, float("inf")
    score = worst if one.score is None else one.score
    unsound = one.outcome in UNSOUND
    place = (whose.primitive, league_order(whose), unsound)
    return (*place, score, whose.implementation, whose.compiler)


def _entrant(one: Attempt) -> Entrant | None:
    if one.score is None or one.outcome in UNSOUND:
        return None
    exact = one.unit not in {"", *TIMES}
    name, score = one.subject.implementation, one.score
    return Entrant(name, score, one.medians, estimated=one.estimated, exact=exact)


def _row(one: Attempt, rank: Rank | None, operation: str) -> TableRow:
    style, verdict = OUTCOMES.get(one.outcome, ("fail", one.outcome))
    values = {
        **whose(one.source, one.subject),
        "place": rank,
        "median": one.score,
        "launches": len(one.medians) or None,
        "name": f"{one.subject.short_name}, {one.subject.compiler}",
        "verdict": verdict,
        "verdict_style": style,
        "reason": one.reason.strip().partition("\n")[0] or None,
        "operation": operation,
        "outcome": one.outcome,
        "compared": one.outcome != "unknown",
    }
    return TableRow(values, Style.FAIL if one.outcome in UNSOUND else Style.PLAIN, _group(one))
