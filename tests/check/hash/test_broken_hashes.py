# SPDX-License-Identifier: MIT
"""Every broken hash is caught by the check that is named, and by no other than stated."""

import re
from typing import Any

from assay.model import CheckResult, Verdict

NOTED = {"instructions/mips-i"}  # a wish: it is told as a remark
DEEP = ("memory/", "secrets/", "sanitize/", "threads/")
NOT_ASKED = {"update/beyond-4-gib"}  # it hashes 12 GiB


def names(results: dict[str, CheckResult], verdict: Verdict) -> set[str]:
    """Name the checks with this verdict."""
    return {name for name, result in results.items() if result.verdict is verdict}


def test_honest_toys_fail_nothing(toybench: Any, toy: str) -> None:
    """On no architecture, and every check that is skipped says why."""
    results = toybench.examine(toybench.package(toy, f"honest-{toy}"), toy, ("",))
    assert names(results, Verdict.FAIL) == set()
    assert all(results[name].reason for name in names(results, Verdict.SKIPPED))
    assert {"object/globals", "header/names", "update/pieces"} <= names(results, Verdict.PASS)


def test_the_honest_toy_fails_nothing_that_takes_long(toybench: Any) -> None:
    """Under valgrind, with sanitizers, and in two threads."""
    package = toybench.package("c", "honest-for-long")
    results = toybench.examine(package, "c", DEEP, deep=True)
    assert names(results, Verdict.FAIL) == set()
    assert {"memory/initialised", "sanitize/address", "threads/race"} <= names(
        results, Verdict.PASS
    )


def test_broken_hashes_fail_the_named_checks_and_no_others(toybench: Any, defect: Any) -> None:
    """The set of failing checks is what the corpus says."""
    package = toybench.package(
        defect.base, defect.name, defect.edits, header=defect.header, goals=defect.goals
    )
    asked = defect.asks or (("",) if defect.everything else ())
    only = {"only": asked} if asked else {}
    results = toybench.examine(
        package, defect.base, target_name=defect.target, deep=defect.deep, **only
    )
    failed = names(results, Verdict.FAIL)
    assert defect.fails <= failed
    assert "*" in defect.may or failed <= defect.fails | defect.may
    told = results[defect.caught or defect.noted]
    assert told.cure or not defect.caught
    assert re.search(defect.says, f"{told.reason}\n{told.evidence}", re.DOTALL)
    assert defect.caught or told.verdict is Verdict.SKIPPED


def test_every_check_has_caught_a_broken_hash(every_check: set[str], defects: list[Any]) -> None:
    """There is no check that has never been seen to fail."""
    failed = {name for one in defects for name in one.fails}
    assert every_check - NOTED - NOT_ASKED <= failed
    assert {one.noted for one in defects if one.noted} == NOTED
