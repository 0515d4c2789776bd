# SPDX-License-Identifier: MIT
"""What launches are judged by is asked of an agent without a package, now and then."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.agent import AgentError, AgentLost
from assay.execute.jail import strongest_jail
from assay.execute.protocol import Request
from assay.measure import gauge as module
from assay.measure.gauge import EVERY_SECONDS, READINGS, Gauge
from assay.measure.selftest.taking import PACKAGE
from assay.model import Package
from assay.package.discover import load_or_explain
from assay.plan.choice import default_configuration
from assay.timing.clock import CounterOption

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

    def read() -> float:
        taken.append(0.3)
        return 0.3

    gauge = Gauge(COUNTER, read=read)
    for _ in range(20):
        gauge.look()
    assert len(taken) == READINGS
    clock.now += EVERY_SECONDS
    for _ in range(20):
        gauge.look()
    assert len(taken) == READINGS + 1
    assert gauge.quiet.shares == taken


def test_a_reading_that_fails_is_left_out_and_blames_nobody(clock: Clock) -> None:
    """The system may have killed the agent; launches go on."""

    def read() -> float:
        raise AgentLost("it died of SIGKILL")

    gauge = Gauge(COUNTER, read=read)
    gauge.look()
    assert gauge.quiet.shares == []
    del clock


def test_an_agent_without_a_package_that_fails_is_the_machines_trouble() -> None:
    """No package is given up for it: MachineError ends the campaign with a cure."""

    @contextmanager
    def connect(_: Path) -> Iterator[Any]:
        raise AgentError("it died of SIGILL")
        yield

    target = SimpleNamespace(is_native=True, name="native")
    stage = SimpleNamespace(connect=connect, target=target)
    workshop: Any = SimpleNamespace(stage=stage, bare=lambda _: Path("agent"))
    with pytest.raises(MachineError, match="the agent without a package does not work here"):
        Gauge.made(workshop, None, None)  # type: ignore[arg-type]


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
        found = Gauge.made(workshop, recipe, None)
        assert found.counter.usable
        assert found.counter.step_seconds > 0
        found.look()
        assert len(found.quiet.shares) > 0
        with bare.open("rb") as file:
            table: Any = ELFFile(file).get_section_by_name(".symtab")
            names = {symbol.name for symbol in table.iter_symbols()}
    assert "assay_kind" in names
    assert not {name for name in names if "ECRYPT" in name or name == "assay_stream_subject"}
