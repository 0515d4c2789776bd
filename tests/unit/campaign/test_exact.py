# SPDX-License-Identifier: MIT
"""`assay run` on an emulated target: exact counts, twice, and nothing of them called time."""

import json

import pytest
from tests.unit.campaign.conftest import Tree

from assay.measure.policies.exact import LAUNCHES
from assay.model.compared import glanced
from assay.summary.cells import cell_results
from assay.summary.series import CellResult
from assay.targets.catalogue import catalogue, choose, look_for

TARGET = "qemu-mips"
AMD64 = "qemu-amd64"


def has(tree: Tree, name: str) -> Tree:
    """Give a tree on a machine that has a target."""
    (target,) = choose([name], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    return tree


@pytest.fixture
def counted(tree: Tree) -> Tree:
    """Give a tree on a machine that has the target."""
    return has(tree, TARGET)


@pytest.fixture
def salsa(tree: Tree) -> Tree:
    """Give a tree with two implementations of a cipher, on a machine that has AMD64.

    `simd` takes a third of the instructions of `ref`, and none less of an emulator's time.
    """
    for name in ("ref", "simd"):
        has(tree, AMD64).add(f"submissions/salsa20/{name}", f"salsa20/{name}")
    return tree


@pytest.mark.parametrize(
    "options",
    [
        # As many as begin a race where code is timed.
        pytest.param(("--best", "5"), marks=pytest.mark.slow),
        pytest.param(("--best", "5", "--exhaustive"), marks=pytest.mark.slow),
        ("--best", "3"),
        pytest.param((), marks=pytest.mark.slow),
    ],
)
def test_every_configuration_is_counted_and_the_best_codes_are_examined(
    salsa: Tree, options: tuple[str, ...]
) -> None:
    """No cell is left out or timed, the first is fewest instructions, and it passes."""
    names = ("salsa20/ref", "salsa20/simd")
    done = salsa.assay("run", *names, "--target", AMD64, "--sizes", "256/64", *options)
    assert done.returncode == 0, done.stderr
    assert "left out" not in done.stderr
    with salsa.store() as store:
        found = cell_results(store)
        launches = [one for cell in found for one in store.launches(cell.cell)]
    assert all(one.counter.exact_unit == "instructions" for one in launches)
    assert all(one.timed_seconds == 0.0 and not one.purpose for one in launches)
    assert all(one.figures and one.dropped is None for one in found)
    assert len(found) >= 2 * 3
    rates = {one.cell: _rate(one) for one in found}
    simd, ref = (
        [rate for cell, rate in rates.items() if cell.selector == name] for name in names[::-1]
    )
    assert 9 < min(simd) < max(simd) < min(ref)
    for name in names:
        best = min((one for one in found if one.cell.selector == name), key=_rate)
        assert not glanced(best.checks)
    seen = sum(glanced(one.checks) for one in found)
    assert bool(seen) == (options in ((), ("--best", "5")))


def _rate(result: CellResult) -> float:
    """Return the instructions for a byte of a long stream."""
    (rate,) = (one.rate for one in result.figures if one.measure == "stream/long")
    return float(rate)


@pytest.mark.slow  # two campaigns
def test_an_emulated_witness_is_counted(salsa: Tree) -> None:
    """`compare --measure --witness` shows instructions beside times, as the guide says."""
    done = salsa.assay(
        "compare", "salsa20/ref", "salsa20/simd", "--measure", "--launches", "1",
        "--witness", AMD64, "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [
        one
        for one in json.loads(done.stdout)["tables"][0]["rows"]
        if one["measure"] == "stream/long"
    ]
    emulated = [one for one in rows if one["target"] == AMD64]
    assert [one["unit"] for one in emulated] == ["instructions/byte"]
    native = [one for one in rows if one["target"] == "native"]
    assert native
    assert all(one["witness_change_percent"] < -60 for one in native)


def test_two_launches_count_the_same(counted: Tree) -> None:
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


def test_a_second_run_counts_nothing_again(counted: Tree) -> None:
    """Its store has the figures already."""
    assert (
        counted.assay("run", "--sizes", "128/0", "--target", TARGET, "--best", "1").returncode == 0
    )
    assert (
        counted.assay("run", "--sizes", "128/0", "--target", TARGET, "--best", "1").returncode == 0
    )
    with counted.store() as store:
        assert len(store.launch_heads()) == LAUNCHES
