# SPDX-License-Identifier: MIT
"""A whole campaign without compilers, whose figures follow from what calls are said to cost."""

import shutil
from pathlib import Path

from tests.unit.machine.test_git import commit, git
from tests.unit.mock.agent import STREAM_BYTES, Program
from tests.unit.mock.target import mock_workshop

from assay.campaign.run import run_campaign
from assay.model import Cell, Compiler, Configuration
from assay.model.notes import CodeOrigin
from assay.model.progress import Silence
from assay.package.estream import load_estream
from assay.plan.plan import Effort, Plan
from assay.store import Store
from assay.store.rows import Notes

TOY = Path(__file__).parents[2] / "whole/corpus" / "sync"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")
LEVELS = ("O2", "O3")
PROGRAMS = {"O2": Program("slow", 500, 10), "O3": Program("fast", 300, 4)}


def test_a_campaign_stores_what_calls_cost_by_the_agents_clock(
    tmp_path: Path, store: Store
) -> None:
    """A tick is a cycle here: a call and its bytes cost what the program says, to the tick."""
    package = load_estream(TOY, place="submissions/toy/ref")
    listed = tuple(Configuration("gcc", "gcc", "", f"-{one}", one, one) for one in LEVELS)
    plan = Plan((package,), listed, {"gcc": GCC}, launches=1, effort=Effort(samples=3), workers=1)
    workshop = mock_workshop(tmp_path, lambda recipe: PROGRAMS[recipe.configuration.name])
    outcome = run_campaign(workshop, store, plan, (), ("run",), Silence())
    assert (outcome.cells, outcome.failed) == (2, 0)
    for level, program in PROGRAMS.items():
        launch = store.launches(Cell(package.selector, 1, level))[0]
        assert launch.counter.cycles_per_tick == 1.0
        costs = {one.measure: {ticks / one.tests for ticks in one.ticks} for one in launch.samples}
        assert costs["setup/key"] == {program.call_ticks}
        assert costs["packet/40"] == {program.call_ticks + 40 * program.byte_ticks}
        assert costs["stream/long"] == {program.call_ticks + STREAM_BYTES * program.byte_ticks}


def test_a_code_keeps_the_commit_at_which_it_was_first_measured(
    tmp_path: Path, store: Store
) -> None:
    """What the machine was like then stays, too; the compiler is the one that made the code."""
    place = tmp_path / "clone" / "toy"
    shutil.copytree(TOY, place)
    git(place.parent, "init", "-q")
    first = commit(place.parent, "one")
    plan = Plan(
        (load_estream(place, place="submissions/toy/ref"),),
        (Configuration("gcc", "gcc", "", "-O3", "O3", "O3"),),
        {"gcc": GCC}, launches=1, effort=Effort(samples=3), workers=1,
    )  # fmt: skip
    workshop = mock_workshop(tmp_path, lambda _: PROGRAMS["O3"])
    run_campaign(workshop, store, plan, (), ("run",), Silence())
    commit(place.parent, "two")
    run_campaign(workshop, store, plan, (), ("run",), Silence())
    (origin,) = Notes(store).all(CodeOrigin).values()
    assert origin.commit == first
    assert origin.settings["compilers"] == "gcc 1"
    assert origin.settings["kernel"]
