# SPDX-License-Identifier: MIT
"""MemorySanitizer is asked twice, and what it says is compared: both passes are of one thing."""

from contextlib import nullcontext
from random import Random
from types import SimpleNamespace
from typing import cast

from tests.unit.mock.standing import stand_in

from assay.check.bench import Bench
from assay.check.check import CheckSkipped
from assay.check.depth import Extent
from assay.check.lengths.far import marked
from assay.check.memory.passes import ask
from assay.check.stream.trial import Trial


class Drawing(SimpleNamespace):
    """A trial as far as inputs are drawn for it, in measuring its speed among other things."""

    on_board, measured, deep = False, (True, False), True

    def bytes(self, length: int) -> bytes:
        """Return fresh bytes."""
        return bytes(self.random.randbytes(length))

    def only_deep(self) -> None:
        """Ask it: it is deep."""

    def fresh_session(self) -> nullcontext[None]:
        """Lend nothing."""
        return nullcontext()

    def budget(self) -> None:
        """Draw what is timed, and be too slow."""
        self.bytes(16)
        raise CheckSkipped("slow")


def test_both_passes_of_memory_sanitizer_get_the_same_inputs() -> None:
    """A loop of four turns at a time leaves a branch out where the secret bound is a multiple."""
    bench = stand_in(Bench, valgrind=object(), shadowed=object())
    known = Drawing(random=Random(1), notes={"far": []}, extent=Extent(shadowed=True), bench=bench)
    trial = cast("Trial", known)
    drawn = []

    def examine(trial: Trial, *_: object) -> None:
        marked(trial)
        drawn.append(trial.bytes(16))

    ask(trial, examine)
    assert len(drawn) == 2
    assert drawn[0] == drawn[1] != trial.bytes(16)
