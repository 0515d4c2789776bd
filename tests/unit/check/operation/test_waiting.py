# SPDX-License-Identifier: MIT
"""How long calls are waited for whose usual time is known."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.operation.session import SCRIPT_SECONDS, OperationSession
from assay.execute.agent import Agent
from assay.model import OperationSubject

SUBJECT = OperationSubject("crypto_hash", "toy", "ref", (), ("",), 0)


@pytest.mark.parametrize(("usual", "waited"), [(0.001, 20.0), (1.0, 100.0), (30.0, 300.0)])
def test_a_forgery_is_waited_for_as_the_genuine_call_is_slow(usual: float, waited: float) -> None:
    """One that never returns costs no more than 20 seconds where the genuine call is fast."""
    session = OperationSession(stand_in(Agent), SUBJECT)
    with session.waiting(usual):
        assert session.silence_seconds == waited
    assert session.silence_seconds == SCRIPT_SECONDS
