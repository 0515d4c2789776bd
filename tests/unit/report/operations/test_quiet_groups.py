# SPDX-License-Identifier: MIT
"""Which samples of an operation count where launches were disturbed."""

from msgspec.structs import replace
from tests.unit.report.operations.filled import Fake, measurements, sample

from assay.model import Beats


def test_a_quiet_group_counts_although_its_launch_was_disturbed(fake: Fake) -> None:
    """At the clock that was heard around it: 800 ticks are 1000 cycles, and 1040 of the other."""
    cell = fake.cell(fake.package())
    heard = replace(sample("cycles/576", 800), beats=Beats(1.3, 0.3), quiet=True)
    beside = replace(sample("cycles/64", 900), beats=Beats(1.3, 0.5))
    fake.launch(cell, sample("cycles/576", 800), sample("cycles/64", 80))
    fake.launch(cell, heard, beside, disturbed="a neighbour came")
    short, long = sorted(measurements(fake.store), key=lambda one: one.size or 0)
    assert (long.launches, long.values) == (2, (1000, 1040))
    assert (short.launches, short.values) == (1, (100,))


def test_bytes_that_a_disturbed_launch_drew_count(fake: Fake) -> None:
    """No neighbour changes them, and none makes a launch count that has only those."""
    cell = fake.cell(fake.package())
    drawn = sample("enc_randombytes/-", 32)
    assert drawn.is_count
    assert not sample("enc_cycles/-", 32).is_count
    assert not sample("stream/long", 32).is_count
    fake.launch(cell, replace(drawn, quiet=True), disturbed="a neighbour came")
    (one,) = measurements(fake.store)
    assert one.values == (32,)
