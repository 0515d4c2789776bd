# SPDX-License-Identifier: MIT
"""How long calls are waited for whose usual time is known."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.check.operation.session import SCRIPT_SECONDS, OperationSession

NOBODY: Any = None
SUBJECT: Any = SimpleNamespace(operation="crypto_hash", functions=("",))


@pytest.mark.parametrize(("usual", "waited"), [(0.001, 20.0), (1.0, 100.0), (30.0, 300.0)])
def test_a_forgery_is_waited_for_as_the_genuine_call_is_slow(usual: float, waited: float) -> None:
    """One that never returns costs no more than 20 seconds where the genuine call is fast."""
    session = OperationSession(NOBODY, SUBJECT)
    with session.waiting(usual):
        assert session.silence_seconds == waited
    assert session.silence_seconds == SCRIPT_SECONDS
