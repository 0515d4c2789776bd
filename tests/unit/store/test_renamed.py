# SPDX-License-Identifier: MIT
"""Checks have one name each; what knows an older one goes on."""

from pathlib import Path

import pytest
from tests.unit.store.examples import BUILD, CELL, O3, PACKAGE

from assay.campaign.gathering import of_examination
from assay.check.engine.cells import Examination
from assay.check.kinds import every_check
from assay.execute.jail import Jail, JailMode
from assay.model import BrokenPackage, CheckResult, Verdict
from assay.model.work import FORMERLY, todays
from assay.store import Store


def test_results_of_an_older_version_are_read_under_todays_names(tmp_path: Path) -> None:
    """A verdict that was stored as state/leftovers is one of state/residue."""
    old = [CheckResult(name, Verdict.PASS) for name in ("state/leftovers", "buffers/guard")]
    with Store.create(tmp_path) as store:
        store.put_build(BUILD, PACKAGE, O3, "harness-1")
        store.put_checks(CELL, tuple(old), "asker")
        names = [one.check for one in store.checks(CELL) or ()]
        (shown,) = store.cells()
    assert names == ["state/residue", "buffers/guard"]
    assert [one.check for one in shown.checks] == names


def test_records_have_the_older_name_beside_todays() -> None:
    """Scripts that look for the older name find it under `formerly`."""
    found = BrokenPackage("x/y", "x/y", Path("y"), "", "")
    checks = tuple(CheckResult(one, Verdict.PASS) for one in ("state/residue", "buffers/guard"))
    made = of_examination(found, Examination(None, checks), Jail(JailMode.LIMITS_ONLY)).record
    assert [one.get("formerly") for one in made["checks"]] == ["state/leftovers", None]


@pytest.mark.parametrize(("new", "old"), FORMERLY.items())
def test_options_understand_older_names_of_checks_that_are_there(new: str, old: str) -> None:
    """`--accept` means the check of today; no check has an older name."""
    assert todays(old) == new == todays(new)
    assert new in every_check()
    assert old not in every_check()
