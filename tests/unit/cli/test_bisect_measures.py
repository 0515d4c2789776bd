# SPDX-License-Identifier: MIT
"""When `assay bisect --slower` calls a commit slower."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.cli.bisect import BAD, GOOD, of_measures


def row(change: float, **how: bool) -> Any:
    """Return a measure that was compared with that of the first commit."""
    known = {"too_slow": False, "undecided": False} | how
    first = SimpleNamespace(measure=f"cycles/{change:g}")
    return SimpleNamespace(first=first, comparison=SimpleNamespace(change_percent=change), **known)


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
    rows: list[Any], said: tuple[str, str]
) -> None:
    """The largest change of many measures is chance; what the comparison sees is not."""
    found = of_measures(rows)
    assert found[0] == said[0]
    assert found[1].startswith(said[1])
