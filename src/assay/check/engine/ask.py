# SPDX-License-Identifier: MIT
"""What one build is asked: the checks of its kind, and the comparison with another package.

Most of a check is computed by Python, which uses one processor, or waits for a process to start
or to answer. So `assay check` of one build has helpers, further processes, and whoever is free
takes the next question.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.check import Check, run_checks, took_too_long
from assay.check.depth import IN_FULL, Extent
from assay.check.engine.build import Company, Foundry
from assay.check.engine.cells import ANSWERS, FITS, build_verdict, warning
from assay.check.engine.instruments import apart, bench_of, trial_of
from assay.check.engine.wanted import LongWanted, ReferencePackage
from assay.check.kinds import Kind, kind_named, kind_of
from assay.check.object.calling import complaint
from assay.check.session import ImplausibleSizeError
from assay.check.trial import AnyTrial
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent, AgentError, AgentFault
from assay.execute.disassembly import Disassembly
from assay.execute.lock import sharing_too, stand_aside, waiting
from assay.execute.patience import OutOfPatience, Patience
from assay.machine.cpuinfo import lacking, traps
from assay.machine.helper import HelperLost, SecondProcess
from assay.machine.threads import Threads
from assay.model import Build, CheckResult, PackageKind, Subject, Verdict
from assay.model.causes import CONSTANTS
from assay.model.compared import settled
from assay.timing.witness import making_sense

# What most often fails, in the order in which it is soon answered; the others follow.
FIRST = (
    "object/calls", "vectors/verified", "digest/verified", "object/names", "checksum/small",
    "buffers/guard", "vectors/consistent", "lengths/splits", "buffers/alignment",
    "buffers/in-place",
)  # fmt: skip
# What waits longest, for compilers and signals: asked next, while others are computed.
WAITING = ("object/externals", "header/alone", "reentrant/signal", "lengths/beyond-4-mib")
TURNS = (*FIRST, *WAITING, "")
CHEAP = (*FIRST, "", *WAITING)  # where one failure is enough


class AskedBuild(Struct, frozen=True):
    """A build that describes itself, and what it is asked.

    `reference` is the package that outputs are compared with, where there is one. `long` is there
    for checks that take hours.
    """

    recipe: Recipe
    build: Build
    subject: Subject
    extent: Extent = IN_FULL
    reference: ReferencePackage | None = None
    long: LongWanted | None = None

    @property
    def checks(self) -> tuple[Check[Any], ...]:
        """Return the checks, in the order in which they are shown."""
        every = kind_of(self.recipe.package).checks
        return tuple(one for one in every if self.extent.asks(one.name))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the questions, in the order in which they are shown."""
        reference = self.reference
        names = tuple(one.name for one in self.checks)
        return names if reference is None else (*names, reference.origin.value)

    def groups(self) -> list[tuple[str, ...]]:
        """Return the names of the questions in the order of asking; groups stay together."""
        groups: dict[str, list[str]] = {}
        for one in self.checks:
            groups.setdefault(one.notes or one.name, []).append(one.name)
        turns = CHEAP if self.extent.one_failure else TURNS
        found = sorted(map(tuple, groups.values()), key=partial(_turn, turns))
        if self.reference is not None:
            found.insert(len(FIRST), (self.reference.origin.value,))
        return found


def _turn(turns: Sequence[str], group: tuple[str, ...]) -> int:
    """Return when a group has its turn; what has none named comes where `""` stands."""
    places = [turns.index(name) for name in group if name in turns]
    return min(places, default=turns.index(""))


