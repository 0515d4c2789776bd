# SPDX-License-Identifier: MIT
"""Numbers that are no keys: what ends the program for some of them breaks no rule."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.check import CheckFinding
from assay.check.lengths import dependence as asked
from assay.check.stream.trial import Trial
from assay.execute.agent import AgentLost

ENDS = "it exited with code 1; it printed: The scalar does not meet the specification"


@pytest.mark.parametrize(("takes_numbers", "error"), [(True, CheckFinding), (False, AgentLost)])
def test_code_that_ends_for_a_changed_input_fails_unless_it_takes_scalars(
    takes_numbers: bool, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SUPERCOP's Jacobians of genus 2 look at the scalar, and call exit(1)."""

    def ends(_: object) -> str:
        raise AgentLost(ENDS)

    monkeypatch.setattr(asked, "_dependence", ends)
    trial = stand_in(Trial, takes_numbers=takes_numbers)
    with pytest.raises(error, match="scalar"):
        asked.dependence(trial)
