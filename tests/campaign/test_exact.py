# SPDX-License-Identifier: MIT
"""`assay run` on an emulated target: exact counts, twice, and nothing of them called time."""

from typing import Any

import pytest

from assay.measure.policies.exact import LAUNCHES
from assay.summary.cells import cell_results
from assay.targets.catalogue import catalogue, choose
from assay.targets.installed import look_for

TARGET = "qemu-mips"


@pytest.fixture
def counted(tree: Any) -> Any:
    """Give a tree on a machine that has the target."""
    (target,) = choose([TARGET], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    return tree


def test_two_launches_count_the_same(counted: Any) -> None:
    """Every sample is one exact number, the same in both; none is marked as disturbed."""
    done = counted.assay("run", "--sizes", "128/0", "--target", TARGET, "--best", "1")
    assert done.returncode == 0, done.stderr
    with counted.store() as store:
        (result,) = cell_results(store)
        first, second = store.launches(result.cell)
    assert LAUNCHES == 2
    assert result.cell.target == TARGET
    assert first.samples == second.samples
    assert (first.disturbed, second.disturbed) == ("", "")
    assert all(len(one.ticks) == 1 and one.ticks[0] > 0 for one in first.samples)
    assert {"stream/long", "packet/40"} <= {one.measure for one in first.samples}
    assert first.counter.exact_unit == "instructions"


def test_a_second_run_counts_nothing_again(counted: Any) -> None:
    """Its store has the figures already."""
    assert (
        counted.assay("run", "--sizes", "128/0", "--target", TARGET, "--best", "1").returncode == 0
    )
    assert (
        counted.assay("run", "--sizes", "128/0", "--target", TARGET, "--best", "1").returncode == 0
    )
    with counted.store() as store:
        assert len(store.launch_heads()) == LAUNCHES
