# SPDX-License-Identifier: MIT
"""Whether every length up to 8 KiB is processed rightly, and none takes far longer than others."""

import statistics
from contextlib import suppress

from msgspec import Struct, field

from assay.check.arena import SECOND_BASE, Arena
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.evidence import EqualPairs
from assay.check.routine import Splitter
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial

LONGEST = 8192
TOGETHER = 32  # lengths at most between two looks at the processor's time
SLICE_SECONDS = 0.25  # that as many lengths take as are tried together
SECONDS = 8.0
SLOW_SECONDS, SLOW_FACTOR = 0.05, 20.0  # a length is slow that takes both
TRIES = 3


class Every(Struct):
    """All lengths, some at a time, and how long each group took."""

    trial: AnyTrial
    budget: Budget
    splitter: Splitter | None
    took: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)

    def run(self) -> None:
        """Try the lengths in random order, for as long as there is time."""
        lengths = list(range(LONGEST + 1))
        self.trial.random.shuffle(lengths)
        slowest = max(self._seconds((LONGEST,)), 1e-6)
        together = max(1, min(TOGETHER, int(SLICE_SECONDS / slowest)))
        for at in range(0, len(lengths), together):
            some = tuple(lengths[at : at + together])
            if self.budget.over:
                self.budget.left_out += len(some)
                continue
            self.took.append((self._seconds(some), some))
            self.budget.asked += len(some)

    def _seconds(self, lengths: tuple[int, ...]) -> float:
        """Process messages of these lengths; return what the processor took for them."""
        before = self.budget.used
        with self.trial.session() as session, self.budget.spending(session.agent):
            self._process(session, lengths)
        return self.budget.used - before

    def _process(self, session: BaseSession, lengths: tuple[int, ...]) -> None:
        """Compute each in one call, and in two where that can be: the results must agree."""
        first, other = Arena(session), Arena(session, base=SECOND_BASE)
        pairs, alone = EqualPairs(first), []
        for length in lengths:
            if self.splitter is None:
                batch = self.trial.last_use((length,))
                alone.append(first.begin(batch[0]))
                continue
            begun = length // 2 // self.splitter.unit * self.splitter.unit
            whole = first.begin(self.splitter.whole(length))
            parts = other.begin(self.splitter.cut((begun, length - begun)))
            complaint = f"{length} bytes in two calls give another result than in one"
            pairs.expect(complaint, whole, parts)
        pairs.judge()
        for outcome in alone:
            outcome.value  # noqa: B018 - performed

    def require_alike(self) -> None:
        """Raise for a length that takes far longer than the others."""
        usual = statistics.median(seconds / len(some) for seconds, some in self.took)
        limit = max(SLOW_SECONDS, SLOW_FACTOR * usual)
        for seconds, lengths in self.took:
            for length in lengths if seconds > limit else ():
                least = min(self._seconds((length,)) for _ in range(TRIES))  # the first may build
                if least > limit:
                    raise CheckFailed(
                        f"a message of {length} bytes takes {least * 1000:.0f} ms, and others of "
                        f"up to {LONGEST} bytes {usual * 1000:.2g} ms"
                    )


def every(trial: AnyTrial) -> str:
    """Process every length, and look at the time."""
    if not trial.measured[0]:
        raise CheckInapplicable("there is no message")
    if trial.bench is None or not trial.bench.target.is_native:
        raise CheckInapplicable("lengths are tried one by one on this machine alone")
    trial.only_deep()
    splitter = None
    with suppress(CheckInapplicable):  # one call takes all of a message
        splitter = next(iter(trial.splitters(LONGEST)), None)
    asked = Every(trial, trial.budget(SECONDS), splitter)
    asked.run()
    asked.require_alike()
    return asked.budget.remark("lengths")


EVERY: Check[AnyTrial] = Check(
    name="lengths/every",
    asks="Is every length up to 8,192 bytes processed rightly, and in about the same time?",
    why=(
        "Vectors have some dozens of lengths. A wrong result for one length among thousands, or a "
        "call that takes a second there, is seen by nobody until that message comes. Each length "
        "is computed in one call and in two, where the API has calls for pieces, and the time of "
        "the processor is compared with that of other lengths."
    ),
    cure="Look for comparisons with the length that the message names.",
    run=every,
)
