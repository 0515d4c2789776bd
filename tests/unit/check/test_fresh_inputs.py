# SPDX-License-Identifier: MIT
"""What is said of one bit of a nonce is said only if fresh inputs say it, too."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.check.keystream import everywhere


class _Said:
    """Inputs that are drawn anew, of which some say that a bit changes nothing."""

    def __init__(self, *says: str) -> None:
        """Take what is said in turn."""
        self.says = iter(says)
        self.drawn = 0

    def last_computation(self, *_: object) -> list[Any]:
        """Draw inputs."""
        self.drawn += 1
        return [SimpleNamespace(name="encrypt"), SimpleNamespace(name="another way")]

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
    monkeypatch.setattr(everywhere, "Arena", lambda _: SimpleNamespace(outcome=lambda one: one))
    monkeypatch.setattr(everywhere, "_changed", lambda one, _: one)
    monkeypatch.setattr(everywhere, "_pairs", lambda _: ())
    trial: Any = _Said(*says)
    session: Any = SimpleNamespace(agent=SimpleNamespace(forget_buffers=lambda: None))
    place = ("IV", 0, 5)
    assert everywhere._again(trial, session, 2200, "encrypt", place, trial.say) is sure
    assert trial.drawn == len(says)
