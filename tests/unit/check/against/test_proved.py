# SPDX-License-Identifier: MIT
"""What a difference is where only one of two packages has passed known answers."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.engine.comparisons import _unproved
from assay.check.engine.wanted import ReferencePackage
from assay.model import CheckResult, Package, Verdict
from assay.model.compared import SIBLINGS, settled

DIFFERS = "a/x and a/y give different outputs for the same inputs; one of them is wrong"


def test_a_sibling_without_known_answers_fails_nobody_who_has_passed_them() -> None:
    """The difference is shown as a finding; without known answers it stays a failure."""
    differs = CheckResult(SIBLINGS, Verdict.FAIL, DIFFERS)
    right = CheckResult("answers/verified", Verdict.PASS)
    verdicts = {one.check: one.verdict for one in settled((differs, right))}
    assert verdicts[SIBLINGS] is Verdict.FINDING
    assert settled((differs,)) == (differs,)


@pytest.mark.parametrize(("named", "verdict"), [(True, Verdict.OPEN), (False, Verdict.FINDING)])
def test_what_has_passed_known_answers_does_not_fail_by_what_has_not(
    named: bool, verdict: Verdict
) -> None:
    """It is open where somebody asked for the comparison, and a finding where nobody did."""
    package = stand_in(Package, selector="a/y")
    reference = stand_in(ReferencePackage, package=package, named=named)
    found = _unproved(CheckResult("against/given", Verdict.FAIL, DIFFERS), reference)
    assert found.verdict is verdict
    assert found.reason.endswith("the package has passed known answers, and a/y has not")
    assert "one of them is wrong" not in found.reason
