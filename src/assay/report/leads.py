# SPDX-License-Identifier: MIT
"""The answer above a table: what is fastest, by how much, and how sure that is."""

from collections.abc import Sequence

from assay.report.compare.words import digits
from assay.report.table import figure_text
from assay.stats.comparison import Answer, Comparison, compare, compare_counts
from assay.summary.ranks import Entrant, Ranking, listed_names


def lead(
    entrants: Sequence[Entrant | None], ranking: Ranking, unit: str, *, exact: bool = False
) -> str:
    """Return the sentence; empty where fewer than two rows could be the fastest.

    The first is compared with the next one, as `assay compare` would compare them; what shares
    the first place is named without one. Of the rows of one implementation the best one counts.
    """
    rows = zip(entrants, ranking.places, strict=True)
    sound = [(one, place) for one, place in rows if one is not None and not one.dropped]
    sound.sort(key=lambda row: row[0].figure)
    first = {one.name: (one, place) for one, place in reversed(sound)}
    known = sorted(first.values(), key=lambda row: row[0].figure)
    if len(known) < 2:
        return ""
    (best, first_place), (other, next_place) = known[:2]
    takes = f"{figure_text(best.figure)} {unit}"
    equal = [one.name for one, place in known if place is not None and place.first == 1]
    if len(equal) > 1:
        return f"{listed_names(equal)} share the first place; {best.name} takes {takes}."
    found = _compared(other, best, exact=exact)
    if found is not None and found.answer is Answer.FASTER:
        return f"{best.name} is the fastest: {takes}, {_by(found)} less than {other.name}."
    beside = f"{other.name} takes {figure_text(other.figure)}"
    if first_place is None or next_place is None:
        return f"{best.name} takes {takes}, and {beside}: which is faster is not settled."
    return (
        f"{best.name} is in front: it takes {takes}, and {beside}. "
        "Too few quiet launches say by how much."
    )


def _compared(first: Entrant, second: Entrant, *, exact: bool) -> Comparison | None:
    """Compare two rows; None where launches are not known, or their unit is estimated."""
    if exact:
        return compare_counts(first.figure, second.figure)
    if first.estimated or second.estimated or not (first.values and second.values):
        return None
    return compare(first.values, second.values)


def _by(found: Comparison) -> str:
    """Write by how much, with the interval where something was timed."""
    change = f"{digits(abs(found.change_percent))} %"
    if found.interval is None or found.interval.low_percent == found.interval.high_percent:
        return change
    ends = sorted(abs(one) for one in (found.interval.low_percent, found.interval.high_percent))
    sure = f"{100 * found.interval_confidence:.3g} % confidence"
    return f"{change} ({' to '.join(map(digits, ends))} %, {sure})"
