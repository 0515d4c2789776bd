# SPDX-License-Identifier: MIT
"""What the agents of one package are waited for in all, with a clock that the test turns."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.execute.fakes import FakePipe

from assay.execute.agent import Agent, AgentSilent
from assay.execute.patience import OutOfPatience, Patience, seconds_for
from assay.execute.pipe import PipeTimeout
from assay.execute.protocol import Request


@dataclass
class Clock:
    """Time that passes only where the test says so."""

    now: float = 1000.0


@dataclass
class SlowPipe(FakePipe):
    """Answers well, each time after some seconds; the greeting's come at once."""

    clock: Clock = field(default_factory=Clock)
    seconds: float = 0.0
    farewell: float = 0.0

    def read(self, length: int, deadline: float) -> bytes:
        """Let time pass, at most until the deadline."""
        if self.clock.now + self.seconds > deadline:
            self.clock.now = deadline
            raise PipeTimeout
        self.clock.now += self.seconds
        return super().read(length, deadline)

    def close(self) -> str:
        """Take a while to end."""
        self.clock.now += self.farewell
        return super().close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the clock of agents and of patience."""
    turned = Clock()
    fake = SimpleNamespace(monotonic=lambda: turned.now)
    monkeypatch.setattr("assay.execute.conversation.time", fake)
    return turned


def asked(agent: Agent) -> None:
    """Ask for something that is answered."""
    agent.later(Request.FILL, b"", lambda: "asking")
    agent.flush()


def test_an_agent_that_sleeps_a_little_in_every_answer_is_given_up(clock: Clock) -> None:
    """Each answer comes in time; a hundred seconds are over in the sixth of two times nine."""
    pipe = SlowPipe(clock=clock)
    agent = Agent(pipe, patience=Patience(100.0))
    pipe.seconds = 4.5  # for the header, and again for the rest
    for _ in range(11):
        asked(agent)
    with pytest.raises(OutOfPatience, match="100 seconds"):
        asked(agent)
    assert agent.closed
    assert clock.now == 1100.0


def test_one_that_hangs_is_silent_as_before(clock: Clock) -> None:
    """As long as there is time left, its silence is what is reported."""
    pipe = SlowPipe(clock=clock)
    agent = Agent(pipe, patience=Patience(100.0))
    pipe.seconds = 11.0
    with pytest.raises(AgentSilent):
        asked(agent)
    assert clock.now == 1010.0


def test_agents_of_one_package_share_their_time_and_have_none_afterwards(clock: Clock) -> None:
    """Starting another does not help, and so an agent's end counts, too."""
    shared = Patience(10.0)
    for _ in range(5):
        Agent(SlowPipe(clock=clock, farewell=2.0), patience=shared).close()
    with pytest.raises(OutOfPatience):
        Agent(SlowPipe(clock=clock), patience=shared)


def test_what_the_bench_does_meanwhile_does_not_count(clock: Clock) -> None:
    """Neither compiling nor waiting for the machine is the package's time."""
    agent = Agent(SlowPipe(clock=clock), patience=Patience(10.0))
    for _ in range(100):
        clock.now += 1000.0
        asked(agent)


def test_the_error_names_the_option() -> None:
    """Its cure works: twice as long."""
    assert "--patience 1200" in Patience(600.0).error().cure


@pytest.mark.parametrize("kind", ["stream", "hash", "operation"])
def test_everybody_has_ten_minutes_at_least(kind: str) -> None:
    """Slow signatures take 5 to 10 minutes of processor time, so operations have more."""
    assert seconds_for(kind) >= (3600 if kind == "operation" else 600)
    assert seconds_for(kind, deep=True) > seconds_for(kind)
    assert seconds_for(kind, native=False) > seconds_for(kind)


@given(st.lists(st.integers(0, 50)), st.integers(1, 200))
def test_it_is_used_up_when_what_was_spent_reaches_it(spent: list[int], seconds: int) -> None:
    """In whatever pieces."""
    budget = Patience(float(seconds))
    for one in spent:
        budget.spend(float(one))
    assert budget.exhausted == (sum(spent) >= seconds)
