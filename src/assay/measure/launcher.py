# SPDX-License-Identifier: MIT
"""The one way to launch: with the machine for itself, retried, judged, stored.

Policies decide who is launched next, and with which task; all else is done here.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from random import Random, SystemRandom

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.check import took_too_long, unexpected
from assay.check.engine.workshop import Workshop, unless_killed
from assay.execute.agent import AgentError
from assay.execute.lock import Alone, machine_lock
from assay.execute.patience import OutOfPatience
from assay.fence import ends_all
from assay.measure.candidate import Candidate
from assay.measure.gauge import Gauge
from assay.measure.launch import measure_once
from assay.measure.task import LaunchTask, Taken
from assay.model import Cell, CheckResult, Launch, Verdict
from assay.store import Store

MEASURES_RUN = "measures/run"
CURE = "Look at what only the measures do: long messages, many calls, many contexts."
RECENT = 40  # launches, by which it is judged whether a machine stays busy
BUSY_SHARE = 0.75  # of them in vain: one more repetition is of use one time in four


class Launcher(Struct):
    """Launches machine codes of one target, and keeps what came of it.

    Without a `store` nothing is kept, and whoever calls hears of failures. What launches are
    judged by is found out for each compiler and ABI at the first launch of their code: loops
    of known cost are not the same under all. With a `gauge`, it judges all. `measure` is what
    launches. It `locks` the machine for each launch, or for `one_after_another`, unless whoever
    calls holds the machine's lock as those do that build.
    """

    workshop: Workshop
    store: Store | None = None
    gauge: Gauge | None = None
    random: Random = field(default_factory=SystemRandom)
    locks: bool = True
    measure: Callable[..., tuple[Launch, Taken]] = measure_once
    _gauges: dict[Path, Gauge] = field(default_factory=dict)
    _alone: Alone | None = None
    _in_vain: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT))

    @property
    def stays_busy(self) -> bool:
        """Return whether nothing of most last launches counts, so that repeating is in vain.

        Launches that are wanted anyway go on, and say when the machine is quiet again.
        """
        return len(self._in_vain) == RECENT and sum(self._in_vain) > BUSY_SHARE * RECENT

    @contextmanager
    def one_after_another(self) -> Iterator[None]:
        """Keep the machine from one launch to the next, as long as nobody waits too long.

        Nothing may be compiled or checked meanwhile.
        """
        with Alone() as alone:
            self._alone = alone
            try:
                yield
            finally:
                self._alone = None

    def take(self, one: Candidate, task: LaunchTask, purpose: str = "") -> Launch | None:
        """Launch once and store what came of it; None if the code failed and is given up."""
        try:
            launch = unless_killed(partial(self._believed, one, task))
        except AgentError as error:
            if self.store is None:
                raise
            one.wanted, one.failed = 0, True
            give_up(self.store, one.cells, _failure(error))
            return None
        except Exception as error:
            if self.store is None or ends_all(error):
                raise
            one.wanted, one.failed = 0, True
            give_up(self.store, one.cells, unexpected(error))
            return None
        launch = replace(launch, purpose=purpose)
        self._in_vain.append(not launch.counts_partly)
        if launch.conditions and launch.counts:
            one.counted.append(launch.conditions.layout)
        if self.store is not None:
            self.store.put_launch(launch)
        return launch

    def _launched(self, one: Candidate, task: LaunchTask) -> Launch:
        """Launch once, with the machine for itself; the batches that were found are kept."""
        gauge = self._gauge(one)
        stage = self.workshop.stage.patient(one.group[0].recipe.package.kind)
        take = task.taking(gauge.counter, one.batches)
        seed = self.random.getrandbits(63)
        with self._machine():
            gauge.look()
            launch, taken = self.measure(stage, one.code, gauge.counter, take, seed, one.counted)
        one.batches = taken.batches
        return launch

    def _machine(self) -> AbstractContextManager[None]:
        if not self.locks:
            return nullcontext()
        return self._alone.use() if self._alone else machine_lock(exclusive=True)

    def _believed(self, one: Candidate, task: LaunchTask) -> Launch:
        """Launch and judge; AgentLied, after which it is done again, if that cannot be true."""
        return self._judged(one, self._launched(one, task))

    def _judged(self, one: Candidate, launch: Launch) -> Launch:
        """Mark a launch that is not to be believed; AgentLied if it cannot be true."""
        return self._gauge(one).judged(launch)

    def _gauge(self, one: Candidate) -> Gauge:
        if self.gauge is not None:
            return self.gauge
        agent = self.workshop.bare(one.group[0].recipe)
        if agent not in self._gauges:
            machine = self.store.machine() if self.store is not None else None
            counters = (gauge.counter for gauge in self._gauges.values())
            made = Gauge.made(self.workshop.stage, agent, machine, next(counters, None))
            self._gauges[agent] = made
        return self._gauges[agent]


def known(launch: Launch | None) -> Launch:
    """Return a launch of a launcher without a store, which gives nobody up."""
    if launch is None:
        raise ValueError("only a launcher with a store gives a code up")
    return launch


def give_up(store: Store, cells: tuple[Cell, ...], failed: CheckResult) -> None:
    """Record that measuring failed where the checks had passed: the cells are failed ones then."""
    for cell in cells:
        store.add_check(cell, failed)


def _failure(error: AgentError) -> CheckResult:
    if isinstance(error, OutOfPatience):
        return took_too_long(error)
    return CheckResult(MEASURES_RUN, Verdict.FAIL, str(error), CURE)
