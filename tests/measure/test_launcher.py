# SPDX-License-Identifier: MIT
"""Launches are judged by what the same compiler made of the loops of known cost."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.measure import launch as module
from assay.measure.gauge import CoreReading, Gauge
from assay.measure.launcher import Launcher
from assay.model import Beats, Cell, Counter, Launch, Sample, SizeChoice
from assay.timing.clock import CounterOption

COUNTER = CounterOption(
    1, "toy", usable=True, core_cycles=False, step_ticks=24, ticks_per_second=2.4e9
)
SHARES = {"gcc": 0.2, "tcc": 0.3}  # of a quiet core: tcc has registers for half of the chains


def launched_by(compiler: str, share: float) -> Launch:
    """Make a launch of code of a compiler, in whose loops the core had this throughput."""
    samples = (Sample("stream", SizeChoice(128, 64, 0), 1, 1, 64, (1000,), Beats(1.0, share)),)
    return Launch(
        cell=Cell("toy/ref", 1, compiler), object_hash=compiler, seed=0, started_at="",
        counter=Counter("toy", 24, 2.4e9, 1.0, 0.0), latency_canary=(1.0, 1.0),
        throughput_canary=(share, share), timed_seconds=1.0, total_seconds=1.0, jail="",
        samples=samples, disturbed="",
    )  # fmt: skip


def candidate(compiler: str) -> Any:
    """Make a candidate whose only recipe is for a compiler."""
    recipe = SimpleNamespace(compiler=compiler, package=SimpleNamespace(kind="stream"))
    group = (SimpleNamespace(recipe=recipe),)
    return SimpleNamespace(group=group, batches={}, counted=[], code=compiler, cells=())


@pytest.fixture
def launch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give the function that launches code of a compiler beside nobody, or beside a neighbour."""

    def made(_: Any, agent: Path, __: Any, counter: CounterOption | None = None) -> Gauge:
        reading = CoreReading(SHARES[agent.name], 1.0)
        return Gauge(counter or COUNTER, read=lambda: reading)

    def measured(_: Any, code: str, *__: Any) -> tuple[Launch, Any]:
        return launched_by(code, SHARES[code] * slowed[code]), SimpleNamespace(batches={})

    monkeypatch.setattr(Gauge, "made", made)
    stage = SimpleNamespace(patient=lambda kind: kind)
    workshop: Any = SimpleNamespace(stage=stage, bare=lambda recipe: Path(recipe.compiler))
    launcher = Launcher(workshop, locks=False, measure=measured)
    task: Any = SimpleNamespace(taking=lambda *_: None)
    slowed: dict[str, float] = {}

    def run(compiler: str, slow: float = 1.0) -> str:
        slowed[compiler] = slow
        found = launcher.take(candidate(compiler), task)
        assert found is not None
        return found.disturbed

    return run


def test_code_of_another_compiler_is_not_taken_for_code_beside_a_neighbour(launch: Any) -> None:
    """The loops of tcc's agents take half as long again on a core that nobody shares."""
    assert [launch(one) for one in ("gcc", "tcc", "gcc")] == [""] * 3


def test_a_neighbour_who_stays_is_seen_with_each_compiler(launch: Any) -> None:
    """Each has the quiet core that its own agent has read."""
    for compiler in SHARES:
        assert "a neighbour used the core all along" in launch(compiler, slow=1.5)


def test_a_second_agent_on_a_core_of_its_own_hides_no_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its time is taken off that of the neighbouring processors only where it is part of it."""
    monkeypatch.setattr(module, "neighbours", lambda cpu: frozenset({cpu + 1}))
    second: Any = object()
    for beside, expected in ((5, second), (0, None), (4, None)):
        stage: Any = SimpleNamespace(cpu=4, beside=lambda at=beside: SimpleNamespace(cpu=at))
        assert module.near(stage, second) is expected
    nowhere: Any = SimpleNamespace(cpu=None)
    assert module.near(nowhere, second) is None
