# SPDX-License-Identifier: MIT
"""Files that are moved while a check runs: what was to be compared with them is open."""

from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.answers.digests import verified
from assay.check.answers.vectors import vectors_verified
from assay.check.check import Check, CheckOpen, run_checks
from assay.check.hash.trial import HashTrial
from assay.check.stream.trial import Trial
from assay.errors import PackageError
from assay.model import Package, Verdict

GONE = Path("/nowhere/submissions/toy/verified.test-vectors")


@pytest.mark.parametrize("reference", ["submissions/toy/verified.test-vectors", ""])
def test_vectors_of_a_cipher_that_are_gone_are_open(reference: str) -> None:
    """A file that was there when the package was loaded is no failure of its code."""
    package = stand_in(Package, vectors=GONE, reference=reference)
    trial = stand_in(Trial, package=package)
    with pytest.raises(CheckOpen, match=r"correctness not compared: .*cannot be read"):
        vectors_verified(trial)


@pytest.mark.parametrize("reference", ["submissions/toy/verified.vectors", ""])
def test_vectors_of_a_hash_that_are_gone_are_open(reference: str) -> None:
    """Its other checks go on, with the sizes that the code supports."""
    package = stand_in(Package, vectors=GONE, reference=reference, sizes=())
    trial = HashTrial(package, None, None)  # type: ignore[arg-type]
    assert trial.vectors == ()
    assert trial.stated_sizes == ()
    with pytest.raises(CheckOpen, match=r"correctness not compared: .* is gone"):
        verified(trial)


def test_a_check_that_reads_a_file_too_late_is_open_and_others_go_on() -> None:
    """A header may be read when its folder has been moved."""

    def read(_: object) -> None:
        raise PackageError("x/api.h cannot be read: No such file or directory", "Put it back.")

    checks = [Check(name, "", "", "", run) for name, run in (("a/a", read), ("b/b", lambda _: ""))]
    found = run_checks(checks, None)
    assert [one.verdict for one in found] == [Verdict.OPEN, Verdict.PASS]
    assert found[0].reason.startswith("x/api.h cannot be read")
