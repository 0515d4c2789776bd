# SPDX-License-Identifier: MIT
"""Checking very many packages: verdicts by operation, and how often for which reason."""

from pathlib import Path

import pytest
from tests.unit.mock.cells import FakeWorkshop, Heard, Recipes, Write

from assay.check.depth import Depth, Extent
from assay.check.engine.cells import LOADS
from assay.check.engine.examine import Engine
from assay.check.engine.summary import Reason, Summary
from assay.check.engine.verdict import Located, judged
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.model import BrokenPackage, CheckResult, Verdict
from assay.plan.spread import TargetCells
from assay.store import Store
from assay.targets.catalogue import native

FAILED = "byte {} of 32 is wrong at 0x{:x}"


def sweep(
    workshop: FakeWorkshop,
    store: Store,
    recipes: list[Recipe],
    broken: list[BrokenPackage],
    workers: int,
    heard: Heard,
    *,
    deep: bool = False,
    hurried: bool = False,
) -> Summary:
    """Examine many packages, and add up what came of them."""
    summary = Summary()
    places: list[Located] = [(one.package, (TargetCells(native(), (one,)),)) for one in recipes]
    engine = Engine(workshop, store, workers, heard)
    asked = [*places, *((one, ()) for one in broken)]
    for one in judged(
        engine, asked, Wanted(Extent(Depth.DEEP if deep else Depth.FULL, hurried=hurried))
    ):
        summary.add(one.found, one.checks, one.seconds)
    return summary


def test_what_packages_took_is_kept_with_their_verdicts(
    workshop: FakeWorkshop,
    store: Store,
    recipes: Recipes,
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A command that goes on says what took longest before it was interrupted, too."""
    now = iter(range(1, 1000))
    monkeypatch.setattr("assay.check.engine.order.time.monotonic", lambda: float(next(now)))
    listed = recipes("a/ref")
    first, again = (sweep(workshop, store, listed, [], 1, heard) for _ in range(2))
    assert [one.seconds for one in first.outcomes] == [2.0]  # one to build, one to examine
    assert again.outcomes == first.outcomes


def test_packages_are_counted_by_verdict_and_reason(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, package: Write, heard: Heard
) -> None:
    """Numbers and folders do not make reasons different; names with digits do."""
    listed = recipes("a/ref b/ref c/ref d/ref e/ref")
    broken = package("f/ref", None)
    assert isinstance(broken, BrokenPackage)
    workshop.codes = {("d/ref", "O3"): None}
    workshop.skips = {"e/ref": "it is for armeabi, and this is amd64"}
    workshop.verdicts = {
        "b/ref-O3": CheckResult("toy/works", Verdict.FAIL, FAILED.format(3, 77)),
        "c/ref-O3": CheckResult("toy/works", Verdict.FAIL, FAILED.format(19, 4242)),
    }
    summary = sweep(workshop, store, listed, [broken], 2, heard)
    counts = summary.verdicts["crypto_hash"]
    assert counts == {Verdict.PASS: 1, Verdict.FAIL: 4, Verdict.SKIPPED: 1}
    assert summary.verdict is Verdict.FAIL
    of = {(one.verdict, one.check, one.text): hit for one, hit in summary.reasons.items()}
    assert of[Verdict.FAIL, "toy/works", "byte N of N is wrong at N"] == [
        "crypto_hash/b/ref", "crypto_hash/c/ref"
    ]  # fmt: skip
    assert of[Verdict.FAIL, "build/compiles", "O3 does not compile it"] == ["crypto_hash/d/ref"]
    skipped = (Verdict.SKIPPED, "build/fits", "it is for armeabi, and this is amd64")
    assert of[skipped] == ["crypto_hash/e/ref"]
    unread = (Verdict.FAIL, LOADS, "the package has api.h and no source")
    assert of[unread] == ["crypto_hash/f/ref"]
    names = [f"crypto_hash/{name}/ref" for name in "abcdef"]
    assert [one.package for one in summary.outcomes] == names
    assert summary.packages == len(names)
    assert summary.outcomes[1].reason == FAILED.format(3, 77)


def test_a_sweep_that_was_done_does_nothing_and_says_the_same(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, package: Write, heard: Heard
) -> None:
    """Everything is in the store."""
    listed, broken = recipes("a/ref b/ref"), package("c/ref", None)
    assert isinstance(broken, BrokenPackage)
    workshop.codes = {("b/ref", "O3"): None}
    first = sweep(workshop, store, listed, [broken], 2, heard)
    workshop.built.clear()
    workshop.examined.clear()
    again = sweep(workshop, store, listed, [broken], 2, heard)
    assert (again.verdicts, again.reasons) == (first.verdicts, first.reasons)
    assert (workshop.built, workshop.examined) == ([], [])


@pytest.mark.parametrize(("deep", "hurried"), [(False, False), (True, False), (False, True)])
def test_a_sweep_is_as_deep_and_as_hurried_as_was_asked_for(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard, deep: bool, hurried: bool
) -> None:
    """`check --deep` of many packages runs the slow checks, too; `--unhurried` asks all."""
    sweep(workshop, store, recipes("a/ref b/ref"), [], 2, heard, deep=deep, hurried=hurried)
    assert (workshop.deep, workshop.hurried) == ({deep}, {hurried})


def test_an_interrupted_sweep_goes_on_where_it_was(
    workshop: FakeWorkshop, store: Store, recipes: Recipes, heard: Heard
) -> None:
    """No package is examined twice."""
    listed = recipes("a/ref b/ref c/ref")
    workshop.interrupt_after = 2
    with pytest.raises(KeyboardInterrupt):
        sweep(workshop, store, listed, [], 1, heard)
    workshop.interrupt_after = None
    summary = sweep(workshop, store, listed, [], 1, heard)
    assert summary.verdicts["crypto_hash"][Verdict.PASS] == 3
    assert [one[0] for one in workshop.examined] == ["a/ref", "b/ref", "c/ref"]


def test_reasons_are_short_and_of_one_line() -> None:
    """The whole account is in the store."""
    summary = Summary()
    broken = BrokenPackage("a/ref", "crypto_hash/a/ref", Path("/tree"), "", "")
    result = CheckResult("toy/works", Verdict.FAIL, "x" * 300 + "\nmore")
    summary.add(broken, [result])
    assert list(summary.reasons) == [Reason(Verdict.FAIL, "toy/works", "x" * 100)]
