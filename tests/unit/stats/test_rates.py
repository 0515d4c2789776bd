# SPDX-License-Identifier: MIT
"""Rates, against the numbers printed in the eSTREAM HOWTO, Example 1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.summary import (
    IMIX_BYTES,
    imix_per_byte,
    megabits_per_second,
    microseconds,
    overhead_percent,
    setups_per_second,
)

HERTZ = 1694.814e6
STREAM = 415015 / 22 / 4096


def test_rates_are_the_howtos() -> None:
    """Time, Mbps, setups per second and overhead of Example 1."""
    assert microseconds(415015, HERTZ) == pytest.approx(244.87, abs=0.005)
    assert megabits_per_second(STREAM, HERTZ) == pytest.approx(2943.95, abs=0.005)
    assert setups_per_second(446655 / 7000, HERTZ) == pytest.approx(26561211.67, abs=0.005)
    assert overhead_percent(411499 / 350 / 40, STREAM) == pytest.approx(538.2, abs=0.05)


def test_simple_imix_weighs_seven_four_one() -> None:
    """(7*1175.71 + 4*3469.51 + 7910.56) / 4084 = 7.35, as the HOWTO prints."""
    assert IMIX_BYTES == 4084
    assert imix_per_byte({40: 1175.71, 576: 3469.51, 1500: 7910.56}) == pytest.approx(
        7.35, abs=5e-3
    )


@given(st.floats(1e-3, 1e3))
def test_imix_of_a_constant_rate_is_that_rate(rate: float) -> None:
    """A cipher without setup costs has no overhead."""
    imix = imix_per_byte({size: rate * size for size in (40, 576, 1500)})
    assert imix == pytest.approx(rate)
    assert overhead_percent(imix, rate) == pytest.approx(0, abs=1e-6)


@given(st.floats(1e-3, 1e3), st.floats(1e6, 1e10), st.floats(0.1, 10))
def test_mbps_depend_on_time_alone(rate: float, hertz: float, ratio: float) -> None:
    """Counting in another clock changes no Mbps."""
    expected = megabits_per_second(rate, hertz)
    assert megabits_per_second(rate * ratio, hertz * ratio) == pytest.approx(expected)
