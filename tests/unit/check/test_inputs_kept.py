# SPDX-License-Identifier: MIT
"""Which bytes of inputs must stay as they are."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.arena import Arena
from assay.check.buffers.inputs import _after, _require_kept
from assay.check.check import CheckFailed
from assay.check.routine import Routine, Variable
from assay.execute.agent import PendingAnswer
from assay.model.api import Role, Way

SIGNED = b"a signature that is shorter than others"


def looked_at(held: bytes) -> None:
    """Look at an input that has room for more, of which so much lies in the agent."""
    sealed = Variable(Role.CIPHERTEXT, Way.IN, 64, SIGNED)
    routine = Routine("open", {"c": sealed}, ())
    arena = stand_in(
        Arena,
        begin=lambda _: None,
        get=lambda _, length: stand_in(PendingAnswer, data=held.ljust(64, b"\0")[:length]),
    )
    for one in _after(arena, routine):
        _require_kept(*one)


def test_an_input_is_looked_at_as_far_as_it_goes() -> None:
    """Signatures of Falcon differ in length: what lies behind one is no part of it."""
    looked_at(SIGNED)


def test_a_changed_byte_of_it_is_named() -> None:
    """The last one counts."""
    with pytest.raises(CheckFailed, match="open changes its input c"):
        looked_at(SIGNED[:-1] + b"!")
