# SPDX-License-Identifier: MIT
"""Rooms have budgets: a folder of `src/assay` holds no more modules and lines than it may.

`budgets.toml` has the figures. Lower them whenever a room has become smaller; raise one only with
a reason in the body of the commit that does it.
"""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "assay"
BUDGETS = tomllib.loads((Path(__file__).parent / "budgets.toml").read_text())
ROOMS = sorted(one.name for one in SOURCE.iterdir() if one.is_dir() and one.name != "__pycache__")
SLACK_LINES = 40  # a room that is this much smaller than its budget has a budget to be lowered


def size(room: str) -> tuple[int, int]:
    """Return the modules of a room, and the lines in them."""
    files = sorted((SOURCE / room).rglob("*.py"))
    return len(files), sum(len(one.read_text().splitlines()) for one in files)


def test_every_room_has_a_budget_and_every_budget_a_room() -> None:
    """A new folder below src/assay brings its budget, and one that goes takes it along."""
    assert sorted(BUDGETS) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_its_budget(room: str) -> None:
    """No folder grows unless somebody says why in a commit that raises its budget."""
    modules, lines = size(room)
    assert modules <= BUDGETS[room]["modules"]
    assert lines <= BUDGETS[room]["lines"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_budget_follows_a_room_that_shrinks(room: str) -> None:
    """What was deleted may not come back unnoticed: the budget is lowered with the room."""
    modules, lines = size(room)
    assert BUDGETS[room]["modules"] - modules <= 1
    assert BUDGETS[room]["lines"] - lines <= max(SLACK_LINES, lines // 50)
