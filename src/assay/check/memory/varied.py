# SPDX-License-Identifier: MIT
"""Other public inputs for code that is followed, until they meet no new code.

A path that only some nonces, ciphertexts or data take is met by chance alone. Valgrind translates
code when it is first about to be executed, so it knows which input met something new.
"""

import time
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, Protocol

from msgspec import Struct

from assay.check.trial import BaseTrial
from assay.package.leaks import is_planted

NOTE = "other public inputs"
STILL = "still met new code"
RESTS, MULTIPLES = 64, 3  # lengths have each rest of a block once before one comes again
SECONDS, MOST_SECONDS = 2.0, 6.0  # the latter for code of which more and more is met
LEAST_SEEN = 3  # what one input in N does is met in 95 of 100 cases among three times as many


class Meeting(Protocol):
    """What is told of code that is followed."""

    @property
    def translated(self) -> int:
        """Return what grows when code is met for the first time."""


class Varied(Struct):
    """How many inputs there were, and which of them was the last to meet new code; 0 for none."""

    inputs: int = 0
    newest: int = 0

    @property
    def settled(self) -> bool:
        """Return whether the later half of the inputs met no new code."""
        return 2 * self.newest <= self.inputs

    def remark(self) -> str:
        """Return how rare a path may be that was met, and whether new code was met to the last."""
        if not self.inputs:
            return ""
        rare = max(1, self.inputs // LEAST_SEEN)
        seen = f"a path of one input in {rare} would have been met"
        if self.settled:
            return f"{seen}; the last {self.inputs - self.newest} of {self.inputs} met no new code"
        return f"{seen}; input {self.newest} of {self.inputs} {STILL}: more might, too"


def other_lengths(trial: BaseTrial[Any, Any], report: Meeting) -> Iterator[int]:
    """Yield short lengths, for uses with other public inputs, for as long as there is time.

    There is more of it while the later half of the inputs meets new code. There are none for leaks
    that are planted, and for the code of other compilers, which is asked after the package's own;
    MemorySanitizer's second build gets as many as the first.
    """
    earlier = trial.notes.get(NOTE)
    if trial.extent.shadowed and isinstance(earlier, Varied):
        yield from islice(_lengths(trial.random), earlier.inputs)
    if earlier is not None or is_planted(trial.package):
        return
    varied = trial.notes[NOTE] = Varied()
    began, lengths = time.monotonic(), _lengths(trial.random)
    while time.monotonic() < began + (SECONDS if varied.settled else MOST_SECONDS):
        before = report.translated
        yield next(lengths)
        varied.inputs += 1
        if report.translated > before:
            varied.newest = varied.inputs


def _lengths(random: Random) -> Iterator[int]:
    """Yield short lengths without end, with each rest of a block in turn."""
    while True:
        for rest in random.sample(range(RESTS), RESTS):
            yield rest + RESTS * random.randrange(MULTIPLES)


def how_varied(trial: BaseTrial[Any, Any]) -> str:
    """Return the remark on other inputs; nothing where there were none."""
    varied = trial.notes.get(NOTE)
    return varied.remark() if isinstance(varied, Varied) else ""
