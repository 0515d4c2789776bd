# SPDX-License-Identifier: MIT
"""Below the tables of `assay ct` stands where more inputs may meet more code."""

from tests.unit.mock.standing import stand_in

from assay.campaign.constant_time import LeakMatrix, unsettled
from assay.check.engine.cells import CheckedCell
from assay.check.memory.passes import Varied
from assay.model import CheckResult, Verdict
from assay.model.secrets import TIMING


def cell(varied: Varied) -> CheckedCell:
    """Return a cell in which nothing leaks, with the remark on how its inputs varied."""
    return stand_in(CheckedCell, checks=(CheckResult(TIMING, Verdict.PASS, varied.remark()),))


def test_configurations_are_counted_whose_last_inputs_met_new_code() -> None:
    """Of the others nothing is said."""
    cells = (cell(Varied(9, 8)), cell(Varied(9, 2)), cell(Varied(20, 20)), cell(Varied()))
    found = LeakMatrix("mine", cells, ())
    other = LeakMatrix("other", (cell(Varied(9, 0)),), ())
    assert list(unsettled((found, other))) == [
        "mine: the last inputs still met new code in 2 of its clean configurations"
    ]
