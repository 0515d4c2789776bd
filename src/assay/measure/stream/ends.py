# SPDX-License-Identifier: MIT
"""Whether more is done after a series, which is not timed, than has to be done there.

Some contexts encrypt one short text each, and the agent tells what the series came to. A cipher
that left calls undone, and makes them once somebody asks what they wrote, uses more processor
time there than that takes where it is timed.
"""

import statistics
from collections.abc import Sequence

from assay.measure.loops import EndTime
from assay.measure.stream.deferred import AUDIT
from assay.measure.stream.setups import KEYS
from assay.model import Sample
from assay.timing.witness import require_rest

SHORT_TEXT, IV_SETUP = "agility", "setup/iv"  # what is done for each context
LONG = 0  # loop
END_SECONDS = 0.001  # beyond what rest allows: no end is asked for twice
MOST_TIMES = 2.0  # what it takes where it is timed: these contexts are in no cache


def require_ends(ends: Sequence[EndTime], samples: Sequence[Sample], rate: float) -> None:
    """Raise AgentLied if what follows a series used more than timed calls say.

    `rate` is ticks per second. Nothing is said where one of these calls was not timed.
    """
    seconds = {
        (one.sizes, one.measure): statistics.median(one.ticks) / one.tests / rate
        for one in samples
    }
    for end in ends:
        series = end.series
        each = [seconds.get((series.sizes, name)) for name in (SHORT_TEXT, IV_SETUP)]
        known = [one for one in each if one is not None]
        if len(known) == len(each):
            allowed = END_SECONDS + MOST_TIMES * _contexts(end) * sum(known)
            require_rest(f"after {series.measure.name} was timed", end.seconds, allowed)


def _contexts(end: EndTime) -> int:
    """Return how many contexts are used: those that were chosen, or all."""
    measure = end.series.measure
    if measure.length or measure.name.startswith(AUDIT):
        return 0
    return min(KEYS, end.series.batch.keys) if measure.loop == LONG else len(end.series.chosen)
