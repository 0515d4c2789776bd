# SPDX-License-Identifier: MIT
"""`--precision`: whether every figure of a machine code is known well enough, or why not.

A figure is known within half the width of the interval of its median over launches. The
launches are looked at as they come in, and the first time that the interval is narrow enough
ends it: that makes the interval a little too confident.
"""

from collections.abc import Sequence
from dataclasses import replace

from assay.measure.candidate import Candidate
from assay.model import Launch, Unreached
from assay.model.series import Series
from assay.plan.plan import Plan
from assay.stats.median_interval import precision_percent
from assay.store import Store
from assay.store.notes import Notes
from assay.summary.series import series_over

AT_MOST = "that is the most (--most-launches)"
DISTURBED = "too many launches were disturbed"


def missed(
    launches: Sequence[Launch], wanted_percent: float, reason: str = ""
) -> Unreached | None:
    """Name the figure that is known least well, if it is not known within `wanted_percent`."""
    quiet = [one for one in launches if not one.purpose and not one.disturbed]
    figures = tuple(series_over(quiet))
    if not figures:
        return Unreached(wanted_percent, None, "nothing", 0, reason)
    widths = [(_width(one), one) for one in figures]
    reached, worst = max(widths, key=lambda pair: pair[0])
    if reached <= wanted_percent:
        return None
    known = None if reached == float("inf") else reached
    return Unreached(wanted_percent, known, worst.measure, len(worst.points), reason)


def still_wanted(store: Store, one: Candidate, plan: Plan) -> int:
    """Return whether another launch is needed (0 or 1); write down a precision that is missed."""
    if plan.precision_percent is None:
        return 0
    launches = _measured(store, one)
    quiet = sum(not each.disturbed for each in launches)
    ended = DISTURBED if len(launches) >= plan.limit + plan.repeats else ""
    ended = AT_MOST if quiet >= plan.limit else ended
    note = missed(launches, plan.precision_percent, ended)
    if note is not None and not ended:
        return 1
    notes, key = Notes(store), store.key(one.code.cell)
    if key is not None and note is not None:
        notes.put(key, note)
    elif key is not None:
        notes.forget(key, Unreached)
    return 0


def _measured(store: Store, one: Candidate) -> list[Launch]:
    """Return the launches that measured all that is asked, with that alone; none of a race."""
    asked = one.full.asked
    found = []
    for each in store.launches(one.code.cell):
        samples = tuple(s for s in each.samples if (s.measure, s.sizes) in asked)
        if not each.purpose and len(samples) >= len(asked):
            found.append(replace(each, samples=samples))
    return found


def _width(figure: Series) -> float:
    """Return the half width in per cent; without an interval it is infinite."""
    width = precision_percent(figure.per_launch)
    return float("inf") if width is None else width