class Questioner:
    """Asks the agents of one build, question by question; they live on in between."""

    def __init__(self, foundry: Foundry, asked: AskedBuild, opened: Agent | None = None) -> None:
        """Launch nothing yet; an agent that is `opened` is asked first."""
        self.foundry, self._asked = foundry, asked
        self._checks = {one.name: one for one in asked.checks}
        self._opened = opened
        self._trial: AnyTrial | None = None
        self._held = ExitStack()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the agents, and remove what was built for single checks."""
        if self._trial is not None:
            self._trial.close()
        elif self._opened is not None:
            self._opened.close()
        self._held.close()

    def answers(self, name: str) -> tuple[CheckResult, ...]:
        """Ask one question; there is no answer where it never applies."""
        reference, patience = self._asked.reference, self.foundry.stage.patience
        if reference is not None and name == reference.origin.value:
            return self._compared(reference)
        if self._trial is None:
            self._trial = self._open()
        return run_checks((self._checks[name],), self._trial, patience)

    def _compared(self, reference: ReferencePackage) -> tuple[CheckResult, ...]:
        from assay.check.engine.comparisons import reference_checks  # noqa: PLC0415 - seldom wanted

        return reference_checks(self.foundry, self._asked, reference)

    def _open(self) -> AnyTrial:
        """Put the build on trial."""
        asked, foundry = self._asked, self.foundry
        extent = asked.extent
        instruments = self._held.enter_context(apart(foundry)) if extent.deep else None
        bench = bench_of(foundry, asked.recipe, asked.build, instruments)
        if asked.long:
            from assay.check.engine.comparisons import with_long  # noqa: PLC0415 - seldom wanted

            other = asked.reference.package if asked.reference else None
            bench = with_long(foundry, bench, asked.long, other)
        details = asked.recipe.package.details
        if details is not None and details.pieces:
            from assay.check.engine.comparisons import with_pieces  # noqa: PLC0415 - seldom wanted

            bench = with_pieces(foundry, bench)
        trial = trial_of(foundry, asked.recipe, asked.build, asked.subject, bench, extent)
        if foundry.stage.target.is_native:
            trial.opened = self._opened
        elif self._opened is not None:
            self._opened.close()  # of a board there is one
        return trial


Answers = dict[str, tuple[CheckResult, ...]]
Tell = Callable[[CheckResult], None]


class HelperQuestions(Struct):
    """What the helper does: the questions to one build after another."""

    foundry: Foundry
    kind: PackageKind
    patience: Patience = field(default_factory=lambda: Patience(0.0))
    questioner: Questioner | None = None

    def begin(self) -> None:
        """Import the checks while the package is compiled."""
        kind_named(self.kind)

    def open(self, asked: AskedBuild, seconds: float) -> None:
        """Begin with a build whose agents may take so many seconds in all."""
        self.close()
        self.patience = Patience(seconds)
        stage = replace(self.foundry.stage, patience=self.patience)
        self.questioner = Questioner(self.foundry.staged(stage), asked)

    def answers(self, name: str, used: float) -> tuple[tuple[CheckResult, ...], float]:
        """Ask one question; so many seconds are used up. Return how many are then."""
        assert self.questioner is not None  # noqa: S101 - opened before
        self.patience.spend(used - self.patience.used)
        return self.questioner.answers(name), self.patience.used

    def close(self) -> None:
        """End the agents."""
        if self.questioner is not None:
            self.questioner.__exit__()
        self.questioner = None


class Lanes(Struct):
    """The questions that are left, the answers so far, and who hears of each at once.

    Where `one_failure` is enough, nothing is left behind the first.
    """

    left: deque[tuple[str, ...]]
    tell: Tell
    one_failure: bool = False
    answers: Answers = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Return whether a check has failed, in the light of the others so far."""
        given = (one for found in self.answers.values() for one in found)
        return any(one.verdict is Verdict.FAIL for one in settled(given))

    def take(self, ask: Callable[[str], tuple[CheckResult, ...]]) -> None:
        """Ask until nothing is left; a group whose helper was lost is left to others."""
        while self.left:
            try:
                group = self.left.popleft()
            except IndexError:
                return
            for number, name in enumerate(group):
                try:
                    found = ask(name)
                except HelperLost:
                    self.left.appendleft(group[number:])
                    return
                self.answers[name] = found
                for one in found:
                    self.tell(one)
                if self.one_failure and self.failed:
                    self.left.clear()
                    return


def ask_all(asked: AskedBuild, here: Questioner, company: Company) -> tuple[CheckResult, ...]:
    """Ask everything; return the answers in the order in which they are shown."""
    groups = sorted(asked.groups(), key=company.first.isdisjoint)
    lanes = Lanes(deque(groups), company.tell, asked.extent.one_failure)
    if company.helpers:
        _in_lanes(lanes, asked, here, company.helpers)
    lanes.take(here.answers)  # all of it, or what helpers that were lost have left
    return tuple(one for name in asked.names for one in lanes.answers.get(name, ()))


