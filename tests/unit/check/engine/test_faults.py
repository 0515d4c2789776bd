# SPDX-License-Identifier: MIT
"""Whose fault it is that a package did not pass."""

from pathlib import Path

import pytest

from assay.check.check import took_too_long
from assay.check.engine.cells import Examination
from assay.check.engine.summary import Fault, Summary, fault_of
from assay.execute.patience import Patience
from assay.model import BrokenPackage, CheckResult, Verdict

FAIL, SKIPPED, OPEN = Verdict.FAIL, Verdict.SKIPPED, Verdict.OPEN


@pytest.mark.parametrize(
    ("verdict", "check", "reason", "fault"),
    [
        (FAIL, "package/loads", "the package has api.h and no source", Fault.LAYOUT),
        (FAIL, "build/compiles", "the file a.h is included but not in the package", Fault.LAYOUT),
        (FAIL, "build/compiles", "it includes crypto_core_x.h, unknown here", Fault.LAYOUT),
        (FAIL, "build/links", "nothing defines aes", Fault.LAYOUT),
        (FAIL, "build/compiles", "'x' undeclared", Fault.CODE),
        (FAIL, "buffers/guard", "with m of 1 bytes: SIGSEGV", Fault.CODE),
        (OPEN, "agent/patience", "the package used up the 20 seconds", Fault.TIME),
        (SKIPPED, "build/fits", "it is for armeabi, and this is amd64", Fault.MACHINE),
        (SKIPPED, "build/fits", "this processor does not have what f needs", Fault.MACHINE),
        (SKIPPED, "build/fits", "it needs XKCP, which is not in the tree", Fault.LIBRARY),
        (OPEN, "checksum/small", "correctness not compared", Fault.UNKNOWN),
    ],
)
def test_the_check_and_its_words_tell(
    verdict: Verdict, check: str, reason: str, fault: Fault
) -> None:
    """What is missing here is no fault of the code."""
    assert fault_of(verdict, check, reason) is fault


def test_every_package_counts_once_and_the_longest_list_comes_last(
    tmp_path: Path,
) -> None:
    """Those that cannot be loaded as well."""
    summary = Summary()
    for number, verdict in enumerate([FAIL, SKIPPED, SKIPPED, Verdict.PASS]):
        place = f"crypto_hash/a/{number}"
        broken = BrokenPackage(place, place, tmp_path, "", "")
        summary.add(broken, [CheckResult("build/fits", verdict, "for arm")])
    assert (summary.packages, summary.loaded) == (4, 0)
    assert list(summary.faults.items()) == [(Fault.CODE, 1), (Fault.MACHINE, 2)]


def test_what_was_not_examined_to_the_end_is_not_measured_and_listed_under_time() -> None:
    """Its verdict is open; a comparison that is open as well does not hide the reason."""
    late = took_too_long(Patience(30.0).error())
    checks = (CheckResult("checksum/small", OPEN, "correctness not compared"), late)
    outcome = Examination(None, (CheckResult("a/b", Verdict.PASS), *checks))
    assert outcome.verdict is OPEN
    assert not outcome.accepted(())
    summary = Summary()
    summary.add(BrokenPackage("x/y", "x/y", Path("y"), "", ""), outcome.checks)
    assert list(summary.faults) == [Fault.TIME]
    wrong = (*outcome.checks, CheckResult("a/c", FAIL, "wrong"))
    assert Examination(None, wrong).verdict is FAIL
