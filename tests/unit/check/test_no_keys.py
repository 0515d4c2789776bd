# SPDX-License-Identifier: MIT
"""Numbers that are no keys: what ends the program for some of them breaks no rule."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.check.check import CheckFinding
from assay.check.lengths import dependence as asked
from assay.execute.agent import AgentLost

ENDS = "it exited with code 1; it printed: The scalar does not meet the specification"


@pytest.mark.parametrize(("takes_numbers", "error"), [(True, CheckFinding), (False, AgentLost)])
def test_code_that_ends_for_a_changed_input_fails_unless_it_takes_scalars(
    takes_numbers: bool, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SUPERCOP's Jacobians of genus 2 look at the scalar, and call exit(1)."""

    def ends(_: Any) -> str:
        raise AgentLost(ENDS)

    monkeypatch.setattr(asked, "_dependence", ends)
    trial: Any = SimpleNamespace(takes_numbers=takes_numbers)
    with pytest.raises(error, match="scalar"):
        asked.dependence(trial)
