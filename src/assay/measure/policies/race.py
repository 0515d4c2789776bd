# SPDX-License-Identifier: MIT
"""A race over the machine codes of each package: launch all once, and only the better ones on.

Compared is the rate of the long stream, the figure by which tables rank, at every size. The
launches are short ones that time nothing else, marked as those of a race; who is left is
measured in full, by launches of its own. Champions of earlier rounds run again beside the
newcomers, in the same rounds.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from assay.check.engine.cells import Made
from assay.check.engine.workshop import Workshop
from assay.measure.measuring import Meter, Queued, make_ready, queued
from assay.measure.placing import FURTHER_LAYOUTS
from assay.measure.policies.racing import FINALISTS, Values, survivors
from assay.model import Dropped, Launch, SizeChoice
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.stats.summary import per_test
from assay.store import Store
from assay.store.notes import Notes

RACE = "race"
CRITERION = "stream/long"
SAMPLES = 9
FEW = 24  # so many left are launched in several layouts, and twice a round
MOST_ROUNDS = 16
MOST_TRIES = 4  # to hear of more than half of the codes
REPEATS = 3  # of a disturbed launch: it is short, and a race without quiet ones is none

Group = tuple[Made, ...]
Course = tuple[str, int]  # what competes: a variant of a package


@dataclass(slots=True)
class Runner:
    """A machine code in a race, with its launches so far."""

    group: Group
    queued: Queued
    launches: list[Launch]

    @property
    def quiet(self) -> list[Launch]:
        """Return the launches that say something."""
        return [one for one in self.launches if not one.disturbed]

    def values(self, sizes: Sequence[SizeChoice]) -> Values:
        """Return a value per size and launch: cycles per call, ticks where they are not known."""
        quiet = self.quiet
        known = [one.counter.cycles_per_tick for one in quiet if one.counter.cycles_per_tick]
        usual = statistics.median(known) if known else 1.0
        rows = [
            (sample.sizes, per_test(one, sample) * (one.counter.cycles_per_tick or usual))
            for one in quiet
            for sample in one.samples
            if sample.measure == CRITERION
        ]
        return [[value for found, value in rows if found == size] for size in sizes]


@dataclass(slots=True)
class Race:
    """The races of a campaign; `champions` are who was left of each so far."""

    workshop: Workshop
    store: Store
    plan: Plan
    only: tuple[SizeChoice, ...]
    progress: Progress
    champions: dict[Course, list[Group]] = field(default_factory=dict)
    seen: set[tuple[str, int, str | None]] = field(default_factory=set)

    def run(self, groups: Iterable[Group]) -> list[Group]:
        """Race the codes of a round; give those to measure in full, champions among them."""
        fresh = self._fresh(groups)
        courses = {course: self._runners(course, each) for course, each in fresh.items()}
        self._run_all({course: each for course, each in courses.items() if _is_a_race(each)})
        for course, runners in courses.items():
            self.champions[course] = [one.group for one in runners if not one.queued.failed]
        return [group for course in fresh for group in self.champions[course]]

    def _fresh(self, groups: Iterable[Group]) -> dict[Course, list[Group]]:
        """Leave out who dropped out earlier, if who was faster is here again."""
        gone = Notes(self.store).all(Dropped)
        everyone = list(groups)
        self.seen |= {group[0].code for group in everyone}
        found: dict[Course, list[Group]] = {}
        for group in everyone:
            key, course = self.store.key(group[0].build.cell), group[0].code[:2]
            note = gone.get(key) if key is not None else None
            courses = found.setdefault(course, [])
            if note is None or (*course, note.against_code) not in self.seen:
                courses.append(group)
        return found

    def _runners(self, course: Course, fresh: Sequence[Group]) -> list[Runner]:
        """Line up newcomers, with what they ran before an interrupt, and champions."""
        known = {group[0].code for group in fresh}
        old = [one for one in self.champions.get(course, []) if one[0].code not in known]
        return [
            *(Runner(group, self._queue(group), []) for group in old),
            *(Runner(group, self._queue(group), self._before(group)) for group in fresh),
        ]

    def _queue(self, group: Group) -> Queued:
        return queued(self.store, group, self.plan, self.only)

    def _before(self, group: Group) -> list[Launch]:
        found = self.store.launches(group[0].build.cell)
        return [one for one in found if one.purpose == RACE]

    def _run_all(self, courses: dict[Course, list[Runner]]) -> None:
        """Run round after round until every course has but finalists; `courses` is changed."""
        lined_up = [one for runners in courses.values() for one in runners]
        if not lined_up:
            return
        self._make_ready(lined_up, further=0)
        samples = min(SAMPLES, self.plan.effort.samples)
        effort = replace(self.plan.effort, samples=samples, only=(CRITERION,))
        meter = Meter.found(self.workshop, self.store, lined_up[0].group[0].recipe, effort)
        meter.purpose = RACE
        for number in range(1, MOST_ROUNDS + 1):
            open_ones = {
                course: runners
                for course, runners in courses.items()
                if number == 1 or (len(runners) > FINALISTS and self._heard(course, runners))
            }
            if not open_ones:
                break
            everybody = [one for each in open_ones.values() for one in each]
            if number == 1:
                self._hear(everybody, meter)
            else:
                self._launch(everybody, meter, number)
            for runners in open_ones.values():
                self._drop(runners, number)

    def _hear(self, runners: Sequence[Runner], meter: Meter) -> None:
        """Run the first round; those again of whom no launch was quiet, while they are most."""
        silent = list(runners)
        for _ in range(MOST_TRIES):
            self._launch(silent, meter, 1)
            silent = [one for one in runners if not one.quiet and not one.queued.failed]
            if 2 * len(silent) < len(runners):
                return

    def _make_ready(self, runners: Sequence[Runner], further: int = FURTHER_LAYOUTS) -> None:
        pairs = [(one.queued, one.group[0]) for one in runners]
        for _ in make_ready(self.workshop, pairs, self.plan.workers, further):
            pass

    def _heard(self, course: Course, runners: Sequence[Runner]) -> bool:
        """Return whether most have a quiet launch; if not, note that none drops out."""
        if 2 * sum(bool(one.quiet) for one in runners) > len(runners):
            return True
        self.progress.warn(
            f"{course[0]}: too few launches were quiet for a race; all are measured"
        )
        return False

    def _launch(self, runners: Sequence[Runner], meter: Meter, number: int) -> None:
        """Launch everybody of a round, all courses mixed; few of them twice, in layouts."""
        few = number > 1 and len(runners) <= FEW
        if few:
            self._make_ready([one for one in runners if not one.queued.target.layouts])
        for one in runners:
            wanted = int(not one.quiet) if number == 1 else 1 + few
            one.queued.wanted, one.queued.repeats_left = wanted, REPEATS
        by_queue = {id(one.queued): one for one in runners}
        queue = [one.queued for one in runners]
        self.progress.begin(f"race, round {number}", sum(one.wanted for one in queue))
        meter.heard = lambda one, launch: by_queue[id(one)].launches.append(launch)
        meter.take_turns(queue, self.progress, lambda _: False)

    def _drop(self, runners: list[Runner], number: int) -> None:
        """Take out of a course who is clearly slower, or not in the better half."""
        runners[:] = [one for one in runners if not one.queued.failed]
        unheard = [one for one in runners if not one.quiet]
        runners[:] = [one for one in runners if one.quiet]
        common = [set(one.queued.sizes) for one in runners]
        sizes = sorted(set.intersection(*common), key=str) if common else []
        places = dict(enumerate(runners))
        stay, gone = survivors({place: one.values(sizes) for place, one in places.items()})
        notes = Notes(self.store)
        for place, (percent, leader) in gone.items():
            build, best = places[place].group[0].build, places[leader].group[0].build
            key = self.store.key(build.cell)
            count = len(places[place].quiet)
            if key is not None:
                against = best.cell.configuration
                code = best.object_hash or ""
                notes.put(key, Dropped(number, percent, against, code, count))
        runners[:] = [*(places[place] for place in stay), *unheard]


def _is_a_race(runners: Sequence[Runner]) -> bool:
    """Return whether there are more than finalists, and somebody of them is not measured yet."""
    return len(runners) > FINALISTS and any(one.queued.wanted for one in runners)
