# SPDX-License-Identifier: MIT
"""Which drawn bits may change nothing: those that a scalar has set, and no others."""

import pytest

from assay.check.entropy.drawn import _are_clamped

EVERY = range(8 * 64)


@pytest.mark.parametrize(
    ("idle", "total", "clamped"),
    [
        ([0, 1, 2, 254, 255], 32, True),
        ([256, 257, 258, 510, 511], 64, True),  # X-Wing draws a message, then a scalar
        ([0, 1, 447], 56, True),
        ([255], 32, False),
        ([0, 1, 2, 254, 255, 300], 64, False),
        ([8, 9, 10, 262, 263], 64, False),
    ],
    ids=["X25519", "X25519 behind others", "X448", "one alone", "and one more", "elsewhere"],
)
def test_bits_of_a_scalar_are_excused_where_all_of_them_are_idle(
    idle: list[int], total: int, *, clamped: bool
) -> None:
    """RFC 7748, section 5, sets five bits of X25519's and three of X448's scalars."""
    assert _are_clamped(idle, EVERY[: 8 * total], total) is clamped


def test_bits_that_were_not_tried_are_not_waited_for() -> None:
    """Of a slow function only some bits are flipped."""
    assert _are_clamped([0, 254], [0, 17, 254], 32)
    assert not _are_clamped([0], [0, 17, 254], 32)
