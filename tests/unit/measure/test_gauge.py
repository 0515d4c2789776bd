# SPDX-License-Identifier: MIT
"""What launches are judged by is asked of an agent without a package, now and then."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from msgspec.structs import replace
from tests.unit.mock.standing import stand_in

from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.agent import AgentError, AgentLost
from assay.execute.jail import strongest_jail
from assay.execute.protocol import Request
from assay.execute.stage import Stage
from assay.measure import gauge as module
from assay.measure.gauge import EVERY_SECONDS, READINGS, CoreReading, Gauge
from assay.measure.selftest.taking import PACKAGE
from assay.model import Beats, Cell, Counter, Launch, Package, Sample, SizeChoice
from assay.package.discover import load_or_explain
from assay.plan.choice import default_configuration
from assay.targets.catalogue import native
from assay.timing.clock import CounterOption
from assay.timing.witness import AgentLied

COUNTER = CounterOption(
    1, "toy", usable=True, core_cycles=False, step_ticks=24, ticks_per_second=2.4e9
)


class Clock:
    """A clock that the test moves."""

    now = 1000.0

    def monotonic(self) -> float:
        """Give the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Put the test's clock in the place of the machine's."""
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def test_readings_are_few(clock: Clock) -> None:
    """Some at first, until enough is known; then one every few seconds, whatever is launched."""
    taken: list[float] = []

    def read() -> CoreReading:
        taken.append(0.3)
        return CoreReading(0.3, 1.0)

    gauge = Gauge(COUNTER, read=read)
    for _ in range(20):
        gauge.look()
    assert len(taken) == READINGS
    clock.now += EVERY_SECONDS
    for _ in range(20):
        gauge.look()
    assert len(taken) == READINGS + 1
    assert gauge.quiet.shares == taken


def a_launch(*cycles_per_tick: float) -> Launch:
    """Make a launch: what its own loops said, at first and last and beside each sample."""
    first, *beside = cycles_per_tick
    sizes = SizeChoice(128, 64, 0)
    samples = tuple(Sample("stream", sizes, 1, 1, 64, (1000,), Beats(one, 0.3)) for one in beside)
    return Launch(
        cell=Cell("toy/ref", 1, "gcc"), object_hash="", seed=0, started_at="",
        counter=Counter("toy", 24, 2.4e9, first, 0.0), latency_canary=(1.0, 1.0),
        throughput_canary=(0.3, 0.3), timed_seconds=1.0, total_seconds=1.0, jail="",
        samples=samples, disturbed="",
    )  # fmt: skip


def gauge_reading(*latencies: float) -> Gauge:
    """Make a gauge: the first latency was read before the launch, the others are still to come."""
    first, *later = latencies
    coming = iter(later)
    return Gauge(COUNTER, read=lambda: CoreReading(0.3, next(coming)), latencies=[first])


def test_loops_that_take_four_times_as_long_as_without_a_package_are_refused() -> None:
    """They would divide every figure by 4: with 0.7 cycles in a tick, 0.175 are told."""
    gauge = gauge_reading(1 / 0.7, 1 / 0.7)
    with pytest.raises(AgentLied, match=r"took 4\.00 times as long as those of an agent without"):
        gauge.judged(a_launch(0.175, 0.175))


def test_loops_that_are_slow_beside_one_sample_are_marked() -> None:
    """Beats scale the samples; a neighbour slows some down, so the package does not fail."""
    found = gauge_reading(1.0, 1.0).judged(a_launch(1.0, 1.0, 0.5))
    assert "its own loops of known cost took 2.00 times as long" in found.disturbed


def test_a_launch_on_a_slower_clock_is_marked_and_counts_less() -> None:
    """Instructions that need much power slow the clock down: nobody fails for it."""
    found = gauge_reading(1.0, 1.0).judged(a_launch(0.8, 0.8))
    assert "its own loops of known cost took 1.25 times as long" in found.disturbed


def test_a_clock_that_is_slower_for_all_marks_nothing() -> None:
    """The agent without a package is asked again before anything is said."""
    assert gauge_reading(1.0, 2.0).judged(a_launch(0.5, 0.5)).disturbed == ""
    assert gauge_reading(1.0).judged(a_launch(0.97, 0.97)).disturbed == ""


def test_a_counter_of_core_cycles_needs_no_loops() -> None:
    """A tick is a cycle there, whatever the loops take."""
    gauge = Gauge(replace(COUNTER, core_cycles=True), latencies=[1.0])
    assert gauge.judged(a_launch(1.0, 0.1)).disturbed == ""


def test_a_reading_that_fails_is_left_out_and_blames_nobody(clock: Clock) -> None:
    """The system may have killed the agent; launches go on."""

    def read() -> CoreReading:
        raise AgentLost("it died of SIGKILL")

    gauge = Gauge(COUNTER, read=read)
    gauge.look()
    assert gauge.quiet.shares == []
    del clock


def test_an_agent_without_a_package_that_fails_is_the_machines_trouble() -> None:
    """No package is given up for it: MachineError ends the campaign with a cure."""

    @contextmanager
    def connect(_: Path) -> Iterator[None]:
        raise AgentError("it died of SIGILL")
        yield

    stage = stand_in(Stage, connect=connect, target=native())
    with pytest.raises(MachineError, match="the agent without a package does not work here"):
        Gauge.made(stage, Path("agent"), None)


def test_it_asks_an_agent_in_which_there_is_nothing_of_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Built for the compiler and ABI of a recipe, and of the harness alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    package = load_or_explain(PACKAGE, PACKAGE, "selftest/injected")
    assert isinstance(package, Package)
    recipe = Recipe(package, 1, *default_configuration())
    with open_workshop(strongest_jail()) as workshop:
        bare = workshop.bare(recipe)
        with workshop.stage.connect(bare) as agent:
            assert agent.ask(Request.DESCRIBE, b"", "asking").text() == "bare"
        found = Gauge.made(workshop.stage, bare, None)
        assert found.counter.usable
        assert found.counter.step_seconds > 0
        found.look()
        assert len(found.quiet.shares) > 0
        with bare.open("rb") as file:
            table = ELFFile(file).get_section_by_name(".symtab")
            assert isinstance(table, SymbolTableSection)
            names = {symbol.name for symbol in table.iter_symbols()}
    assert "assay_kind" in names
    assert not {name for name in names if "ECRYPT" in name or name == "assay_stream_subject"}
