# SPDX-License-Identifier: MIT
"""All in turn: launches of all codes interleaved in random order, one at a time.

A disturbed launch is kept, marked and repeated, as long as the code has repetitions left and
the machine is not busy all along; the figures say how many launches counted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.execute.processor import away_from
from assay.measure.candidate import Candidate, make_ready
from assay.measure.launcher import Launcher
from assay.measure.placing import FURTHER_LAYOUTS
from assay.measure.policies.precision import still_wanted
from assay.model import Dropped, Slower
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.store.notes import Notes


@dataclass(frozen=True, slots=True)
class Turns:
    """Takes turns: `brief` launches compare codes, and say so in their `purpose`.

    `more` says whether a code that has all its launches shall have another.
    """

    launcher: Launcher
    progress: Progress
    brief: bool = False
    purpose: str = ""
    more: Callable[[Candidate], bool] = lambda _: False

    def take(self, queue: Sequence[Candidate]) -> None:
        """Launch everybody as often as is wanted."""
        random = self.launcher.random
        turns = [one for one in queue for _ in range(one.wanted)]
        random.shuffle(turns)
        stage = self.launcher.workshop.stage
        with away_from(stage.cpu), self.launcher.one_after_another():
            while turns:
                one = turns.pop()
                again = bool(one.wanted) and not self._is_over(one)
                if not again:
                    self.progress.advance(one.code.cell.selector)
                if again or (not one.wanted and not one.failed and self.more(one)):
                    turns.insert(random.randrange(len(turns) + 1), one)

    def _is_over(self, one: Candidate) -> bool:
        """Take a turn; return whether it is over (False: disturbed, to be repeated)."""
        task = one.brief if self.brief else one.full
        launch = self.launcher.take(one, task, self.purpose)
        if launch is None:
            return True
        if self.brief:
            one.heard.append(launch)
        if launch.disturbed and one.repeats_left and not self.launcher.stays_busy:
            one.repeats_left -= 1
            return False
        one.wanted -= 1
        return True


def measure_all(
    launcher: Launcher, plan: Plan, candidates: Sequence[Candidate], progress: Progress
) -> None:
    """Bring every machine code to its number of undisturbed launches, or to a precision."""
    store = launcher.store
    if store is None:
        raise ValueError("what is measured for its figures is stored")

    def more(one: Candidate) -> bool:
        """Want another launch if figures are not known as well as they shall be."""
        one.wanted = still_wanted(store, one, plan)
        return bool(one.wanted)

    for one in candidates:
        key = store.key(one.code.cell)
        if key is not None:
            Notes(store).forget(key, Dropped)  # measured in full from now on
            Notes(store).forget(key, Slower)
    queue = [one for one in candidates if one.wanted or more(one)]
    progress.begin("linking", len(queue))
    further = 0 if plan.glance else FURTHER_LAYOUTS
    for _ in make_ready(launcher.workshop, queue, plan.workers, further):
        progress.advance()
    if queue:
        progress.begin("measuring", sum(one.wanted for one in queue))
        Turns(launcher, progress, more=more).take(queue)
