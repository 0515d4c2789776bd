# SPDX-License-Identifier: MIT
"""The workshop: builds cells and examines them, on one target, and again if something was killed.

From outside nobody can tell who killed a process: the system that ran out of memory, a
person, or the code itself. So it is tried again, a few times: code that kills itself does it
each time.
A compiler that cannot compile one line any more ends the campaign, and nothing that it
failed at is stored.
"""

import dataclasses
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from assay.check.check import CheckFailed, CheckSkipped, is_final, took_too_long
from assay.check.depth import IN_FULL, Extent
from assay.check.engine.ask import AskedBuild, interview
from assay.check.engine.build import Foundry
from assay.check.engine.cells import ANSWERS, Examination, build_verdict, with_warnings
from assay.check.engine.instruments import trial_of
from assay.check.engine.wanted import LongWanted, ReferencePackage, Wanted
from assay.check.kinds import kind_of
from assay.check.lengths.far import named_lengths
from assay.check.object.calling import complaint
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.agent import Agent, AgentError
from assay.execute.counting import difference
from assay.execute.jail import Jail
from assay.execute.stage import Stage
from assay.execute.staging import staged_folder, sweep
from assay.model import Build, BuildStage, CheckResult, Compiler, Target, Verdict
from assay.model.causes import explained
from assay.model.compared import COMPARISONS, GLANCE, compared, settled
from assay.model.notes import Portability
from assay.model.subjects import Subject
from assay.targets.catalogue import native
from assay.timing.witness import AgentLied, making_sense

COUNTED, MOST_COUNTED = 5003, 20_011  # bytes of messages whose accesses are counted
MOST_NAMED = 4


class Workshop(Foundry):
    """Builds agents and examines them. Use `open_workshop`."""

    def misaligned(self, recipe: Recipe, build: Build, outcome: Examination) -> int | None:
        """Count the memory accesses of a few uses that are not aligned; None if unknown."""
        counted = self.counted(build) if build.ok else None
        if counted is None or outcome.subject is None or self.stage.target.counts == "cycles":
            return None
        try:
            with making_sense(), counted() as (agent, counting):
                before = counting.read()
                kind_of(recipe.package).exercise(agent, outcome.subject)
                with suppress(AgentError, CheckFailed, CheckSkipped):
                    self._use_long(recipe, build, outcome.subject, agent)
                return difference(counting.read(), before).package.misaligned
        except AgentError:
            return None

    def _use_long(self, recipe: Recipe, build: Build, subject: Subject, agent: Agent) -> None:
        """Use everything with longer messages: code may read words from some length on."""
        trial = trial_of(self, recipe, build, subject)
        trial.connect = lambda: agent
        if not trial.on_board and trial.measured[0]:
            for length in (COUNTED, *trial.some(named_lengths(trial, MOST_COUNTED), MOST_NAMED)):
                trial.use_all(trial.converse(agent), (length,))

    def examine(
        self,
        recipe: Recipe,
        build: Build,
        extent: Extent = IN_FULL,
        *,
        reference: ReferencePackage | None = None,
        long: LongWanted | None = None,
        outputs: bool = False,
    ) -> Examination:
        """Run the checks of a build; one that failed is a failed check.

        Outputs are compared with those of a `reference`, where there is one; digests of `outputs`
        are for the comparison with other configurations.
        """
        if not build.ok:
            return Examination(None, (build_verdict(build),))
        mine = self.patient(recipe, deep=extent.deep)
        ask = partial(AskedBuild, extent=extent, reference=reference, long=long)
        checks, subject = interview(mine, recipe, build, ask)
        patience = mine.stage.patience
        if patience is not None and patience.exhausted and is_final(checks):
            checks = (*checks, took_too_long(patience.error(), checks))
        elif outputs and subject is not None:
            from assay.check.engine.agreeing import output_checks  # noqa: PLC0415 - of many builds

            checks = (*checks, *output_checks(mine, recipe, build, subject))
        return Examination(subject, explained(with_warnings(settled(checks), build)))


@contextmanager
def open_workshop(
    jail: Jail,
    agents: Path | None = None,
    cpu: int | None = None,
    target: Target | None = None,
    *,
    reuse: bool = False,
) -> Iterator[Workshop]:
    """Set up a workshop for a target (this machine by default).

    Agents are kept in `agents`, or thrown away at the end. With `reuse` what the user's cache
    has of earlier campaigns is not compiled again.
    """
    sweep()
    with ExitStack() as stack:
        home = stack.enter_context(staged_folder("assay-run-"))
        kept = agents or stack.enter_context(staged_folder("assay-agents-"))
        objects = Kept.ours(jail.mode.value) if reuse else None
        yield Workshop(Builder(kept, jail, objects), Stage(jail, home, cpu, target or native()))


SMALL_BITS = 16  # an int has no more where a machine word has fewer


def traits_of(target: Target, agent: Agent) -> frozenset[str]:
    """Name the traits of a target, each so that `where ...` can stand before it."""
    order = "little" if agent.little_endian else "big"
    sign = "signed" if agent.char_signed else "unsigned"
    names = {
        f"the machine is {order}-endian",
        f"char is {sign}",
        f"pointers have {agent.pointer_bits} bits",
        f"int has {min(max(target.bits, SMALL_BITS), 32)} bits",
    }
    if target.aligned:
        names.add("words must be aligned")
    return frozenset(names)


def portability_of(
    workshop: Workshop, recipe: Recipe, build: Build, outcome: Examination
) -> Portability:
    """Return what a code tells of its portability; nothing if its agent does not answer."""
    misaligned = workshop.misaligned(recipe, build, outcome)
    if not build.ok:
        return Portability(misaligned)
    try:
        with workshop.connector(build)() as agent:
            traits = traits_of(workshop.stage.target, agent)
    except AgentError:
        return Portability(misaligned)
    return Portability(misaligned, tuple(sorted(traits)))


