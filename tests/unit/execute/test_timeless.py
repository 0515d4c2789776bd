# SPDX-License-Identifier: MIT
"""Where a clock says nothing about code, nothing can be timed, by whatever path."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.execute.fakes import FakePipe

from assay.execute import opening
from assay.execute.agent import Agent
from assay.execute.conversation import Timeless
from assay.execute.jail import Jail, JailMode
from assay.execute.protocol import Request
from assay.model import Target
from assay.targets.catalogue import catalogue, native
from assay.timing.agent import TimedAgent
from assay.timing.clock import read_loops

EMULATED = tuple(one for one in catalogue() if not one.tells_time)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[Agent], Target], Agent]:
    """Open agents on targets, all of which answer from here."""
    monkeypatch.setattr(opening, "open_pipe", lambda *_: FakePipe())
    jail = Jail(JailMode.LIMITS_ONLY)
    return lambda client, target: opening.open_agent(client, target, Path("agent"), jail)


@pytest.mark.parametrize("client", [Agent, TimedAgent])
@pytest.mark.parametrize("target", EMULATED, ids=[one.name for one in EMULATED])
def test_no_request_that_times_code_leaves_for_a_target_without_times(
    opened: Callable[[type[Agent], Target], Agent], target: Target, client: type[Agent]
) -> None:
    """All three requests are refused before they are sent; others go on."""
    agent = opened(client, target)
    for code in (Request.LOOP, Request.CALIBRATE, Request.TIME):
        with pytest.raises(Timeless, match=target.name):
            agent.ask(code, b"", "timing")
    with pytest.raises(Timeless):
        read_loops(agent)
    if isinstance(agent, TimedAgent):
        with pytest.raises(Timeless):
            agent.time(b"", "timing")
    assert agent.fetch(agent.buffer("data", 4)).data == bytes(range(4))


def test_every_target_that_counts_provides_no_times() -> None:
    """The catalogue has both sorts, and this machine is one that is timed on."""
    assert native() not in EMULATED
    assert {one.name for one in catalogue() if one.counts} <= {one.name for one in EMULATED}
    assert any(one.counts for one in EMULATED)


def test_this_machine_may_be_timed(opened: Callable[[type[Agent], Target], Agent]) -> None:
    """The same request is sent here."""
    assert opened(TimedAgent, native()).ask(Request.TIME, b"", "timing").done