def _in_lanes(
    lanes: Lanes, asked: AskedBuild, here: Questioner, helpers: Sequence[SecondProcess]
) -> None:
    """Ask here and by all helpers until nothing is left."""
    patience = here.foundry.stage.patience or here.foundry.stage.fresh_patience()

    def other(helper: SecondProcess) -> None:
        """Ask by the helper; if it is lost, what it would do is done here."""

        def ask(name: str) -> tuple[CheckResult, ...]:
            stand_aside()
            before = patience.used
            found, used = helper.call("answers", name, before)
            patience.spend(used - before)
            return found  # type: ignore[no-any-return]

        with suppress(HelperLost):
            helper.call("open", asked, patience.seconds)
            lanes.take(ask)
            helper.call("close")

    with Threads(len(helpers)) as threads:
        work = sharing_too(other)
        beside = [threads.submit(work, helper) for helper in helpers]
        try:
            lanes.take(here.answers)
        finally:
            with waiting():
                wait(beside)
    for each in beside:
        each.result()


ILLEGAL_INSTRUCTION = "SIGILL"
DEFINE = "Write `#define` and the size into the header; a constant of an `enum` cannot be seen."
IMPLAUSIBLE = "Correct the constant in the header; a negative one becomes a very large one."


def interview(
    foundry: Foundry, recipe: Recipe, build: Build, ask: Callable[..., AskedBuild]
) -> tuple[tuple[CheckResult, ...], Subject | None]:
    """Ask the agents of a package everything; also return how it describes itself."""
    connect = foundry.connector(build, recipe.package.kind)
    kind = kind_of(recipe.package)
    try:
        with making_sense():
            agent, subject = _introduced(connect, kind)
    except AgentError as error:
        calls = filter(None, (complaint(build),))  # code may die of them before it can be asked
        return (build_verdict(build), *calls, _mute(error)), None
    unfit = _unfit(recipe, build, agent, subject)
    if unfit is not None:
        return (unfit,), subject
    asked = ask(recipe, build, subject)
    if warned := warning(build, fails=True):
        foundry.company.tell(warned)
    with Questioner(foundry, asked, agent) as here:
        checks = ask_all(asked, here, foundry.company)
    told = _undefined(kind.undefined(subject), checks)
    return (build_verdict(build), CheckResult(ANSWERS, Verdict.PASS), *told, *checks), subject


def _undefined(names: Sequence[str], checks: Sequence[CheckResult]) -> Iterator[CheckResult]:
    """Yield which sizes are not defined, where something fails: it may be why."""
    if names and any(one.verdict is Verdict.FAIL for one in checks):
        reason = f"the header defines no {' and no '.join(names)}, so that it counts as 0"
        yield CheckResult(CONSTANTS, Verdict.FINDING, reason, DEFINE)


def _unfit(recipe: Recipe, build: Build, agent: Agent, subject: Subject) -> CheckResult | None:
    """Try every function once where code may need what this processor lacks.

    The agent lives on if all went well.
    """
    kind = kind_of(recipe.package)
    if not kind.may_not_fit:
        return None
    try:
        with making_sense():
            kind.exercise(agent, subject)
    except AgentFault as fault:
        agent.close()
        if fault.signal == ILLEGAL_INSTRUCTION:
            listing = "".join(Disassembly(one).listing for one in build.objects)
            missing = ", ".join(lacking(listing))
            if not missing and traps(listing):
                return None  # it ended itself, and the checks will tell
            missing = missing or "an extension"
            reason = f"this processor does not have {missing}, which the code uses"
            return CheckResult(FITS, Verdict.SKIPPED, reason)
    except AgentError:
        agent.close()  # the checks will tell
    return None


def _introduced(connect: Callable[[], Agent], kind: Kind) -> tuple[Agent, Subject]:
    """Launch an agent and let it describe itself; one that cannot is ended."""
    agent = connect()
    try:
        return agent, kind.describe(agent)
    except BaseException:
        agent.close()
        raise


def _mute(error: AgentError) -> CheckResult:
    if isinstance(error, ImplausibleSizeError):
        return CheckResult(CONSTANTS, Verdict.FAIL, str(error), IMPLAUSIBLE)
    if isinstance(error, OutOfPatience):
        return took_too_long(error)
    cure = "Constructors and ECRYPT_NAME are all that runs before the first call; look there."
    return CheckResult(ANSWERS, Verdict.FAIL, str(error), cure)
