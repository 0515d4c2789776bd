# SPDX-License-Identifier: MIT
"""Whether the clock sees secrets: calls with one fixed secret against calls with others.

The question is that of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?",
DATE 2017). Uses are those of differential traces: their public inputs are the same, and what
they return is. A first launch chooses the fixed secret, the one whose time is farthest from that
of the others. Then each of many launches times three classes in random order: the fixed secret,
others, and the fixed one again. What the first and the last differ by is no secret (A/A).

A class has as many inputs, all at addresses of their own, as the others, so that the caches know
none of them better. The slowest tenth of a launch's timings counts for no class.
"""

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random, SystemRandom

from msgspec import Struct
from msgspec.structs import replace

from assay.check.arena import FILLING, Arena
from assay.check.engine.instruments import trial_of
from assay.check.engine.workshop import Workshop
from assay.check.routine import Routine
from assay.check.secret_uses import PARTS, SecretUse, secret_uses
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.lock import machine_lock
from assay.execute.protocol import Request
from assay.measure.launch import measure_once
from assay.measure.studies.ready import UNCHECKED, Ready, ready
from assay.measure.task import NO_SIZES, Batches, Connect
from assay.model import Launch, Sample
from assay.model.progress import Progress
from assay.stats.quartiles import median_interval
from assay.timing.agent import MOST_ROUNDS, Class, TimedAgent, class_ticks
from assay.timing.witness import believed

LENGTH = 200  # bytes of a message
LAUNCHES = 20
SECRETS = 8  # of a class
CLASSES = 3
FEWEST = 2  # secrets of a duel
LEAST, MOST = 3, MOST_ROUNDS // (CLASSES * SECRETS) - 1  # rounds of each input
WINDOW_SECONDS = 0.05  # for a use, in a launch
CONFIDENCE = 0.999  # of an interval: with 20 launches the two farthest on a side do not count
COUNTED = 0.9
SECONDS = 300.0  # for one answer
UNLIKE = "calls with other secrets return something else, which is public"
REFUSED = "{}, refused"
Interval = tuple[float, float, float]  # lower end, median, upper end


class ClassRow(Struct, frozen=True):
    """A use, and by how much calls with other secrets, and with the same, differ from the fixed.

    All are ticks a call, or core cycles where `unit` says so. `problem` is why nothing is known.
    """

    package: str
    configuration: str
    use: str
    unit: str = ""
    fixed: float = 0.0
    others: Interval = (0.0, 0.0, 0.0)
    same: Interval = (0.0, 0.0, 0.0)
    problem: str = ""

    @property
    def seen(self) -> bool:
        """Return whether all of the interval is farther off than any of the same secret's."""
        low, _, high = self.others
        return not self.problem and max(low, -high) > _farthest(self.same)

    @property
    def bound(self) -> float:
        """Return how large a difference would have been seen."""
        return _farthest(self.others) + _farthest(self.same)


def _farthest(interval: Interval) -> float:
    return max(abs(interval[0]), abs(interval[2]))


class Duel(Struct, frozen=True):
    """A use with other secrets, and which of them each slot has; `rounds` are those of a slot."""

    use: SecretUse
    slots: tuple[int, ...]
    rounds: int = 1

    def fixing(self, fixed: int, rounds: int) -> "Duel":
        """Return the duel of a fixed secret against the others, and against itself."""
        others = tuple(one for one in range(len(self.use.routines)) if one != fixed)
        same = (fixed,) * len(others)
        return Duel(self.use, (*same, *others, *same), rounds)


class TimedClasses(Struct, frozen=True):
    """What a launch took for each duel: ticks by slot."""

    by_slot: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def samples(self) -> tuple[Sample, ...]:
        """All timings of each duel."""
        every = (tuple(ticks for each in one for ticks in each) for one in self.by_slot)
        return tuple(Sample("classes", NO_SIZES, 1, 1, 0, one) for one in every)

    @property
    def timed_ticks(self) -> int:
        """All ticks timed, but for the first round of each slot."""
        return sum(sum(one.ticks) for one in self.samples)

    @property
    def batches(self) -> Batches:
        """Nothing is timed in batches."""
        return {}

    def prove(self, agent: Agent, connect: Connect) -> None:
        """Prove nothing: outputs are no part of the answer."""


