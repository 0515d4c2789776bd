# SPDX-License-Identifier: MIT
"""Measuring a round: launches of all cells interleaved in random order, one at a time.

A disturbed launch is kept, marked and repeated, as long as there are not more
repetitions than half the launches wanted (at least two); the figures say how
many launches counted.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random, SystemRandom

from assay.check.engine.cells import Made
from assay.check.engine.retry import unless_killed
from assay.check.engine.workers import in_parallel
from assay.check.engine.workshop import Workshop
from assay.check.patience import took_too_long
from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.agent import AgentError
from assay.execute.lock import machine_lock
from assay.execute.patience import OutOfPatience
from assay.execute.processor import away_from
from assay.measure.gauge import Gauge
from assay.measure.launch import Launched, measure_once
from assay.measure.placing import FURTHER_LAYOUTS, launched
from assay.measure.policies.precision import AT_MOST, DISTURBED, missed
from assay.measure.stream.measures import Batches, taking
from assay.model import (
    Cell,
    CheckResult,
    Launch,
    SizeChoice,
    StreamSubject,
    Unreached,
    Verdict,
)
from assay.model.progress import Progress
from assay.plan.effort import Effort
from assay.plan.plan import Plan
from assay.store import Store
from assay.store.notes import Notes

MEASURES_RUN = "measures/run"
CURE = "The measures encrypt long streams and many contexts; look at what only they do."


@dataclass(slots=True)
class Queued:
    """A machine code in the queue: how often it shall still be launched, and its batches.

    `cells` are all that have this code. `failed` is whether measuring it was given up.
    """

    target: Launched
    subject: StreamSubject
    sizes: tuple[SizeChoice, ...]
    cells: tuple[Cell, ...]
    wanted: int
    repeats_left: int
    failed: bool = False
    batches: Batches = field(default_factory=dict)
    counted: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Meter:
    """What launches of a round have in common.

    `purpose` is written into every one, and `heard` is told of it.
    """

    workshop: Workshop
    store: Store
    gauge: Gauge
    effort: Effort
    purpose: str = ""
    heard: Callable[[Queued, Launch], object] = field(default=lambda *_: None)
    random: Random = field(default_factory=SystemRandom)

    @classmethod
    def found(cls, workshop: Workshop, store: Store, recipe: Recipe, effort: Effort) -> "Meter":
        """Find out what launches are judged by; the recipe names compiler, ABI and target."""
        return cls(workshop, store, Gauge.made(workshop, recipe, store.machine()), effort)

    def take(self, one: Queued) -> Launch | None:
        """Launch once and store what came of it; None if the code failed and is given up."""
        try:
            launch, one.batches = unless_killed(partial(self._measured, one))
        except AgentError as error:
            _give_up(self.store, one, error)
            return None
        launch = replace(self.gauge.judged(launch), purpose=self.purpose)
        if launch.conditions and not launch.disturbed:
            one.counted.append(launch.conditions.layout)
        self.store.put_launch(launch)
        self.heard(one, launch)
        return launch

    def _measured(self, one: Queued) -> tuple[Launch, Batches]:
        """Launch once, with the machine for itself; give the batches that were found, too."""
        counter, stage = self.gauge.counter, self.workshop.stage.patient("stream")
        take = taking(one.subject, one.sizes, self.effort, counter, one.batches)
        seed = self.random.getrandbits(63)
        with machine_lock(exclusive=True):
            self.gauge.look()
            launch, taken = measure_once(stage, one.target, counter, take, seed, one.counted)
        return launch, taken.batches

    def take_turns(
        self, queue: Sequence[Queued], progress: Progress, more: Callable[[Queued], bool]
    ) -> None:
        """Launch in random order; `more` says whether a code that has all shall have another.

        A disturbed launch is repeated later, as long as the code has repetitions left.
        """
        turns = [one for one in queue for _ in range(one.wanted)]
        self.random.shuffle(turns)
        with away_from(self.workshop.stage.cpu):
            while turns:
                one = turns.pop()
                again = bool(one.wanted) and not self._is_over(one)
                if not again:
                    progress.advance(one.target.cell.selector)
                if again or (not one.wanted and not one.failed and more(one)):
                    turns.insert(self.random.randrange(len(turns) + 1), one)

    def _is_over(self, one: Queued) -> bool:
        """Take a turn; return whether it is over (False: disturbed, to be repeated)."""
        launch = self.take(one)
        if launch is None:
            return True
        if launch.disturbed and one.repeats_left:
            one.repeats_left -= 1
            return False
        one.wanted -= 1
        return True


def measure_round(
    workshop: Workshop,
    store: Store,
    groups: Sequence[tuple[Made, ...]],
    plan: Plan,
    only: tuple[SizeChoice, ...],
    progress: Progress,
) -> None:
    """Bring every machine code to its number of undisturbed launches, or to a precision."""
    lined_up = [(queued(store, group, plan, only), group[0]) for group in groups]

    def more(one: Queued) -> bool:
        """Want another launch if figures are not known as well as they shall be."""
        one.wanted = _still_wanted(store, one, plan)
        return bool(one.wanted)

    wanted = [(one, made) for one, made in lined_up if one.wanted or more(one)]
    progress.begin("linking", len(wanted))
    for _ in make_ready(workshop, wanted, plan.workers):
        progress.advance()
    if not wanted:
        return
    queue = [one for one, _ in wanted]
    meter = Meter.found(workshop, store, wanted[0][1].recipe, plan.effort)
    progress.begin("measuring", sum(one.wanted for one in queue))
    meter.take_turns(queue, progress, more)


def queued(
    store: Store,
    group: tuple[Made, ...],
    plan: Plan,
    only: tuple[SizeChoice, ...],
) -> Queued:
    """Look how many launches a machine code still needs; AssayError if it is not described.

    Its agent cannot be launched yet: see `make_ready`.
    """
    build = group[0].build
    cell, code = build.cell, build.object_hash
    subject = store.subject(cell)
    if not isinstance(subject, StreamSubject) or code is None:
        raise AssayError(f"{cell} passed its checks without a description", "Report this.")
    sizes = nearest_sizes(subject, only) if only else accepted_sizes(subject)
    known = [
        bool(disturbed)
        for disturbed, purpose, measured in store.efforts(cell)
        if not purpose and set(sizes) <= measured
    ]
    wanted = max(plan.launches - known.count(False), 0)
    if len(known) >= plan.limit + plan.repeats:
        wanted = 0  # it was tried often enough: a machine that is never quiet ends, too
    if build.agent is None:
        raise AssayError(f"{cell} passed its checks without an agent", "Report this.")
    target = Launched(cell, code, build.agent)
    cells = tuple(one.build.cell for one in group)
    repeats_left = max(plan.repeats - known.count(True), 0)
    return Queued(target, subject, sizes, cells, wanted, repeats_left)


def make_ready(
    workshop: Workshop,
    lined_up: Iterable[tuple[Queued, Made]],
    workers: int,
    further: int = FURTHER_LAYOUTS,
) -> Iterator[Queued]:
    """Put agents where they can be launched, in `further` layouts besides their own."""

    def work(pair: tuple[Queued, Made]) -> None:
        one, made = pair
        one.target = launched(workshop, made, further)

    for (one, _), _ in in_parallel(work, lined_up, workers):
        yield one


def _valid(store: Store, cell: Cell, sizes: tuple[SizeChoice, ...]) -> list[Launch]:
    """Return the launches that measured all these sizes; those of a race do not count."""
    return [
        one
        for one in store.launches(cell)
        if not one.purpose and set(sizes) <= {sample.sizes for sample in one.samples}
    ]


def _still_wanted(store: Store, one: Queued, plan: Plan) -> int:
    """Return whether the precision needs another launch; note it if it is not reached."""
    if plan.precision_percent is None:
        return 0
    launches = _valid(store, one.target.cell, one.sizes)
    quiet = sum(not each.disturbed for each in launches)
    ended = DISTURBED if len(launches) >= plan.limit + plan.repeats else ""
    ended = AT_MOST if quiet >= plan.limit else ended
    note = missed(launches, plan.precision_percent, ended)
    if note is not None and not ended:
        return 1
    notes, key = Notes(store), store.key(one.target.cell)
    if key is not None and note is not None:
        notes.put(key, note)
    elif key is not None:
        notes.forget(key, Unreached)
    return 0


def _give_up(store: Store, one: Queued, reason: AgentError) -> None:
    """Take a machine code out of the queue and record why."""
    one.wanted, one.failed = 0, True
    give_up(store, one.cells, reason)


def give_up(store: Store, cells: tuple[Cell, ...], error: AgentError) -> None:
    """Record that measuring failed where the checks had passed: the cells are failed ones then."""
    failed = CheckResult(MEASURES_RUN, Verdict.FAIL, str(error), CURE)
    if isinstance(error, OutOfPatience):
        failed = took_too_long(error)
    for cell in cells:
        store.put_checks(cell, (*(store.checks(cell) or ()), failed))