def common_trait(failed: Iterable[frozenset[str]], passed: Iterable[frozenset[str]]) -> str:
    """Describe what all that failed have and none that passed; needs both kinds."""
    red, green = tuple(failed), tuple(passed)
    if not red or not green:
        return ""
    shared = frozenset.intersection(*red) - frozenset.union(*green)
    return " and ".join(sorted(shared))


ASKED = (*COMPARISONS, "supercop/returns")  # the latter is seen by the run of SUPERCOP's tests
# A glance is what a first table and a race need. Its verdicts are open, and are not taken for
# those of an examination.
REASON = "only compared with known answers so far: the other checks were not run"
CRASHES = "Every function is called once, with random inputs: run the package's own tests."
CURE = "`assay check PACKAGE` runs them, and `assay run PACKAGE --exhaustive` for every code."


def with_causes(
    workshop: Workshop, recipe: Recipe, build: Build, outcome: Examination
) -> Examination:
    """Add why code fails: what it calls, and the first calls where nothing was compared."""
    if outcome.subject is None:
        return outcome
    checks = outcome.checks
    if outcome.passed and not compared(checks):
        try:
            with making_sense(), workshop.connector(build, recipe.package.kind)() as agent:
                kind_of(recipe.package).exercise(agent, outcome.subject)
        except AgentError as error:
            died = CheckResult(ANSWERS, Verdict.FAIL, str(error), CRASHES)
            checks = tuple(died if one.check == ANSWERS else one for one in checks)
    found = complaint(build) if any(one.verdict is Verdict.FAIL for one in checks) else None
    checks = checks if found is None else (*checks, found)
    return dataclasses.replace(outcome, checks=explained(with_warnings(checks, build)))


def glanced(outcome: Examination) -> Examination:
    """Leave open what was not asked, unless something failed."""
    if outcome.subject is None or not outcome.passed:
        return outcome
    left = CheckResult(GLANCE, Verdict.OPEN, REASON, CURE)
    return dataclasses.replace(outcome, checks=(*outcome.checks, left))


DoneT = TypeVar("DoneT")

KILLED = "SIGKILL"
TRIES = 5  # in a row, before code whose processes are killed is blamed
_TRIAL = "int assay_trial;\n"
_TRIAL_SECONDS = 60.0


def built(workshop: Workshop, recipe: Recipe) -> Build:
    """Build a cell; MachineError if it fails because the compiler no longer works."""
    build = workshop.build(recipe)
    if build.ok or build.stage is BuildStage.SKIPPED:
        return build
    if why := trouble_of(recipe.compiler):
        raise MachineError(
            f"the compiler {recipe.compiler.path} no longer works: {why}",
            "Fix or install it, or run `assay configure`; the same command then continues.",
        )
    if not build.diagnostics.strip() or "Killed" in build.diagnostics:
        return workshop.build(recipe)
    return build


def examined(
    workshop: Workshop, recipe: Recipe, build: Build, wanted: Wanted, extent: Extent
) -> Examination:
    """Examine a cell; again if an agent was killed."""
    once = partial(_examined, workshop, recipe, build, wanted, extent)
    for _ in range(TRIES - 1):
        outcome = once()
        if not any(one.verdict is Verdict.FAIL and KILLED in one.reason for one in outcome.checks):
            return outcome
    return once()


def _examined(
    workshop: Workshop, recipe: Recipe, build: Build, wanted: Wanted, extent: Extent
) -> Examination:
    """Run all that is wanted once; the agents of one attempt share the time it may take."""
    patient = workshop.patient(recipe, deep=extent.deep)
    if wanted.glance:
        extent = replace(extent, only=ASKED)
        seen = patient.examine(recipe, build, extent, outputs=wanted.outputs)
        return glanced(with_causes(patient, recipe, build, seen))
    outcome = patient.examine(
        recipe,
        build,
        extent,
        reference=wanted.against.get(recipe.package.place),
        long=wanted.long if extent.thorough else None,
        outputs=wanted.outputs,
    )
    if kind_of(recipe.package).answers is not None:
        from assay.check.engine.comparisons import with_answers  # noqa: PLC0415 - for some kinds alone

        outcome = with_answers(patient, recipe, build, outcome, wanted.answers)
    if not wanted.portability:
        return outcome
    return dataclasses.replace(
        outcome, portability=portability_of(workshop, recipe, build, outcome)
    )


def unless_killed(launch: Callable[[], DoneT]) -> DoneT:
    """Launch; again if the agent was killed, or its clock was off. What it raised last is raised.

    A machine that stood still for a while, or lost the processor between two readings, makes
    honest agents liars, too.
    """
    for _ in range(TRIES - 1):
        try:
            return launch()
        except AgentError as error:
            if KILLED not in str(error) and not isinstance(error, AgentLied):
                raise
    return launch()


def trouble_of(compiler: Compiler) -> str:
    """Explain why a compiler cannot compile one line of ours; empty if it can."""
    with tempfile.TemporaryDirectory(prefix="assay-trial-") as folder:
        source, made = Path(folder) / "trial.c", Path(folder) / "trial.o"
        try:
            source.write_text(_TRIAL, "ascii")
            done = subprocess.run(
                [str(compiler.path), "-c", str(source), "-o", str(made)],
                capture_output=True,
                timeout=_TRIAL_SECONDS,
                check=False,
                cwd=folder,
            )
        except subprocess.TimeoutExpired:
            return "it hangs"
        except OSError as error:
            return error.strerror or str(error)
        if done.returncode == 0 and made.is_file():
            return ""
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:200] if lines else f"it ends with code {done.returncode}"
