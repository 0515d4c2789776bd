# SPDX-License-Identifier: MIT
"""What is believed of the setups before a series, which nobody times."""

from dataclasses import replace

import pytest

from assay.measure.loops import LoopMeasure, SetupTime
from assay.measure.stream.untimed import require_setups
from assay.model import Sample, SizeChoice
from assay.timing.witness import AgentLied

AGILITY, STREAM = 4, 0
RATE = 1e9
SIZES, OTHERS = SizeChoice(128, 64), SizeChoice(256, 64)
KEY_NS, IV_NS = 20_000, 10_000  # 100 of each take 3 ms
TESTS = 50


def timed(sizes: SizeChoice = SIZES) -> list[Sample]:
    """Give the samples of setups, each of many in a batch."""
    named = (("setup/key", KEY_NS), ("setup/iv", IV_NS))
    return [Sample(name, sizes, 5, TESTS, 0, (TESTS * ns,) * 3) for name, ns in named]


def setups(*milliseconds: float, loop: int = STREAM, sizes: SizeChoice = SIZES) -> list[SetupTime]:
    """Give the setups of some series."""
    measure = LoopMeasure("name", loop, 0, 0, 0)
    return [SetupTime(measure, sizes, one / 1000) for one in milliseconds]


def test_setups_that_take_what_they_take_when_they_are_timed_are_believed() -> None:
    """Colder caches, random keys, and one that a neighbour slowed."""
    require_setups(setups(3.2, 3.5, 4.0, 9.0), timed(), RATE, AGILITY)


def test_setups_that_take_twice_as_long_are_not_believed() -> None:
    """Most of them: any single one may be disturbed."""
    with pytest.raises(AgentLied, match=r"took 7.0 ms .* 4.7 ms at most .* works ahead"):
        require_setups(setups(3.0, 7.0, 7.0), timed(), RATE, AGILITY)


def test_the_setups_of_agility_copy_contexts_besides() -> None:
    """Sixteen megabytes of them."""
    copied = setups(9.0, 9.0, 9.0, loop=AGILITY)
    require_setups([*setups(3.0), *copied], timed(), RATE, AGILITY)


def test_setups_are_compared_at_their_own_sizes() -> None:
    """A longer key takes longer."""
    with pytest.raises(AgentLied):
        require_setups(setups(7.0, 7.0, 7.0, sizes=OTHERS), timed(OTHERS), RATE, AGILITY)
    require_setups(setups(7.0, 7.0, 7.0, sizes=OTHERS), timed(SIZES), RATE, AGILITY)


def test_a_key_setup_left_to_the_first_iv_is_told_as_work_ahead() -> None:
    """Before a series nobody can tell a key schedule from keystream."""
    key, iv = timed()
    with pytest.raises(AgentLied, match="or leaves its key setup to the first IV"):
        require_setups(setups(3.2, 3.5, 4.0), [replace(key, ticks=(1,) * 3), iv], RATE, AGILITY)
