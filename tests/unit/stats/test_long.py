# SPDX-License-Identifier: MIT
"""The cost per byte of a very long message."""

import pytest

from assay.stats.long import long_fit
from assay.stats.quartiles import Quartiles


def exact(value: float) -> Quartiles:
    """Make quartiles without any spread."""
    return Quartiles(value, value, value)


def test_a_straight_line_gives_its_slope() -> None:
    """2.5 per byte and 300 for the message, without any deviation."""
    fit = long_fit({length: exact(300 + 2.5 * length) for length in range(0, 4097, 8)})
    assert fit is not None
    assert (fit.q1, fit.median, fit.q3) == pytest.approx((2.5, 2.5, 2.5))
    assert (fit.first, fit.last, fit.lengths) == (2048, 4096, 257)
    assert fit.deviation_percent == pytest.approx(0, abs=1e-9)


def test_steps_of_blocks_do_not_move_the_slope() -> None:
    """640 per block of 64 bytes are 10 per byte, at every byte's length."""
    fit = long_fit({length: exact(640 * (1 + length // 64)) for length in range(4097)})
    assert fit is not None
    assert fit.median == pytest.approx(10, rel=1e-3)


def test_a_few_disturbed_lengths_do_not_move_the_slope() -> None:
    """Three of 33 timings are ten times too long."""
    points = {length: exact(100 + 3 * length) for length in range(2048, 4097, 64)}
    points |= {length: exact(30000) for length in (2048, 3008, 4032)}
    fit = long_fit(points)
    assert fit is not None
    assert fit.median == pytest.approx(3)
    assert fit.deviation_percent is not None
    assert fit.deviation_percent > 100


def test_two_lengths_are_enough_and_say_nothing_of_their_fit() -> None:
    """4896 cycles between 1536 and 4096 bytes; the quartiles bracket the slope."""
    points = {
        576: exact(936),
        1536: Quartiles(2400, 2500, 2600),
        4096: Quartiles(7000, 7396, 7500),
    }
    fit = long_fit(points)
    assert fit is not None
    assert (fit.q1, fit.median, fit.q3) == (4400 / 2560, 4896 / 2560, 5100 / 2560)
    assert (fit.first, fit.last, fit.deviation_percent) == (1536, 4096, None)
    assert "2 lengths, 1536 to 4096" in fit.text


def test_one_length_makes_no_line() -> None:
    """Nor does none."""
    assert long_fit({64: exact(1)}) is None
    assert long_fit({}) is None
