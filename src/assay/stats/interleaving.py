# SPDX-License-Identifier: MIT
"""Whether two sides were measured in turn, or one after the other.

A machine is not the same a minute later: its clock, its neighbours, its heat. Sides that
were measured one after the other differ for that reason alone; taken in turn, in random
order, both have the same share of it.
"""

from collections.abc import Sequence

from assay.stats.rank_sum import p_value

LEVEL = 0.01


def one_after_the_other(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether the moments of the launches of two sides are apart from each other.

    They are if all of one side come before all of the other, or if the Mann-Whitney test
    on the moments finds an order at 1 %. With one launch each nothing can be in turn.
    """
    if not first or not second:
        return False
    if max(first) < min(second) or max(second) < min(first):
        return True
    return p_value(first, second) <= LEVEL
