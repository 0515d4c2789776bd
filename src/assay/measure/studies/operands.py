# SPDX-License-Identifier: MIT
"""Whether the time of an operation depends on how many bits of its operands are set.

Multiplications may end early, comparisons stop, and tables lie in caches or not. So the calls by
which implementations are compared are timed on operands that are all zeros, sparse, random, dense
and all ones, in launches in random order; random ones twice, as two such rows show what launches
differ by alone. Outputs are proved as everywhere.
"""

import statistics
from collections.abc import Iterator
from functools import reduce
from operator import and_, or_
from random import Random, SystemRandom

from msgspec import Struct

from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.agent import AgentError
from assay.execute.lock import machine_lock
from assay.measure.studies.ready import ready, require_operation, speeds
from assay.measure.task import Take
from assay.model.progress import Progress
from assay.stats.quartiles import quartiles

RANDOM = "random"
SOME = 3  # draws of which every bit is in all, or in any: an eighth, or seven of eight, are set
NO_OPERANDS = "Name an operation whose calls are given keys, messages or scalars, not a KEM."
OPERANDS = ("zeros", "sparse", RANDOM, "random again", "dense", "ones")


class Operands(Random):
    """Draws bytes of which more or fewer bits are set; everything else is drawn as ever.

    Inputs of calls are drawn as bytes, and seeds as numbers (`measure/operation/challenge.py`).
    """

    def __init__(self, seed: int, name: str, drawn: list[int]) -> None:
        """Draw operands of this name; `drawn` gets how many bytes each time."""
        super().__init__(seed)
        self._name, self._drawn = name, drawn

    def randbytes(self, n: int) -> bytes:
        """Return so many bytes."""
        self._drawn.append(n)
        if self._name in ("zeros", "ones"):
            return (b"\x00" if self._name == "zeros" else b"\xff") * n
        join = {"sparse": and_, "dense": or_}.get(self._name)
        drawn = [self.getrandbits(8 * n) for _ in range(SOME if join else 1)]
        return reduce(join or or_, drawn).to_bytes(n, "little")


class OperandsRow(Struct, frozen=True):
    """Seconds a call takes on such operands, one value a launch, and on random ones.

    There are none where calls cannot be timed on them, and `problem` says why: two strings of
    zeros are equal, so nothing can be refused.
    """

    package: str
    operands: str
    seconds: tuple[float, ...]
    random: tuple[float, ...]
    problem: str = ""

    @property
    def ratio(self) -> tuple[float, float, float]:
        """Quartiles and median of the time, as a part of that on random operands."""
        base = statistics.median(self.random)
        low, middle, high = quartiles([one / base for one in self.seconds])
        return low, middle, high


def operands_of(
    workshop: Workshop, recipe: Recipe, progress: Progress, launches: int
) -> Iterator[OperandsRow]:
    """Yield the rows of an operation; AssayError for one without operands, or that fails."""
    name = recipe.package.selector
    require_operation(recipe)
    made = ready(workshop, recipe)
    turns = [one for one in OPERANDS for _ in range(launches)]
    SystemRandom().shuffle(turns)
    found: dict[str, list[float]] = {one: [] for one in OPERANDS}
    problems: dict[str, str] = {}
    progress.begin("launching", len(turns))
    for one in turns:
        drawn: list[int] = []
        take = _on(one, made.task.taking(made.counter, {}), drawn)
        try:
            with machine_lock(exclusive=True):
                launch = made.launched(take)
        except AgentError as error:
            if one.startswith(RANDOM):
                raise
            problems[one] = str(error)
        else:
            ((rate,),) = speeds([launch]).values()
            found[one].append(1 / rate)
        if not sum(drawn):
            raise AssayError(f"the calls of {name} are given nothing that is drawn", NO_OPERANDS)
        progress.advance(name)
    for one, every in found.items():
        seconds = () if one in problems else tuple(every)
        yield OperandsRow(name, one, seconds, tuple(found[RANDOM]), problems.get(one, ""))


def _on(name: str, take: Take, drawn: list[int]) -> Take:
    """Return what measures as `take` does, with inputs drawn as operands; note how many bytes."""
    return lambda agent, second, random: take(
        agent, second, Operands(random.getrandbits(64), name, drawn)
    )