def classes_of(
    workshop: Workshop, recipe: Recipe, progress: Progress, length: int = LENGTH
) -> Iterator[ClassRow]:
    """Yield a row for each use of a package; AssayError if it does not build or answer."""
    made = ready(workshop, recipe, UNCHECKED)
    trial = trial_of(workshop, recipe, workshop.build(recipe), made.subject)
    row = ClassRow(named(recipe), recipe.configuration.name, "")
    try:
        with trial.session() as session:
            uses = [
                each
                for one in secret_uses(trial, session, (length,), SECRETS + 2)
                if not one.all_others
                for each in _comparable(session, one)
            ]
    finally:
        trial.close()
    duels = [Duel(one, _twice(one)) for one in uses if len(one.routines) > FEWEST]
    asked = {one.use.routine.name for one in duels}
    for name in dict.fromkeys(one.routine.name for one in uses):
        if not asked & {name, REFUSED.format(name)}:
            yield replace(row, use=name, problem=UNLIKE)
    if duels:
        yield from _judged(row, duels, _Launcher(made, trial), progress)


def named(recipe: Recipe) -> str:
    """Name a package, and its variant where it has several."""
    package = recipe.package
    return package.selector + f" (variant {recipe.variant})" * (package.variants > 1)


def _twice(use: SecretUse) -> tuple[int, ...]:
    return tuple(range(len(use.routines))) * 2


def _comparable(session: BaseSession, use: SecretUse) -> Iterator[SecretUse]:
    """Yield uses with secrets for which calls return the same; whether they refuse is public.

    Where other secrets are refused, that is first the secret that the inputs belong to, with as
    much of others as is not; and then refusals.
    """
    asked = _Asked(session, replace(use, routines=tuple(map(_free, use.routines))))
    every = asked.most(range(len(use.routines)))
    if every.routine is asked.use.routine:
        yield every
        return
    yield asked.taken_over()
    refusals = asked.most(range(1, len(use.routines)))
    first = replace(refusals.routine, name=REFUSED.format(use.routine.name))
    yield replace(refusals, routines=(first, *refusals.routines[1:]))


class _Asked(Struct, frozen=True):
    """A session that is asked what the routines of a use return."""

    session: BaseSession
    use: SecretUse

    def most(self, numbers: Sequence[int]) -> SecretUse:
        """Return the use with the secrets for which most calls return the same."""
        found: dict[tuple[int, ...], list[int]] = {}
        for number in numbers:
            found.setdefault(self._returned(self.use.routines[number], number), []).append(number)
        most = max(found.values(), key=len)
        return self._with([(self.use.routines[one], self.use.seeds[one]) for one in most])

    def taken_over(self) -> SecretUse:
        """Return the use whose other secrets are the first one's where that would be refused."""
        use = self.use
        valid = self._returned(use.routine, 0)
        found = [(use.routine, use.seeds[0])]
        for number in range(1, len(use.routines)):
            pair, kept = replace(use, routines=(use.routine, use.routines[number])), use.routine
            for part in range(PARTS):
                tried = pair.partly(kept, part)
                if self._returned(tried, 0) == valid:
                    kept = tried
            if kept is not use.routine:
                found.append((kept, use.seeds[0]))
        return self._with(found)

    def _with(self, found: Sequence[tuple[Routine, bytes]]) -> SecretUse:
        routines, seeds = zip(*found[: SECRETS + 1], strict=True)
        return replace(self.use, routines=routines, seeds=seeds)

    def _returned(self, routine: Routine, number: int) -> tuple[int, ...]:
        self.session.agent.forget_buffers()
        with self.session.seeded(self.use.seeds[number]):
            results = Arena(self.session).use(routine)
            self.session.settle()
        return results.of(routine.steps)[0] if results else ()


def _free(routine: Routine) -> Routine:
    """Return the routine whose calls may return anything."""
    return replace(routine, steps=tuple(replace(one, returns=None) for one in routine.steps))


class _Launcher(Struct, frozen=True):
    """Launches a package, and times duels in it."""

    made: Ready
    trial: AnyTrial

    def timed(self, duels: Sequence[Duel]) -> tuple[Launch, TimedClasses]:
        """Launch once, alone on the machine."""

        def take(agent: TimedAgent, second: Agent, random: Random) -> TimedClasses:
            del second
            session = self.trial.converse(agent)
            found = {
                number: _timed(session, duels[number], random)
                for number in random.sample(range(len(duels)), len(duels))
            }
            return TimedClasses(tuple(found[number] for number in range(len(duels))))

        made = self.made
        with machine_lock(exclusive=True):
            seed = SystemRandom().getrandbits(63)
            once = partial(measure_once, made.stage, made.code, made.counter, take, seed)
            return believed(once)


