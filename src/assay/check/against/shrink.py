# SPDX-License-Identifier: MIT
"""The smallest question that two implementations answer differently.

Lengths come first, then bytes: as many as possible become zeros. What is smaller and does not
differ is dropped, as is what faults.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from assay.check.against.pair import Difference, Pair, ReferenceFailed
from assay.check.against.side import RandomInputs
from assay.check.check import CheckSkipped
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience

MOST_TRIES = 3000
MOST_SECONDS = 30.0  # by the clock
ALL_LENGTHS = 80  # shorter ones are tried one by one


@dataclass(slots=True)
class Shrinking:
    """The smallest difference so far, and how often something smaller may still be tried."""

    pair: Pair
    best: Difference
    left: int = MOST_TRIES
    until: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)

    @property
    def question(self) -> RandomInputs:
        """The question that is made smaller."""
        return self.best.question

    def takes(self, smaller: RandomInputs) -> bool:
        """Try a smaller question, and keep it if the answers still differ."""
        if self.left == 0 or smaller == self.question or time.monotonic() > self.until:
            return False
        self.left -= 1
        try:
            found = self.pair.difference(smaller)
        except OutOfPatience:
            self.left = 0
            return False
        except (AgentError, ReferenceFailed):
            return False
        except CheckSkipped:  # one of them hangs too often
            self.left = 0
            return False
        if found is not None:
            self.best = found
        return found is not None


def shrunk(pair: Pair, found: Difference) -> Difference:
    """Return the smallest difference found."""
    shrinking = Shrinking(pair, found)
    before = None
    while before != shrinking.question:
        before = shrinking.question
        _lengths(shrinking)
        _bytes(shrinking)
    return shrinking.best


def _lengths(shrinking: Shrinking) -> None:
    """Make the message shorter, then what has the second length."""
    _number(shrinking, "length")
    _number(shrinking, "second")


def _number(shrinking: Shrinking, name: str) -> None:
    """Make one length smaller: by halves, then to every smaller one if they are few."""

    def now() -> int:
        return int(getattr(shrinking.question, name))

    step = now()
    while step:
        if step > now() or not any(map(shrinking.takes, _shorter(shrinking.question, name, step))):
            step //= 2
    for less in range(now(), 0, -1) if now() <= ALL_LENGTHS else ():
        if any(map(shrinking.takes, _shorter(shrinking.question, name, less))):
            return


def _shorter(question: RandomInputs, name: str, less: int) -> Iterator[RandomInputs]:
    """Yield the question with so many bytes less at the end, and with as many less in front."""
    length = getattr(question, name)
    shorter = replace(question, **{name: length - less})
    yield shorter
    for number, drawn in enumerate(question.drawn):
        if len(drawn) >= length:
            yield _put_draw(number)(shorter, drawn[less:])


def _bytes(shrinking: Shrinking) -> None:
    """Set bytes of every draw, and of the randomness, to zero: all, then parts, then each."""
    for number in range(len(shrinking.question.drawn)):
        _zeros(shrinking, _draw(number), _put_draw(number))
    _zeros(shrinking, lambda one: one.seed, lambda one, to: replace(one, seed=to))


def _draw(number: int) -> Callable[[RandomInputs], bytes]:
    def get(one: RandomInputs) -> bytes:
        return one.drawn[number]

    return get


def _put_draw(number: int) -> Callable[[RandomInputs, bytes], RandomInputs]:
    def put(one: RandomInputs, to: bytes) -> RandomInputs:
        drawn = (*one.drawn[:number], to, *one.drawn[number + 1 :])
        return replace(one, drawn=drawn)

    return put


def _zeros(
    shrinking: Shrinking,
    get: Callable[[RandomInputs], bytes],
    put: Callable[[RandomInputs, bytes], RandomInputs],
) -> None:
    size = len(get(shrinking.question))
    while size:
        for start in range(0, len(get(shrinking.question)), size):
            now = get(shrinking.question)
            part = bytes(len(now[start : start + size]))
            shrinking.takes(put(shrinking.question, now[:start] + part + now[start + size :]))
        size //= 2
