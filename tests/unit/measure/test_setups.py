# SPDX-License-Identifier: MIT
"""What is believed of the setups before a series, which nobody times."""

import pytest
from msgspec.structs import replace

from assay.measure.loops import LoopMeasure, SetupTime
from assay.measure.stream.untimed import NEW_KEY, ONE_TEXT, TWO_TEXTS, require_setups
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


def setups(
    *milliseconds: float, loop: int = STREAM, sizes: SizeChoice = SIZES, ivs: float = 1.0
) -> list[SetupTime]:
    """Give the setups of some series; the last IVs took `ivs` milliseconds."""
    measure = LoopMeasure("name", loop, 0, 0, 0)
    return [SetupTime(measure, sizes, one / 1000, ivs / 1000) for one in milliseconds]


def deferring(sizes: SizeChoice = SIZES) -> list[Sample]:
    """Give samples of a cipher that leaves its key setup to the first IV: texts take 1 us."""
    key, iv = timed(sizes)
    each = {ONE_TEXT: IV_NS + 1000, TWO_TEXTS: IV_NS + 2000, NEW_KEY: KEY_NS + IV_NS + 1000}
    audits = (replace(iv, measure=name, ticks=(TESTS * ns,) * 3) for name, ns in each.items())
    return [replace(key, ticks=(10 * TESTS,) * 3), iv, *audits]


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


def test_a_key_setup_left_to_the_first_iv_counts_as_the_key_setup() -> None:
    """What is made there for the first IV is of no use for the second."""
    require_setups(setups(3.2, 3.5, 4.0), deferring(), RATE, AGILITY)
    with pytest.raises(AgentLied, match=r"keys and IVs took 7\.0 ms"):
        require_setups(setups(3.0, 7.0, 7.0), deferring(), RATE, AGILITY)


def test_a_key_setup_left_to_the_first_iv_that_no_measure_shows_is_not_believed() -> None:
    """Without the audits nothing says what is left to it."""
    with pytest.raises(AgentLied, match="keys and IVs"):
        require_setups(setups(3.2, 3.5, 4.0), deferring()[:2], RATE, AGILITY)


def test_keystream_of_a_cipher_without_iv_may_be_made_in_its_first_iv_setup() -> None:
    """So nothing that is left to it is believed: the second IV is the first."""
    none = SizeChoice(128, 0)
    with pytest.raises(AgentLied, match="keys and IVs"):
        require_setups(setups(3.2, 3.5, 4.0, sizes=none), deferring(none), RATE, AGILITY)


def test_work_ahead_in_the_ivs_that_are_used_is_not_believed() -> None:
    """What a key setup left to others was done before them."""
    require_setups(setups(3.2, 3.2, 3.2, ivs=1.6), deferring(), RATE, AGILITY)
    with pytest.raises(AgentLied, match=r"setting up 100 IVs took 2.0 ms .* works ahead"):
        require_setups(setups(3.2, 3.2, 3.2, ivs=2.0), deferring(), RATE, AGILITY)
