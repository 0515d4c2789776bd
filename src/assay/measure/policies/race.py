# SPDX-License-Identifier: MIT
"""A race over the machine codes of each package: launch all once, and only the better ones on.

Compared is one figure, that by which tables rank: the rate of the long stream at every size,
the score of an operation. The launches are short ones that time nothing else; who is left is
measured in full, by launches of its own. Champions of earlier rounds run again beside the
newcomers, in the same rounds.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from assay.compile.recipe import Recipe
from assay.measure.candidate import Candidate, Group, make_ready
from assay.measure.kinds import Course, candidate, course_of, heard_before, measures_of
from assay.measure.launch import FURTHER_LAYOUTS
from assay.measure.launcher import Launcher
from assay.measure.policies.racing import ENOUGH, FINALISTS, Values, survivors
from assay.measure.policies.turns import Turns
from assay.measure.task import Measured
from assay.model import Dropped, Launch
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.stats.summary import per_test
from assay.store import Store
from assay.store.rows import Notes, ObjectKey

FEW = 24  # so many left are launched in several layouts, and twice a round
MOST_ROUNDS = 16
FAR_PERCENT = 25.0  # slower than this at least: other options seldom make up for it
REPEATS = 3  # of a disturbed launch: it is short


def evidence(runners: Sequence[Candidate]) -> list[list[Launch]]:
    """Return the launches by which codes are compared, for each of them.

    A neighbour who stays slows everybody alike. So where more codes have disturbed launches
    than quiet ones, or else each has more of them, those are compared, and never one sort with
    the other.
    """
    quiet = [one.quiet for one in runners]
    disturbed = [[each for each in one.heard if not each.counts] for one in runners]
    few, many = (
        (sum(map(bool, each)), min(map(len, each), default=0)) for each in (quiet, disturbed)
    )
    return disturbed if many > few else quiet


def values_of(launches: Sequence[Launch], asked: Sequence[Measured]) -> Values:
    """Return a value per measure and launch: cycles per call, ticks where they are not known."""
    known = [each.counter.cycles_per_tick for each in launches if each.counter.cycles_per_tick]
    usual = statistics.median(known) if known else 1.0
    rows = [
        (
            (sample.measure, sample.sizes),
            per_test(each, sample) * (each.counter.cycles_per_tick or usual),
        )
        for each in launches
        for sample in each.samples
    ]
    return [[value for found, value in rows if found == key] for key in asked]


class Race(Struct):
    """The races of a campaign; `champions` are who was left of each so far."""

    launcher: Launcher
    store: Store
    plan: Plan
    progress: Progress
    champions: dict[Course, list[Group]] = field(default_factory=dict)
    seen: set[tuple[Course, str | None]] = field(default_factory=set)
    far: dict[tuple[str, int], bool] = field(default_factory=dict)

    def run(self, groups: Iterable[Group]) -> list[Group]:
        """Race the codes of a round; return those to measure in full, champions among them.

        Who was measured in full is not launched again for being compared.
        """
        everyone = list(groups)
        gone = Notes(self.store).all(Dropped)
        fresh = self._fresh(everyone, gone)
        courses = {course: self._runners(course, each, gone) for course, each in fresh.items()}
        self._run_all({course: each for course, each in courses.items() if _is_a_race(each)})
        for course, runners in courses.items():
            self.champions[course] = [one.group for one in runners if not one.failed]
        self._look_back(everyone)
        return [group for course in fresh for group in self.champions[course]]

    def exclude(self, groups: Iterable[Group]) -> None:
        """Forget codes that turned out to be wrong; who lost against them has not lost."""
        gone = {(course_of(group), group[0].build.object_hash) for group in groups}
        self.seen -= gone
        for course, champions in self.champions.items():
            champions[:] = [
                one for one in champions if (course, one[0].build.object_hash) not in gone
            ]

    def is_behind(self, recipe: Recipe) -> bool:
        """Return whether all codes of a package that raced so far were far slower than another."""
        return self.far.get((recipe.package.place, recipe.variant), False)

    def note_left_out(self, place: str, variant: int) -> None:
        """Write down that a package is not tried further, for what was measured of it so far."""
        notes = Notes(self.store)
        for key, note in notes.all(Dropped).items():
            if (key.place, key.variant) == (place, variant) and note.round:
                notes.put(key, replace(note, round=0))

    def _fresh(
        self, groups: Iterable[Group], gone: Mapping[ObjectKey, Dropped]
    ) -> dict[Course, list[Group]]:
        """Leave out who dropped out earlier, if who was faster is here again."""
        everyone = [(course_of(group), group) for group in groups]
        self.seen |= {(course, group[0].build.object_hash) for course, group in everyone}
        found: dict[Course, list[Group]] = {course: [] for course, _ in everyone}
        for course, group in everyone:
            found[course] += [] if self._is_out(course, group, gone) else [group]
        return found

    def _is_out(self, course: Course, group: Group, gone: Mapping[ObjectKey, Dropped]) -> bool:
        """Return whether a code dropped out, and who was faster is here."""
        key = self.store.key(group[0].build.cell)
        note = gone.get(key) if key is not None else None
        return note is not None and (course, note.against_code) in self.seen

    def _look_back(self, groups: Iterable[Group]) -> None:
        """Note which packages are far behind with all of their codes."""
        gone = Notes(self.store).all(Dropped)
        for group in groups:
            key = self.store.key(group[0].build.cell)
            note = gone.get(key) if key is not None else None
            place = (group[0].recipe.package.place, group[0].recipe.variant)
            behind = note is not None and note.percent >= FAR_PERCENT
            self.far[place] = behind and self.far.get(place, True)

    def _runners(
        self, course: Course, fresh: Sequence[Group], gone: Mapping[ObjectKey, Dropped]
    ) -> list[Candidate]:
        """Line up newcomers, with what they ran before an interrupt, and champions."""
        known = {group[0].code for group in fresh}
        old = [
            one
            for one in self.champions.get(course, [])
            if one[0].code not in known and not self._is_out(course, one, gone)
        ]
        newcomers = [candidate(self.store, group, self.plan) for group in fresh]
        for one in newcomers:
            one.heard += heard_before(self.store, one)
        return [*(candidate(self.store, group, self.plan) for group in old), *newcomers]

    def _run_all(self, courses: dict[Course, list[Candidate]]) -> None:
        """Run round after round until every course has but its winner; `courses` is changed."""
        lined_up = [one for runners in courses.values() for one in runners]
        if not lined_up:
            return
        self._make_ready(lined_up, further=0)
        racing = dict(courses)
        for number in range(1, MOST_ROUNDS + 1):
            everybody = [one for each in racing.values() for one in each]
            if number == 1:
                self._hear(everybody)
            else:
                self._launch(everybody, number)
            racing = {
                course: runners
                for course, runners in racing.items()
                if self._drop(runners, number) and self._goes_on(course, runners)
            }
            if not racing:
                break

    def _goes_on(self, course: Course, runners: Sequence[Candidate]) -> bool:
        """Return whether there is more to find out; if too few are heard, warn of it."""
        return len(runners) > FINALISTS and self._heard(course, runners)

    def _hear(self, runners: Sequence[Candidate]) -> None:
        """Run the first round; those again of whom no launch was quiet, while they are most.

        Where one try more makes nobody heard, a neighbour is there to stay.
        """
        silent, before = list(runners), len(runners) + 1
        while len(silent) < before and 2 * len(silent) >= len(runners):
            before = len(silent)
            self._launch(silent, 1)
            silent = [one for one in runners if not one.quiet and not one.failed]
            if self.launcher.stays_busy:
                break

    def _make_ready(self, runners: Sequence[Candidate], further: int = FURTHER_LAYOUTS) -> None:
        for _ in make_ready(self.launcher.workshop, runners, self.plan.workers, further):
            pass

    def _heard(self, course: Course, runners: Sequence[Candidate]) -> bool:
        """Return whether most have a launch that counts; if not, note that none drops out."""
        if 2 * sum(map(bool, evidence(runners))) > len(runners):
            return True
        self.progress.warn(f"{course[0]}: too few launches count for a race; all are measured")
        return False

    def _launch(self, runners: Sequence[Candidate], number: int) -> None:
        """Launch everybody of a round, all courses mixed; few of them twice, in layouts."""
        few = number > 1 and len(runners) <= FEW
        if few:
            self._make_ready([one for one in runners if not one.code.layouts])
        for one in runners:
            wanted = int(not one.quiet) if number == 1 else 1 + few
            disturbed = bool(one.heard) and not one.heard[-1].counts
            one.wanted, one.repeats_left = wanted, 0 if disturbed else REPEATS
        self.progress.begin(f"race, round {number}", sum(one.wanted for one in runners))
        purpose = measures_of(runners[0].group).purpose if runners else ""
        Turns(self.launcher, self.progress, brief=True, purpose=purpose).take(runners)

    def _drop(self, runners: list[Candidate], number: int) -> bool:
        """Take out of a course who is clearly slower, or not in the better half.

        Return whether another round could take out more: where nobody goes once launches are
        enough, each of them is the first at a size.
        """
        runners[:] = [one for one in runners if not one.failed]
        heard = dict(zip(map(id, runners), evidence(runners), strict=True))
        unheard = [one for one in runners if not heard[id(one)]]
        runners[:] = [one for one in runners if heard[id(one)]]
        common = [one.brief.asked for one in runners]
        asked = sorted(frozenset.intersection(*common), key=str) if common else []
        places = dict(enumerate(runners))
        stay: list[int] = list(places)
        gone: dict[int, tuple[float, int]] = {}
        if asked:  # else they share no sizes, and nobody is slower
            values = {place: values_of(heard[id(one)], asked) for place, one in places.items()}
            stay, gone = survivors(values)
        notes = Notes(self.store)
        for place, (percent, leader) in gone.items():
            build, best = places[place].group[0].build, places[leader].group[0].build
            key = self.store.key(build.cell)
            count = len(heard[id(places[place])])
            if key is not None:
                against = best.cell.configuration
                code = best.object_hash or ""
                notes.put(key, Dropped(number, percent, against, code, count))
        left = [places[place] for place in stay]
        runners[:] = [*left, *unheard]
        fewest = min((len(heard[id(one)]) for one in left), default=ENOUGH)
        return number == 1 or bool(gone) or fewest < ENOUGH


def _is_a_race(runners: Sequence[Candidate]) -> bool:
    """Return whether there is somebody to compare, and somebody who is not measured yet."""
    return len(runners) > 1 and any(one.wanted for one in runners)
