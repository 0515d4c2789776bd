# SPDX-License-Identifier: MIT
"""Comparing a built package with another implementation of its API, and with known answers."""

import dataclasses
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from assay.check.against.compare import COMPARISON, WORDS, compare_pieces
from assay.check.against.side import ComparedSide, Pair
from assay.check.answers.records import AnswerFile, FileAgreement
from assay.check.answers.verdicts import CURE, shipped_answers, verdicts
from assay.check.bench import Bench, BuiltReference, LongRun
from assay.check.check import CheckFailed, run_checks, took_too_long
from assay.check.engine.ask import AskedBuild
from assay.check.engine.build import Foundry, ReferenceGoneError, ReferenceUnusableError, described
from assay.check.engine.cells import Examination, with_warnings
from assay.check.engine.instruments import apart, trial_of
from assay.check.engine.wanted import LongWanted, ReferencePackage
from assay.check.engine.workshop import Workshop
from assay.check.kinds import kind_of
from assay.check.trial import AnyTrial
from assay.compile.recipe import Recipe
from assay.compile.supercop.layout import with_macro
from assay.compile.supercop.names import details_of
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model import Build, CheckResult, Package, Subject, Verdict
from assay.model.causes import explained
from assay.model.compared import ANSWERED, COMPARISONS, GONE, settled
from assay.plan.choice import like

REFERENCE_CURE = "Fix that package first, or compare with another: `assay check` with its name."

BESIDE_SECONDS = 30.0
"""For each file that nobody named: signatures of some schemes take seconds."""
Compare = Callable[[AnswerFile], FileAgreement]


class ComparisonExtent(Struct, frozen=True):
    """How many questions two implementations are asked, and for how many seconds each works.

    `rounds` is how often each use is computed with inputs that the agents draw.
    """

    most: int
    rounds: int
    seconds: float

    def pair(self, names: Iterable[str], trials: Iterable[AnyTrial]) -> Pair:
        """Return two sides that are asked so much."""
        one, other = (
            ComparedSide(name, each, each.budget(self.seconds))
            for name, each in zip(names, trials, strict=True)
        )
        return Pair(one, other, self.most, self.rounds)


EXTENTS = {  # by whether a user named the other package, and whether the checks are deep
    (False, False): ComparisonExtent(100, 1 << 18, 0.25),
    (False, True): ComparisonExtent(10_000, 1 << 21, 20.0),
    (True, False): ComparisonExtent(1000, 1 << 19, 10.0),
    (True, True): ComparisonExtent(20_000, 1 << 22, 60.0),
}


IN_PIECES = {  # by whether the checks are deep
    False: ComparisonExtent(1000, 1 << 14, 1.2),
    True: ComparisonExtent(10_000, 1 << 18, 10.0),
}
NO_PIECES = "Correct the wrapper, or remove `pieces` from assay.toml."


def reference_checks(
    foundry: Foundry, asked: AskedBuild, reference: ReferencePackage
) -> tuple[CheckResult, ...]:
    """Return the verdict of the comparison of a build with another package, built like it."""
    with (
        closing(trial_of(foundry, asked.recipe, asked.build, asked.subject)) as trial,
        apart(foundry, reuse=True) as elsewhere,  # many packages have one
    ):
        return _compared(elsewhere, asked, reference, trial)


def _compared(
    foundry: Foundry, asked: AskedBuild, reference: ReferencePackage, trial: AnyTrial
) -> tuple[CheckResult, ...]:
    """Build the reference, and ask both."""
    extent = EXTENTS[reference.named, asked.extent.deep]
    recipe = like(asked.recipe, reference.package)
    try:
        build, subject = described(foundry, recipe)
    except ReferenceGoneError as error:
        reason = f"{reference.package.selector} {error}"
        return (CheckResult(reference.origin.value, Verdict.OPEN, reason, GONE),)
    except ReferenceUnusableError as error:
        return (_unable(reference, str(error)),)
    with closing(trial_of(foundry, recipe, build, subject)) as second:
        names = (each.package.selector for each in (trial, second))
        pair = extent.pair(names, (trial, second))
        found = run_checks((COMPARISON[reference.origin],), pair, foundry.stage.patience)
        failed = any(each.verdict is Verdict.FAIL for each in found)
        own = _known_answers(foundry, trial) if failed else frozenset()
        if Verdict.OPEN in own and trial.package.reference and not reference.named:
            why = "has vectors of which the package has none: another version"
            return (_unable(reference, why),)
        if _right(own) and not _right(_known_answers(foundry, second)):
            return tuple(_unproved(each, reference) for each in found)
        return found


def with_pieces(foundry: Foundry, bench: Bench) -> Bench:
    """Return the bench for a package whose wrapper can cut messages."""
    return replace(bench, in_pieces=partial(_in_pieces, foundry, bench.recipe))


