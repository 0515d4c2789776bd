# SPDX-License-Identifier: MIT
"""Launches are judged by what the same compiler made of the loops of known cost."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import TRIES, Workshop
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.stage import Stage
from assay.measure import launch as module
from assay.measure.candidate import Candidate
from assay.measure.gauge import CoreReading, Gauge
from assay.measure.launcher import Launcher, known
from assay.measure.loops import LoopsTaken
from assay.measure.stream.task import StreamTask
from assay.measure.task import Taken
from assay.model import Beats, Cell, Counter, Launch, Package, Sample, SizeChoice
from assay.timing.clock import CounterOption
from assay.timing.witness import AgentLied

LaunchOf = Callable[..., str]  # code of a compiler, with loops that are slow
COUNTER = CounterOption(
    1, "toy", usable=True, core_cycles=False, step_ticks=24, ticks_per_second=2.4e9
)
SHARES = {"gcc": 0.2, "tcc": 0.3}  # of a quiet core: tcc has registers for half of the chains


def launched_by(compiler: str, share: float, speed: float = 1.0) -> Launch:
    """Make a launch of code of a compiler, in whose loops the core had this throughput."""
    samples = (Sample("stream", SizeChoice(128, 64, 0), 1, 1, 64, (1000,), Beats(speed, share)),)
    return Launch(
        cell=Cell("toy/ref", 1, compiler), object_hash=compiler, seed=0, started_at="",
        counter=Counter("toy", 24, 2.4e9, speed, 0.0), latency_canary=(1.0, 1.0),
        throughput_canary=(share, share), timed_seconds=1.0, total_seconds=1.0, jail="",
        samples=samples, disturbed="",
    )  # fmt: skip


def candidate(compiler: str) -> Candidate:
    """Make a candidate whose only recipe is for a compiler."""
    package = stand_in(Package, kind="stream")
    recipe = stand_in(Recipe, compiler=compiler, package=package)
    group = (stand_in(BuiltCell, recipe=recipe),)
    return stand_in(Candidate, group=group, batches={}, counted=[], code=compiler, cells=())


@pytest.fixture
def launcher(monkeypatch: pytest.MonkeyPatch) -> Launcher:
    """Make a launcher whose agents without a package read the shares of quiet cores."""

    def made(_: object, agent: Path, __: object, counter: CounterOption | None = None) -> Gauge:
        reading = CoreReading(SHARES[agent.name], 1.0)
        return Gauge(counter or COUNTER, read=lambda: reading)

    monkeypatch.setattr(Gauge, "made", made)
    stage = stand_in(Stage, patient=lambda kind: kind)
    workshop = stand_in(Workshop, stage=stage, bare=lambda recipe: Path(recipe.compiler))
    return Launcher(workshop, locks=False)


@pytest.fixture
def launch(launcher: Launcher) -> LaunchOf:
    """Give the function that launches code of a compiler beside nobody, or beside a neighbour."""

    def measured(_: object, code: str, *__: object) -> tuple[Launch, Taken]:
        return launched_by(code, SHARES[code] * slowed[code]), stand_in(LoopsTaken, batches={})

    launcher.measure = measured
    task = stand_in(StreamTask, taking=lambda *_: None)
    slowed: dict[str, float] = {}

    def run(compiler: str, slow: float = 1.0) -> str:
        slowed[compiler] = slow
        return known(launcher.take(candidate(compiler), task)).disturbed

    return run


def test_code_of_another_compiler_is_not_taken_for_code_beside_a_neighbour(
    launch: LaunchOf,
) -> None:
    """The loops of tcc's agents take half as long again on a core that nobody shares."""
    assert [launch(one) for one in ("gcc", "tcc", "gcc")] == [""] * 3


def test_a_neighbour_who_stays_is_seen_with_each_compiler(launch: LaunchOf) -> None:
    """Each has the quiet core that its own agent has read."""
    for compiler in SHARES:
        assert "a neighbour used the core all along" in launch(compiler, slow=1.5)


@pytest.mark.parametrize("slow", [1, TRIES - 1, TRIES])
def test_slow_loops_fail_code_only_if_no_launch_in_a_row_is_without_them(
    launcher: Launcher, slow: int
) -> None:
    """A neighbour on the host may come and leave with a launch; the package is always there."""
    speeds = iter([0.5] * slow + [1.0] * TRIES)

    def measured(*_: object) -> tuple[Launch, Taken]:
        return launched_by("gcc", SHARES["gcc"], next(speeds)), stand_in(LoopsTaken, batches={})

    launcher.measure = measured
    task = stand_in(StreamTask, taking=lambda *_: None)
    if slow < TRIES:
        assert known(launcher.take(candidate("gcc"), task)).disturbed == ""
    else:
        with pytest.raises(AgentLied, match=r"own loops of known cost took 2\.00 times"):
            launcher.take(candidate("gcc"), task)


def test_a_second_agent_on_a_core_of_its_own_hides_no_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its time is taken off that of the neighbouring processors only where it is part of it."""
    monkeypatch.setattr(module, "neighbours", lambda cpu: frozenset({cpu + 1}))
    second = stand_in(Agent)
    for beside, expected in ((5, second), (0, None), (4, None)):
        other = stand_in(Stage, cpu=beside)
        stage = stand_in(Stage, cpu=4, beside=lambda at=other: at)
        assert module.near(stage, second) is expected
    assert module.near(stand_in(Stage, cpu=None), second) is None
