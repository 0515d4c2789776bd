# SPDX-License-Identifier: MIT
"""Setups that leave their work to the first text: it counts, and the table says so."""

import pytest
from msgspec.structs import replace

from assay.measure.stream.untimed import NEW_KEY, ONE_TEXT, TWO_TEXTS, accounted, audits
from assay.model import Beats, Sample, SizeChoice
from assay.model.measuring import IV_SETUP, KEY_SETUP

SIZES, RATE = SizeChoice(128, 64), 2e9
# Ticks of a call: a key setup of 300, an IV setup of 7600 and a text of 500, each in its place.
HONEST = {KEY_SETUP: 300, IV_SETUP: 7600, ONE_TEXT: 8100, TWO_TEXTS: 8600, NEW_KEY: 8400}
IV_LEFT = HONEST | {IV_SETUP: 8}
KEY_LEFT = {KEY_SETUP: 10, IV_SETUP: 40, ONE_TEXT: 540, TWO_TEXTS: 1040, NEW_KEY: 12_540}


def samples(each: dict[str, int], tests: int = 10) -> list[Sample]:
    """Return a launch in which calls take so much; batches vary by a hundredth."""
    return [
        Sample(name, SIZES, 1, tests, 0, tuple(tests * ticks + at for at in range(-3, 6)))
        for name, ticks in each.items()
    ]


def setups(each: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Return ticks of a call, and those that were deferred."""
    return {
        one.measure: (round(sorted(one.ticks)[4] / 10), round(one.deferred_ticks / 10))
        for one in accounted(samples(each), RATE)
    }


@pytest.mark.parametrize(
    ("each", "found"),
    [
        (HONEST, {KEY_SETUP: (300, 0), IV_SETUP: (7600, 0)}),
        (IV_LEFT, {KEY_SETUP: (300, 0), IV_SETUP: (7600, 7592)}),
        (KEY_LEFT, {KEY_SETUP: (12_000, 11_990), IV_SETUP: (40, 0)}),
    ],
    ids=["honest", "IV setup left to the first block", "key setup left to the IV setup"],
)
def test_what_a_setup_leaves_to_others_counts_as_its_own(
    each: dict[str, int], found: dict[str, tuple[int, int]]
) -> None:
    """Whatever else was measured stays as it is, and what is timed for this is not shown."""
    assert setups(each) == found


@pytest.mark.parametrize("slower", [ONE_TEXT, TWO_TEXTS, NEW_KEY])
def test_a_seventh_more_in_one_series_accuses_nobody(slower: str) -> None:
    """A neighbour came; and a setup that waits for the text before it overlaps with nothing."""
    each = HONEST | {slower: round(HONEST[slower] * 1.07)}
    assert not any(deferred for _, deferred in setups(each).values())


@pytest.mark.parametrize("slower", [ONE_TEXT, TWO_TEXTS, NEW_KEY])
def test_a_series_that_a_neighbour_doubles_accuses_nobody(slower: str) -> None:
    """Each is taken twice."""
    disturbed = samples(HONEST | {slower: 2 * HONEST[slower]})
    found = [*disturbed, *(one for one in samples(HONEST) if one.measure == slower)]
    assert not any(one.deferred_ticks for one in accounted(found, RATE))


def test_nothing_is_said_without_all_audits() -> None:
    """A contest times the long stream alone."""
    found = [one for one in samples(IV_LEFT) if one.measure != NEW_KEY]
    assert [one.deferred_ticks for one in accounted(found, RATE)] == [0, 0]


def test_what_is_measured_alike_is_no_deferral_by_a_slower_clock() -> None:
    """Beats say that the clock was half as fast in one of the series."""
    beats, slow = Beats(1.0, 1.0), Beats(0.5, 1.0)
    made = [replace(one, beats=beats) for one in samples(HONEST)]
    made[-1] = replace(made[-1], beats=slow, ticks=tuple(2 * tick for tick in made[-1].ticks))
    assert not any(one.deferred_ticks for one in accounted(made, RATE))


def test_texts_behind_setups_are_whole_blocks_of_64_bytes_or_bytes_of_a_long_one() -> None:
    """As the agent encrypts them."""
    assert [audits(block)[0].call_bytes for block in (1, 48, 64, 256, 4096)] == [
        64, 96, 64, 256, 64,
    ]  # fmt: skip
