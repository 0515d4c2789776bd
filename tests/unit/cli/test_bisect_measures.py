# SPDX-License-Identifier: MIT
"""When `assay bisect --slower` calls a commit slower."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.cli.bisect import BAD, GOOD, of_measures
from assay.model.series import Series
from assay.report.compare.answers import ComparedMeasure
from assay.stats.comparison import Comparison


def row(change: float, **how: bool) -> ComparedMeasure:
    """Return a measure that was compared with that of the first commit."""
    known = {"too_slow": False, "undecided": False} | how
    first = stand_in(Series, measure=f"cycles/{change:g}")
    comparison = stand_in(Comparison, change_percent=change)
    return stand_in(ComparedMeasure, first=first, comparison=comparison, **known)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row(9.0), row(1.0)], (GOOD, "cycles/9 takes +9.00 %, which is not seen")),
        ([row(9.0), row(3.0, too_slow=True)], (BAD, "cycles/3 takes +3.00 %")),
        ([row(3.0, undecided=True)], (BAD, "cycles/3 takes +3.00 %, measured under disturb")),
    ],
    ids=["scatter in one of many", "slower", "on a machine that is never quiet"],
)
def test_only_what_is_beyond_scatter_makes_a_commit_bad(
    rows: list[ComparedMeasure], said: tuple[str, str]
) -> None:
    """The largest change of many measures is chance; what the comparison sees is not."""
    found = of_measures(rows)
    assert found[0] == said[0]
    assert found[1].startswith(said[1])
