# SPDX-License-Identifier: MIT
"""Forged figures: which are found, and by how much the others win. No test asserts a time."""

import re
from collections.abc import Callable
from pathlib import Path
from platform import machine

import pytest
from tests.whole.hostile.forgeries import Forgery, all_forgeries, shown, tried
from tests.whole.hostile.tree import Tree

ROW = "attack by outcome"  # under this name the table at the end finds it
FORGERIES = all_forgeries()
FOUND = [pytest.param(one, id=one.name) for one in FORGERIES if one.reason]
WINNING = [pytest.param(one, id=one.name) for one in FORGERIES if one.wins]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(machine() != "x86_64", reason="the forgeries read the counter of x86-64"),
]


@pytest.mark.parametrize("forgery", FOUND)
def test_a_forged_figure_is_refused_and_the_honest_one_is_not(
    forgery: Forgery, tree: Tree, tmp_path: Path, record_property: Callable[..., None]
) -> None:
    """For the reason that the corpus names."""
    failed, _ = tried(forgery, tree, tmp_path / "results")
    record_property(ROW, (forgery.name, forgery.tries, "figure", failed[:90]))
    assert re.search(forgery.reason, failed), failed or "it was measured"


@pytest.mark.parametrize("forgery", WINNING)
def test_what_is_not_found_wins_what_the_table_shows(
    forgery: Forgery, tree: Tree, tmp_path: Path, record_property: Callable[..., None]
) -> None:
    """The figures stand beside the honest ones in docs/reference/jail.md."""
    failed, ratios = tried(forgery, tree, tmp_path / "results")
    wanted = {name: value for name, value in ratios.items() if name in forgery.wins}
    record_property(ROW, (forgery.name, forgery.tries, "figure", f"times: {shown(wanted)}"))
    assert not failed, failed
    assert wanted.keys() == set(forgery.wins)
