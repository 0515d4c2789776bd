# SPDX-License-Identifier: MIT
"""Every planted defect is caught by the check that is there for it, and no other one cries."""

import re

import pytest
from tests.whole.corpus.operations import (
    PQCLEAN,
    Defect,
    Oddity,
    OperationBench,
    all_bases,
    tree_of,
)

from assay.model import Verdict
from assay.model.compared import uncompared


def test_a_planted_defect_is_caught_by_its_check_and_by_no_other(
    operation_bench: OperationBench, planted: Defect
) -> None:
    """A check that cries where another one is meant is as wrong as one that is silent."""
    package = operation_bench.broken(planted)
    outcome = operation_bench.examine(package, deep=planted.deep, only=planted.asks)
    meant = Verdict.FINDING if planted.noted else Verdict.FAIL
    failed = {one.check: one for one in outcome.checks if one.verdict in (meant, Verdict.FAIL)}
    told = "\n".join(f"{one.check}: {one.reason}" for one in failed.values())
    assert planted.caught in failed, told
    assert failed[planted.caught].verdict is meant
    assert re.search(planted.says, failed[planted.caught].reason + failed[planted.caught].evidence)
    assert failed.keys() - planted.may == {planted.caught, *planted.also} - planted.may, told


@pytest.mark.slow
def test_the_honest_package_fails_no_check(operation_bench: OperationBench, base: str) -> None:
    """Not under valgrind either; one has nothing to compare its outputs with."""
    outcome = operation_bench.examine(operation_bench.package(base), deep=True)
    failed = [one for one in outcome.checks if one.verdict is Verdict.FAIL]
    assert failed == []
    assert outcome.verdict is Verdict.PASS or uncompared(outcome.checks)


@pytest.mark.parametrize("toy", [one for one in all_bases() if tree_of(one) == PQCLEAN])
def test_a_toy_of_pqclean_fails_no_quick_check(operation_bench: OperationBench, toy: str) -> None:
    """What is planted in it is seen only where the toy itself is honest."""
    outcome = operation_bench.examine(operation_bench.package(toy))
    assert [one for one in outcome.checks if one.verdict is Verdict.FAIL] == []


def test_an_honest_package_that_does_what_few_do_fails_no_check_for_it(
    operation_bench: OperationBench, odd: Oddity
) -> None:
    """What the bench itself provoked is no verdict, and a hang after it is none either."""
    asked = ("lengths/beyond-2-gib", "state/static-memory", "calls/threads")
    outcome = operation_bench.examine(operation_bench.broken(odd), only=asked)
    assert [one for one in outcome.checks if one.verdict is Verdict.FAIL] == []


@pytest.mark.slow
def test_an_honest_package_that_does_what_few_do_fails_no_check(
    operation_bench: OperationBench, oddity: Oddity
) -> None:
    """Not in two threads, and not under a sanitizer either."""
    outcome = operation_bench.examine(operation_bench.broken(oddity), deep=True)
    assert [one for one in outcome.checks if one.verdict is Verdict.FAIL] == []