def _in_pieces(foundry: Foundry, recipe: Recipe, trial: AnyTrial) -> str:
    """Compare a package with itself where its wrapper cuts messages: see `compare_pieces`.

    Both builds are of one package, so what differs is wrong whatever known answers say.
    """
    macro = details_of(recipe.package).pieces
    extent = IN_PIECES[trial.deep]
    cutting = replace(recipe, package=with_macro(recipe.package, macro))
    with apart(foundry, reuse=True) as elsewhere:
        try:
            build, subject = described(elsewhere, cutting)
        except ReferenceUnusableError as error:
            raise CheckFailed(f"with {macro} it {error}", cure=NO_PIECES) from None
        with closing(trial_of(elsewhere, cutting, build, subject)) as second:
            return compare_pieces(extent.pair(WORDS, (trial, second)))


def _known_answers(foundry: Foundry, trial: AnyTrial) -> frozenset[Verdict]:
    """Return the verdicts that compare a build with known answers; skipped ones do not count."""
    every = kind_of(trial.package).checks
    asked = tuple(one for one in every if one.name.startswith(COMPARISONS))
    found = run_checks(asked, trial, foundry.stage.patience)
    return frozenset(one.verdict for one in found) - {Verdict.SKIPPED}


def _right(verdicts: frozenset[Verdict]) -> bool:
    return Verdict.PASS in verdicts and Verdict.FAIL not in verdicts


def _unproved(one: CheckResult, reference: ReferencePackage) -> CheckResult:
    """Return what a difference is where only the package has passed known answers.

    Where a user asked for the comparison it stays open.
    """
    why = f"{one.reason.removesuffix('; one of them is wrong')}; the package has passed known "
    why += f"answers, and {reference.package.selector} has not"
    verdict = Verdict.OPEN if reference.named else Verdict.FINDING
    return replace(one, verdict=verdict, reason=why, cure=REFERENCE_CURE)


def _unable(reference: ReferencePackage, why: str) -> CheckResult:
    """Return that nothing was compared: open if the user asked for it."""
    verdict, cure = (Verdict.OPEN, REFERENCE_CURE) if reference.named else (Verdict.SKIPPED, "")
    return CheckResult(
        reference.origin.value, verdict, f"{reference.package.selector} {why}", cure
    )


def with_long(foundry: Foundry, bench: Bench, wanted: LongWanted, other: Package | None) -> Bench:
    """Return the bench with what such checks need; `other` is what outputs are compared with.

    Their agents are not waited for out of the package's time: only --patience ends them.
    """
    patient = foundry.unhurried(foundry.stage.jail.patience_seconds or math.inf)
    recipe = bench.recipe
    label = f"{recipe.package.selector} {recipe.configuration.name}"
    return replace(
        bench,
        long=LongRun(
            partial(patient.stage.connect, patient.admit(bench.build), large=True),
            partial(_long_reference, patient, recipe, other),
            wanted.folder / _name(bench, other),
            partial(wanted.reach, label),
        ),
    )


def _name(bench: Bench, other: Package | None) -> str:
    """Name the record of what is made by a code and by another package, as both are now."""
    identity = f"{bench.build.object_hash} {other.identity if other else ''}"
    return f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.json"


@contextmanager
def _long_reference(
    foundry: Foundry, recipe: Recipe, other: Package | None
) -> Iterator[BuiltReference | None]:
    """Build a package as another is built; lend None if there is none, or it does not work."""
    with apart(foundry, reuse=True) as elsewhere:
        found = None
        if other is not None:
            with suppress(ReferenceUnusableError):
                build, subject = described(elsewhere, like(recipe, other))
                connect = partial(elsewhere.stage.connect, elsewhere.admit(build), large=True)
                found = BuiltReference(other.selector, connect, subject)
        yield found


def with_answers(
    workshop: Workshop,
    recipe: Recipe,
    build: Build,
    outcome: Examination,
    files: Sequence[AnswerFile],
) -> Examination:
    """Add a verdict for each file to an examination whose agent answered.

    The files that lie beside the package come after those that the user named.
    """
    if outcome.subject is None or outcome.verdict is Verdict.SKIPPED:
        return outcome
    compare = partial(_answered, workshop, recipe, build, outcome.subject)
    named = [one for file in files for one in _verdicts(compare, file)]
    asked = partial(compare, seconds=BESIDE_SECONDS)
    known = [file.path for file in files]
    found = shipped_answers(recipe.package, asked, known, (*outcome.checks, *named))
    checks = with_warnings(settled((*outcome.checks, *named, *found)), build)
    return dataclasses.replace(outcome, checks=explained(checks))


def _answered(
    workshop: Workshop,
    recipe: Recipe,
    build: Build,
    subject: Subject,
    file: AnswerFile,
    seconds: float = math.inf,
) -> FileAgreement:
    """Ask an agent of its own for every answer of a file; AgentError if there is none.

    After so many seconds no further answers are asked for.
    """
    answers = kind_of(recipe.package).answers
    if answers is None:
        raise ValueError(f"no answers are known of the kind {recipe.package.kind}")
    with workshop.connector(build)() as agent:
        found: FileAgreement = answers(agent, subject, file, seconds)
    return found


def _verdicts(compare: Compare, file: AnswerFile) -> Iterator[CheckResult]:
    try:
        found = compare(file)
    except OutOfPatience as error:
        yield took_too_long(error)
        return
    except AgentError as error:
        yield CheckResult(ANSWERED, Verdict.FAIL, f"{file.path}: {error}", CURE)
        return
    yield from verdicts(file.path, found)
