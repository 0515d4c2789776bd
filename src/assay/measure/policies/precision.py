# SPDX-License-Identifier: MIT
"""`--precision`: whether every figure of a machine code is known well enough, or why not.

A figure is known within half the width of the interval of its median over launches. The
launches are looked at as they come in, and the first time that the interval is narrow enough
ends it: that makes the interval a little too confident.
"""

from collections.abc import Sequence

from assay.model import Figure, Launch, Unreached
from assay.stats.median_interval import precision_percent
from assay.stats.summary import summarise

AT_MOST = "that is the most (--most-launches)"
DISTURBED = "too many launches were disturbed"


def missed(
    launches: Sequence[Launch], wanted_percent: float, reason: str = ""
) -> Unreached | None:
    """Name the figure that is known least well, if it is not known within `wanted_percent`."""
    figures = summarise([one for one in launches if not one.purpose and not one.disturbed])
    if not figures:
        return Unreached(wanted_percent, None, "nothing", 0, reason)
    widths = [(_width(one), one) for one in figures]
    reached, worst = max(widths, key=lambda pair: pair[0])
    if reached <= wanted_percent:
        return None
    known = None if reached == float("inf") else reached
    return Unreached(wanted_percent, known, worst.measure, worst.launches, reason)


def _width(figure: Figure) -> float:
    """Return the half width in per cent; without an interval it is infinite."""
    width = precision_percent(figure.values)
    return float("inf") if width is None else width