def _timed(session: BaseSession, duel: Duel, random: Random) -> tuple[tuple[int, ...], ...]:
    """Return the ticks of each slot, the first round left out."""
    agent, use = session.agent, duel.use
    agent.forget_buffers()
    arena = Arena(session)
    arena.lay(use.routine)
    arena.fill(use.routine)
    places = random.sample(range(len(duel.slots)), len(duel.slots))
    inputs = [duel.slots[place] for place in places]
    order = bytes(range(len(inputs)))
    for _ in range(duel.rounds):
        order += bytes(random.sample(range(len(inputs)), len(inputs)))
    classes = []
    for number in inputs:
        with session.seeded(use.seeds[number]):
            classes.append(_class(arena, use.routines[number]))
    ticks = class_ticks(agent, classes, order, SECONDS)
    found: list[list[int]] = [[] for _ in inputs]
    for number, one in list(zip(order, ticks, strict=True))[len(inputs) :]:
        found[places[number]].append(one)
    return tuple(map(tuple, found))


def _class(arena: Arena, routine: Routine) -> Class:
    """Return what sets the variables of a routine, less its public inputs, and what calls it."""
    preparing = []
    for name, one in routine.variables.items():
        place = bytes([arena.buffer(name).number]) + bytes(4)
        if one.value is not None and (one.secret or not one.is_input):
            preparing.append((Request.WRITE, place + one.value))
        elif one.is_output:
            size = one.size.to_bytes(4, "little")
            preparing.append((Request.FILL, place + size + bytes([FILLING])))
    return preparing, arena.session.requests(routine.steps, arena.resolved)


def _judged(
    row: ClassRow, duels: Sequence[Duel], launcher: _Launcher, progress: Progress
) -> Iterator[ClassRow]:
    """Choose the fixed secrets, launch, and yield what is known then."""
    name = row.package
    progress.begin("launching", LAUNCHES + 1)
    launch, pilot = launcher.timed([replace(one, rounds=LEAST) for one in duels])
    window = WINDOW_SECONDS * launch.counter.ticks_per_second
    chosen = [
        _fixing(one, by_slot, window) for one, by_slot in zip(duels, pilot.by_slot, strict=True)
    ]
    progress.advance(name)
    launches, taken = [], []
    for _ in range(LAUNCHES):
        launch, one = launcher.timed(chosen)
        launches.append(launch)
        taken.append(one)
        progress.advance(name)
    ratios = [one.counter.cycles_per_tick for one in launches]
    known = [one for one in ratios if one is not None]
    ratio = statistics.median(known) if known else 1.0
    for number, duel in enumerate(chosen):
        means = [_means(one.by_slot[number]) for one in taken]
        yield replace(
            row,
            use=duel.use.routine.name,
            unit="cycles" if known else "ticks",
            fixed=ratio * statistics.median(one[0] for one in means),
            others=_interval([ratio * (one[1] - one[0]) for one in means]),
            same=_interval([ratio * (one[2] - one[0]) for one in means]),
        )


def _fixing(duel: Duel, by_slot: Sequence[Sequence[int]], window: float) -> Duel:
    """Fix the secret whose time is farthest from the others', for as many rounds as fit."""
    count = len(duel.use.routines)
    times = [statistics.median((*by_slot[n], *by_slot[count + n])) for n in range(count)]
    middle = statistics.median(times)
    farthest = max(range(count), key=lambda n: abs(times[n] - middle))
    fits = window / (max(1.0, middle) * CLASSES * (count - 1))
    return duel.fixing(farthest, round(min(MOST, max(LEAST, fits))))


def _means(by_slot: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return the mean of each class, without the slowest timings of all."""
    every = sorted(ticks for one in by_slot for ticks in one)
    most = every[round(COUNTED * (len(every) - 1))]
    size = len(by_slot) // CLASSES
    groups = (by_slot[size * n : size * (n + 1)] for n in range(CLASSES))
    counted = ([ticks for one in each for ticks in one if ticks <= most] for each in groups)
    return tuple(statistics.fmean(one) if one else float(most) for one in counted)


def _interval(values: Sequence[float]) -> Interval:
    low, high = median_interval(values, CONFIDENCE) or (min(values), max(values))
    return low, statistics.median(values), high
