# SPDX-License-Identifier: MIT
"""All in turn: launches of all codes interleaved in random order, one at a time.

A disturbed launch is kept, marked and repeated, as long as the code has repetitions left and
the machine is not busy all along; the figures say how many launches counted.

With `--precision` a figure is known within half the width of the interval of its median over
launches. The launches are looked at as they come in, and the first time that the interval is
narrow enough ends it: that makes the interval a little too confident.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from assay.machine.processors import away_from
from assay.measure.candidate import Candidate, make_ready
from assay.measure.launch import FURTHER_LAYOUTS
from assay.measure.launcher import Launcher
from assay.measure.task import Measured
from assay.model import Dropped, Launch, Slower, Unreached
from assay.model.progress import Progress
from assay.model.series import Series
from assay.plan.plan import Plan
from assay.stats.quartiles import precision_percent, quartiles
from assay.stats.summary import per_test
from assay.store import Store
from assay.store.rows import Notes
from assay.summary.series import series_over

AT_MOST = "that is the most (--most-launches)"
DISTURBED = "too many launches were disturbed"


def missed(
    launches: Sequence[Launch], wanted_percent: float, reason: str = ""
) -> Unreached | None:
    """Name the figure that is known least well, if it is not known within `wanted_percent`."""
    figures = tuple(series_over([one for one in launches if not one.purpose]))
    if all(one.disturbed for one in figures):
        return Unreached(wanted_percent, None, "nothing", 0, reason)
    widths = [(_width(one), one) for one in figures]
    reached, worst = max(widths, key=lambda pair: pair[0])
    if reached <= wanted_percent:
        return None
    known = None if reached == float("inf") else reached
    return Unreached(wanted_percent, known, worst.measure, len(worst.points), reason)


def still_wanted(store: Store, one: Candidate, plan: Plan) -> int:
    """Return whether another launch is needed (0 or 1); write down a precision that is missed."""
    if plan.precision_percent is None:
        return 0
    launches = _measured(store, one)
    quiet = sum(each.counts for each in launches)
    ended = DISTURBED if len(launches) >= plan.limit + plan.repeats else ""
    ended = AT_MOST if quiet >= plan.limit else ended
    note = missed(launches, plan.precision_percent, ended)
    if note is not None and not ended:
        return 1
    notes, key = Notes(store), store.key(one.code.cell)
    if key is not None and note is not None:
        notes.put(key, note)
    elif key is not None:
        notes.forget(key, Unreached)
    return 0


def _measured(store: Store, one: Candidate) -> list[Launch]:
    """Return the launches that measured all that is asked, with that alone; none of a race."""
    asked = one.full.asked
    found = []
    for each in store.launches(one.code.cell):
        samples = tuple(s for s in each.samples if (s.measure, s.sizes) in asked)
        if not each.purpose and len(samples) >= len(asked):
            found.append(replace(each, samples=samples))
    return found


def _width(figure: Series) -> float:
    """Return the half width in per cent; infinite without an interval or a quiet launch."""
    width = None if figure.disturbed else precision_percent(figure.per_launch)
    return float("inf") if width is None else width


class Turns(Struct, frozen=True):
    """Takes turns: `brief` launches compare codes, and say so in their `purpose`.

    `more` says whether a code that has all its launches shall have another.
    """

    launcher: Launcher
    progress: Progress
    brief: bool = False
    purpose: str = ""
    more: Callable[[Candidate], bool] = lambda _: False
    taken: dict[str, list[Launch]] = field(default_factory=dict)

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
                    known = self.taken.get(one.code.object_hash, [])
                    name = one.code.cell.selector
                    self.progress.advance(so_far(name, known, one.brief.asked))
                if again or (not one.wanted and not one.failed and self.more(one)):
                    turns.insert(random.randrange(len(turns) + 1), one)

    def _is_over(self, one: Candidate) -> bool:
        """Take a turn; return whether it is over (False: disturbed, to be repeated)."""
        task = one.brief if self.brief else one.full
        launch = self.launcher.take(one, task, self.purpose)
        if launch is None:
            return True
        self.taken.setdefault(one.code.object_hash, []).append(launch)
        if self.brief:
            one.heard.append(launch)
        if not launch.counts and one.repeats_left and not self.launcher.stays_busy:
            one.repeats_left -= 1
            return False
        one.wanted -= 1
        return True


def so_far(name: str, launches: Sequence[Launch], asked: frozenset[Measured]) -> str:
    """Name a code with the figure by which codes are compared, as far as it is known."""
    mine = [
        replace(each, samples=tuple(s for s in each.samples if (s.measure, s.sizes) in asked))
        for each in launches
    ]
    figures = list(series_over(mine))
    if not figures:
        return name
    figure = max(figures, key=lambda each: each.sizes.key_bits)
    alone = "" if len(figure.points) > 1 else " in one launch"
    cuts = _timings(mine, figure) if alone else (figure.q1, figure.median, figure.q3)
    low, middle, high = (each / figure.work for each in cuts)
    spread = f" ({low:.2f} to {high:.2f}{alone})"
    return f"{name} {middle:.2f} {figure.unit}/{figure.work_unit}{spread}"


def _timings(launches: Sequence[Launch], figure: Series) -> tuple[float, float, float]:
    """Return the quartiles of a figure over the timings of the one launch that counts."""
    asked, (point,) = (figure.measure, figure.sizes), figure.points
    pairs = [(each, one) for each in launches for one in each.samples]
    mine = [pair for pair in pairs if (pair[1].measure, pair[1].sizes) == asked]
    _, sample = min(mine, key=lambda pair: abs(per_test(*pair) - (point.ticks or 0.0)))
    cuts = quartiles(sample.ticks)
    low, high = (figure.median * one / cuts.median for one in (cuts.q1, cuts.q3))
    return low, figure.median, high


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
