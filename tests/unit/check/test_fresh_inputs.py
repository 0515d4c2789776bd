# SPDX-License-Identifier: MIT
"""What is said of one bit of a nonce is said only if fresh inputs say it, too."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.arena import Arena
from assay.check.keystream import everywhere
from assay.check.routine import Routine
from assay.check.session import StreamSession
from assay.check.stream.trial import Trial


class _Said:
    """Inputs that are drawn anew, of which some say that a bit changes nothing."""

    def __init__(self, *says: str) -> None:
        """Take what is said in turn."""
        self.says = iter(says)
        self.drawn = 0

    def last_computation(self, *_: object) -> list[Routine]:
        """Draw inputs."""
        self.drawn += 1
        return [stand_in(Routine, name=one) for one in ("encrypt", "another way")]

    def say(self, *_: object) -> str:
        """Say the next."""
        return next(self.says)


@pytest.mark.parametrize(
    ("says", "sure"),
    [(("idle", "idle", "idle"), True), (("idle", "idle", ""), False), (("",), False)],
)
def test_a_bit_is_idle_only_if_fresh_inputs_say_so_each_time(
    monkeypatch: pytest.MonkeyPatch, says: tuple[str, ...], sure: bool
) -> None:
    """AES in CFB mode, byte by byte, gives the same for two such IVs once in 256."""
    monkeypatch.setattr(Arena, "alone", lambda _: stand_in(Arena, outcome=lambda one: one))
    monkeypatch.setattr(everywhere, "_changed", lambda one, _: one)
    monkeypatch.setattr(everywhere, "_pairs", lambda _: ())
    said = _Said(*says)
    trial = stand_in(Trial, last_computation=said.last_computation)
    session, place = stand_in(StreamSession), ("IV", 0, 5)
    assert everywhere._again(trial, session, 2200, "encrypt", place, said.say) is sure
    assert said.drawn == len(says)
