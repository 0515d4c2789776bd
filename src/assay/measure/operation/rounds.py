# SPDX-License-Identifier: MIT
"""Timing the tasks of a group, once or in several rounds, and judging what is reported.

All rounds are alike, and the figures are those of any one. So code cannot know which of its calls
are accounted for, and which count.
"""

from collections.abc import Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from assay.check.operation.routines import TimedCall
from assay.measure.audit import Account, Slices, require_same
from assay.measure.operation.account import (
    Uneven,
    account_of,
    enough,
    hollow_of,
    joined,
    require_reported,
    uneven,
)
from assay.measure.operation.bed import Bed
from assay.measure.operation.challenge import Challenge, Challenger
from assay.measure.operation.timing import OperationEffort, Timing, put, time_task
from assay.timing.agent import watched
from assay.timing.beats import Rhythm, unheard
from assay.timing.witness import believed, require_few_faults, require_rest

ROUNDS_ATTEMPTS = 2


class TakenTask(Struct, frozen=True):
    """A task that was timed, and what became of it; `spent` are all ticks, also those in vain.

    The ticks of `timing` are those of the calls alone. `heard` is how the core was around it. Of
    `uneven` samples some are made again before they are believed.
    """

    challenge: Challenge
    timing: Timing
    account: Account | None
    spent: int
    uneven: Uneven | None
    heard: Rhythm = unheard(())


class GroupTiming(Struct, frozen=True):
    """What times a group: `bed` in the agent, and what makes challenges in another."""

    bed: Bed
    challenger: Challenger
    effort: OperationEffort
    random: Random

    def rounds(self, *, accounted: bool) -> Sequence[Sequence[TakenTask]]:
        """Time all tasks once; if it is `accounted`, until there is enough to judge."""
        if not accounted:
            return [self._round()]
        return believed(self._accounted, ROUNDS_ATTEMPTS)

    def _accounted(self) -> list[list[TakenTask]]:
        """Time rounds; AgentLied if too little of what they used is reported."""
        rounds = [self._round()]
        while (accounts := _accounts(rounds)) and not enough(accounts):
            rounds.append(self._round())
        if accounts:
            require_reported(joined(accounts), self.bed.session.subject.operation)
        return rounds

    def _round(self) -> list[TakenTask]:
        return [self._task(one) for one in self.bed.group.timed]

    def _task(self, task: TimedCall) -> TakenTask:
        """Time a task until nothing disturbs it, on fresh inputs each time."""
        spent = 0
        while True:
            taken, heard = believed(lambda: self._once(task))
            spent += taken.spent
            if heard is not None:
                return replace(taken, spent=spent, heard=heard)

    def _once(self, task: TimedCall) -> tuple[TakenTask, Rhythm | None]:
        """Time a task, and look at the core right behind it; None if it is to be timed again.

        AgentLied if what was seen of the agent's process does not fit.
        """
        bed, agent = self.bed, watched(self.bed.session.agent)
        operation, what = bed.session.subject.operation, f"timing {task.key}"
        challenge = self.challenger.make(task, self.random)
        put(bed, challenge)
        agent.rest()
        timing = time_task(bed, challenge, self.effort)
        seen, heard = agent.since_timing(), agent.heard()
        require_right(bed, challenge, timing.lengths)
        require_few_faults(what, seen.page_faults)
        require_rest(f"between the inputs and {what}", agent.preparing.processor_seconds)
        hollow = hollow_of(bed, challenge, timing, self.effort)
        account = account_of(hollow, timing, seen, self.effort)
        if account:
            require_reported(account, operation)
        spent = timing.warm_up + sum(timing.ticks)
        differing = uneven(bed, challenge, timing, account)
        return TakenTask(challenge, timing.less(hollow.ticks), account, spent, differing), heard


def _accounts(rounds: Sequence[Sequence[TakenTask]]) -> list[list[Account]]:
    """Return the accounts of rounds; none where nothing can be compared."""
    found = [[one.account for one in tasks if one.account] for tasks in rounds]
    return [accounts for accounts in found if accounts]


def require_right(bed: Bed, challenge: Challenge, lengths: tuple[int, ...]) -> None:
    """Compare what timed calls wrote into the pools of `bed`, and `lengths`.

    WrongOutput names the first call that differs. What is forged is not compared, nor what was
    refused: that does not matter.
    """
    if challenge.task.forged:
        return
    who = f"while it was timed {bed.session.subject.operation}{challenge.task.suffix}"
    counted = set(range(bed.slices)) - challenge.other
    written = zip(lengths, challenge.lengths, strict=True)
    mine = [one if at in counted else right for at, (one, right) in enumerate(written)]

    def told(at: int) -> str:
        return f": {mine[at]} instead of {challenge.lengths[at]}, in call {at} of {bed.slices}"

    require_same(who, "length", mine, list(challenge.lengths), told)
    for name, right in challenge.outputs.items():
        slices = Slices(bed.stride(name), bed.slices)
        timed = slices.only(counted, bed.session.agent.read(bed.pools[name]), right)
        require_same(who, f"`{name}`", timed, right, slices.told)
