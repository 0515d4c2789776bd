# SPDX-License-Identifier: MIT
"""The round that goes wrong is shown, whichever of those that the agent compares it is."""

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.check.calls import rare_failures
from assay.check.calls.rare_failures import CHECK
from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.model import CheckResult, Verdict

KEM = "crypto_kem/mlkem768/ref"


def found(bench: OperationBench) -> CheckResult:
    """Return what the check says of a KEM."""
    outcome = bench.examine(bench.package(KEM), only=(CHECK.name,))
    (said,) = (one for one in outcome.checks if one.check == CHECK.name)
    assert said.verdict is Verdict.FAIL
    return said


def test_a_round_that_goes_well_when_it_is_made_again_went_wrong_once(
    operation_bench: OperationBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is said of the inputs then."""
    monkeypatch.setattr(rare_failures, "again", lambda *_: (2, 2))
    assert found(operation_bench).reason.startswith("a call goes wrong, once, in round 2")


def test_the_first_round_is_shown_if_the_second_differs_from_it(
    operation_bench: OperationBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent compares with its first round, whose inputs the second has overwritten."""
    rounds = 0
    really = OperationSession.run

    def run(session: OperationSession, script: Script) -> bytes:
        nonlocal rounds
        answer = really(session, script)
        rounds += bool(answer)
        if rounds == 5:  # with the greeting, by itself, what opens it, and both rounds anew
            return bytes(len(answer))
        return answer

    monkeypatch.setattr(rare_failures, "again", lambda *_: (2, 2))
    monkeypatch.setattr(OperationSession, "run", run)
    reason = found(operation_bench).reason
    assert ", in round 2" in reason
