# SPDX-License-Identifier: MIT
"""The checks that are asked of every kind."""

import tomllib
from pathlib import Path

import pytest

from assay.check import families
from assay.check.hash.kind import CHECKS as HASH_CHECKS
from assay.check.operation.kind import CHECKS as OPERATION_CHECKS
from assay.check.stream.kind import CHECKS as STREAM_CHECKS

CORPUS = Path(__file__).resolve().parents[2] / "whole/corpus"
SUPERCOP_ASKS = {"buffers/in-place", "buffers/inputs-kept"}  # by other checks
WITHOUT_CONTEXT = {check.name for check in families.CONTEXT} | {
    "calls/sparse", "lengths/zero"
}  # fmt: skip


def caught() -> set[str]:
    """Name the checks that have caught a package of a corpus."""
    defects = [
        one
        for path in CORPUS.glob("*.toml")
        for one in tomllib.loads(path.read_text()).get("defect", [])
    ]
    return {one.get("caught", "") for one in defects}


def test_every_shared_check_has_caught_a_broken_package() -> None:
    """There is no check that has never been seen to fail."""
    assert {check.name for check in families.CHECKS} <= caught()


@pytest.mark.parametrize("checks", [STREAM_CHECKS, HASH_CHECKS])
def test_ciphers_and_hashes_are_asked_all_shared_checks(checks: tuple[object, ...]) -> None:
    """Each is one object, not a copy of its own."""
    assert set(map(id, families.CHECKS)) <= set(map(id, checks))


def test_operations_are_asked_what_makes_sense_without_contexts() -> None:
    """What SUPERCOP asks of them already is not asked twice."""
    asked = {check.name for check in OPERATION_CHECKS}
    missing = {check.name for check in families.CHECKS} - asked
    assert missing == SUPERCOP_ASKS | WITHOUT_CONTEXT


def test_no_kind_has_two_checks_of_one_name() -> None:
    """A name is a row of every table of verdicts."""
    for checks in (STREAM_CHECKS, HASH_CHECKS, OPERATION_CHECKS):
        names = [check.name for check in checks]
        assert len(names) == len(set(names))
