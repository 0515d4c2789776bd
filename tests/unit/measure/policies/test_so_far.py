# SPDX-License-Identifier: MIT
"""What progress says of a code while it is launched."""

import pytest

from assay.measure.policies.turns import so_far
from assay.model import Cell, Counter, Launch, Sample, SizeChoice
from assay.model.operation import SCORE
from assay.model.series import NO_SIZES

SIZES, LONGER = SizeChoice(128, 64), SizeChoice(256, 64)
COUNTER = Counter("RDTSC instruction", 2, 2e9, 1.0, 0.0)
ASKED = frozenset({("stream/long", SIZES), ("stream/long", LONGER)})


def launch(*samples: Sample) -> Launch:
    """Make a quiet launch."""
    quiet = (1.0, 1.0)
    return Launch(Cell("x/ref", 1, "gcc"), "o", 1, "now", COUNTER, quiet, quiet, 1.0, 1.0, "none",
                  samples)  # fmt: skip


def long_stream(cycles: int, sizes: SizeChoice = SIZES) -> Sample:
    """Return a sample of so many cycles for 100 bytes, and of ten less and ten more."""
    return Sample("stream/long", sizes, 1, 1, 100, (cycles - 10, cycles, cycles + 10))


OTHER = Sample("setup/key", SIZES, 1, 1, 0, (7,))


@pytest.mark.parametrize(
    ("launches", "told"),
    [
        ([], "x/ref"),
        ([launch(OTHER)], "x/ref"),
        ([launch(OTHER, long_stream(200))], "x/ref 2.00 cycles/byte (1.95 to 2.05 in one launch)"),
        ([launch(long_stream(200)), launch(long_stream(300))],
         "x/ref 2.50 cycles/byte (2.25 to 2.75)"),
        ([launch(long_stream(200), long_stream(400, LONGER))],
         "x/ref 4.00 cycles/byte (3.95 to 4.05 in one launch)"),
    ],
    ids=["nothing yet", "another measure", "one launch", "two launches", "the longest key"],
)  # fmt: skip
def test_a_code_is_named_with_what_is_known_of_it(launches: list[Launch], told: str) -> None:
    """The figure by which codes are compared, with quartiles, of one launch over its timings."""
    assert so_far("x/ref", launches, ASKED) == told


def test_the_score_of_an_operation_is_told_per_call() -> None:
    """It is what a whole task takes, whatever its length."""
    score = Sample(SCORE, NO_SIZES, 1, 1, 0, (3000, 3000, 3000))
    told = so_far("crypto_hash/x/ref", [launch(score)], frozenset({(SCORE, NO_SIZES)}))
    assert told == "crypto_hash/x/ref 3000.00 cycles/call (3000.00 to 3000.00 in one launch)"
