# SPDX-License-Identifier: MIT
"""What an accepted forgery is: a failure, or a finding where the scheme need not refuse it."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import CheckFailed, CheckFinding
from assay.check.operation.session import OperationSession, ScriptResults
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome, Step
from assay.check.seal.openings import Opening, refuse_all
from assay.execute.agent import Agent
from assay.model import OperationDetails, OperationSubject

MESSAGE = bytes(range(100, 140))
STRANGER = bytes(255 - one * 7 % 251 for one in MESSAGE)


class OpensTo:
    """Stands for an arena: every ciphertext opens, a changed one to `message`."""

    def __init__(self, message: bytes) -> None:
        """Open what was changed to this message."""
        self._message = message

    def use(self, _routine: Routine) -> ScriptResults:
        """Return results of a call that returned 0."""
        return stand_in(ScriptResults, of=lambda _steps: ((0,), {}))

    def outcome(self, routine: Routine) -> RoutineOutcome:
        """Return the true message for the true ciphertext."""
        return RoutineOutcome((0,), {"t": MESSAGE if routine.name == "true" else self._message})


def _accepted(
    monkeypatch: pytest.MonkeyPatch, operation: str, message: bytes, folder: Path
) -> None:
    stub = OpensTo(message)
    monkeypatch.setattr(Arena, "use", stub.use)
    monkeypatch.setattr(Arena, "outcome", stub.outcome)
    step = (Step(f"{operation}_open", 1, ()),)
    genuine, forged = (Routine(name, {}, step) for name in ("true", "forged"))
    budget = stand_in(Budget, each=lambda _session, tried: tried, remark=lambda _what: "")
    trial = stand_in(
        OperationTrial,
        subject=stand_in(OperationSubject, operation=operation, primitive="some"),
        details=stand_in(OperationDetails, tree=folder),
        budget=lambda _seconds: budget,
    )
    opening = Opening(forged, "bit 0 of byte 0 of c flipped", genuine)
    agent = stand_in(Agent, forget_buffers=lambda: None, processor_seconds=lambda: None)
    session = stand_in(OperationSession, agent=agent, waiting=lambda _seconds: nullcontext())
    refuse_all(trial, session, 1.0, [opening])


def test_an_accepted_box_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever it opens to."""
    for message in (MESSAGE, STRANGER):
        with pytest.raises(CheckFailed, match="accepts bit 0"):
            _accepted(monkeypatch, "crypto_box", message, tmp_path)


def test_a_stranger_s_message_is_a_finding_for_public_key_encryption(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Anybody can encrypt to a public key."""
    (tmp_path / "crypto_encrypt/some").mkdir(parents=True)
    (tmp_path / "crypto_encrypt/some/goal-indcca2").touch()
    with pytest.raises(CheckFinding, match="opens it to another message"):
        _accepted(monkeypatch, "crypto_encrypt", STRANGER, tmp_path)


def test_a_related_message_is_a_failure_where_cca_security_is_declared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One changed bit of the message is as bad as the message itself."""
    related = bytes([MESSAGE[0] ^ 1]) + MESSAGE[1:]
    for message in (MESSAGE, related):
        with pytest.raises(CheckFinding, match="does not declare goal-indcca2"):
            _accepted(monkeypatch, "crypto_encrypt", message, tmp_path)
    (tmp_path / "crypto_encrypt/some").mkdir(parents=True)
    (tmp_path / "crypto_encrypt/some/goal-indcca2").touch()
    for message in (MESSAGE, related):
        with pytest.raises(CheckFailed, match="accepts bit 0"):
            _accepted(monkeypatch, "crypto_encrypt", message, tmp_path)
