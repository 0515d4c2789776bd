# SPDX-License-Identifier: MIT
"""Measuring a round: launches of all cells interleaved in random order, one at a time.

A disturbed launch is kept, marked and repeated, as long as there are not more
repetitions than half the launches wanted (at least two); the figures say how
many launches counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom

from assay.campaign.cells import Made
from assay.campaign.launch import Launched, measure_once
from assay.campaign.plan import Plan
from assay.campaign.progress import Progress
from assay.campaign.quiet import Quiet
from assay.campaign.workshop import Workshop
from assay.errors import AssayError
from assay.execute.agent import AgentError
from assay.execute.clock import CounterOption, choose_counter, find_counters
from assay.execute.lock import machine_lock
from assay.execute.processor import away_from
from assay.model import Cell, CheckResult, Launch, SizeChoice, StreamSubject, Verdict
from assay.store import Store
from assay.suite.stream.measures import Batches, taking
from assay.suite.stream.sizes import accepted_sizes, nearest_sizes

MEASURES_RUN = "measures/run"
CURE = "The measures encrypt long streams and many contexts; look at what only they do."


@dataclass(slots=True)
class Queued:
    """A machine code in the queue: how often it shall still be launched, and its batches.

    `cells` are all that have this code.
    """

    target: Launched
    subject: StreamSubject
    sizes: tuple[SizeChoice, ...]
    cells: tuple[Cell, ...]
    wanted: int
    repeats_left: int
    batches: Batches = field(default_factory=dict)


def measure_round(
    workshop: Workshop,
    store: Store,
    groups: Sequence[tuple[Made, ...]],
    plan: Plan,
    only: tuple[SizeChoice, ...],
    progress: Progress,
) -> None:
    """Bring every machine code to its number of undisturbed launches."""
    queue = [
        one for one in (_queued(workshop, store, m, plan, only) for m in groups) if one.wanted
    ]
    counter = _counter(workshop, store, queue)
    if counter is None:
        return
    quiet = Quiet.remembered(store.machine())
    random = SystemRandom()
    turns = [one for one in queue for _ in range(one.wanted)]
    progress.begin("measuring", len(turns))
    random.shuffle(turns)
    with away_from(workshop.stage.cpu):
        while turns:
            one = turns.pop()
            if one.wanted and not _take_turn(workshop, store, one, plan, counter, random, quiet):
                turns.insert(random.randrange(len(turns) + 1), one)
                continue
            progress.advance(one.target.cell.selector)


def _queued(
    workshop: Workshop,
    store: Store,
    group: tuple[Made, ...],
    plan: Plan,
    only: tuple[SizeChoice, ...],
) -> Queued:
    build = group[0].build
    cell, code = build.cell, build.object_hash
    subject = store.subject(cell)
    if not isinstance(subject, StreamSubject) or code is None:
        raise AssayError(f"{cell} passed its checks without a description", "Report this.")
    sizes = nearest_sizes(subject, only) if only else accepted_sizes(subject)
    target = Launched(cell, code, workshop.admit(build))
    launched = [bool(one.disturbed) for one in store.launches(cell) if _covers(one, sizes)]
    repeats = max(2, plan.launches // 2)
    wanted = max(plan.launches - launched.count(False), 0)
    if len(launched) >= plan.launches + repeats:
        wanted = 0  # it was tried often enough: a machine that is never quiet ends, too
    cells = tuple(one.build.cell for one in group)
    return Queued(target, subject, sizes, cells, wanted, max(repeats - launched.count(True), 0))


def _covers(launch: Launch, sizes: tuple[SizeChoice, ...]) -> bool:
    """Whether a launch measured all these sizes; an earlier call may have wanted fewer."""
    return set(sizes) <= {sample.sizes for sample in launch.samples}


def _take_turn(
    workshop: Workshop,
    store: Store,
    one: Queued,
    plan: Plan,
    counter: CounterOption,
    random: Random,
    quiet: Quiet,
) -> bool:
    """Launch once; return whether the turn is over (False: disturbed, to be repeated)."""
    try:
        with machine_lock(exclusive=True):
            take = taking(one.subject, one.sizes, plan.effort, counter, one.batches)
            seed = random.getrandbits(63)
            launch, taken = measure_once(workshop.stage, one.target, counter, take, seed)
        one.batches = taken.batches
    except AgentError as error:
        _give_up(store, one, str(error))
        return True
    launch = quiet.judged(launch)
    store.put_launch(launch)
    if launch.disturbed and one.repeats_left:
        one.repeats_left -= 1
        return False
    one.wanted -= 1
    return True


def _give_up(store: Store, one: Queued, reason: str) -> None:
    """Take a machine code out of the queue and record why."""
    one.wanted = 0
    give_up(store, one.cells, reason)


def give_up(store: Store, cells: tuple[Cell, ...], reason: str) -> None:
    """Record that measuring failed where the checks had passed: the cells are failed ones then."""
    failed = CheckResult(MEASURES_RUN, Verdict.FAIL, reason, CURE)
    for cell in cells:
        store.put_checks(cell, (*(store.checks(cell) or ()), failed))


def _counter(workshop: Workshop, store: Store, queue: Sequence[Queued]) -> CounterOption | None:
    """Choose the counter with the first agent that lives so long; None if none does."""
    for one in queue:
        try:
            with workshop.stage.connect(one.target.agent) as agent:
                return choose_counter(find_counters(agent))
        except AgentError as error:
            _give_up(store, one, str(error))
    return None
