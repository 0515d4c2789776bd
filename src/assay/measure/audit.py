# SPDX-License-Identifier: MIT
"""Whether calls that were timed did what they are said to have done: of loops and of scripts.

What they wrote while the clock ran must be what is written when it does not, and the seconds that
the kernel saw the process work must be those that are reported for them, and for what is known to
be done beside them. Which calls are chosen, and how they are made again, each kind says.
"""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from assay.execute.agent import AgentError

NOT_TIMED = "when it was not"


class WrongOutput(AgentError):
    """What was written while the clock ran is not what is written when it does not."""


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """Return the place from which on two outputs differ; None if they are equal."""
    if one == other:
        return None
    both = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in both if a != b), min(len(one), len(other)))


def require_same(
    who: str,
    name: str,
    timed: Sequence[int],
    right: Sequence[int],
    told: Callable[[int], str] = lambda _: "",
    *,
    than: str = NOT_TIMED,
) -> None:
    """Raise WrongOutput unless an output is what it is elsewhere.

    `told` says of the place from which on it differs whose it is.
    """
    at = first_difference(timed, right)
    if at is not None:
        raise WrongOutput(f"{who} wrote another {name} than {than}{told(at)}")


class Slices(Struct, frozen=True):
    """The outputs of several calls in one buffer, `stride` bytes apart."""

    stride: int
    calls: int

    def only(self, calls: Collection[int], timed: bytes, right: bytes) -> bytes:
        """Return what was timed of some calls, and what is right of all others."""
        found = bytearray(right)
        for at in (number * self.stride for number in calls):
            found[at : at + self.stride] = timed[at : at + self.stride]
        return bytes(found)

    def told(self, at: int) -> str:
        """Describe which call a byte is of."""
        number, offset = divmod(at, self.stride)
        return f": call {number} of {self.calls} differs from byte {offset} on"


class Account(Struct, frozen=True):
    """Seconds that were reported, those of the processor, and those without the calls."""

    reported: float
    used: float
    beside: float = 0.0

    def most(self, times: float = 1.0, beside: float = 1.0, more: float = 0.0) -> float:
        """Return the seconds that are explained, if all take so many times as long as they say."""
        return times * self.reported + beside * self.beside + more
