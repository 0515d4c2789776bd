# SPDX-License-Identifier: MIT
"""Failures that may be none of the package's: a killed process, a compiler that went away.

From outside nobody can tell who killed a process: the system that ran out of memory, a
person, or the code itself. So it is tried again, a few times: code that kills itself does it
each time.
A compiler that cannot compile one line any more ends the campaign, and nothing that it
failed at is stored.
"""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from assay.check.engine.examination import Examination
from assay.check.engine.glance import ASKED, glanced, with_causes
from assay.check.engine.target_traits import portability_of
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.agent import AgentError
from assay.model import Build, BuildStage, Compiler, PackageKind, Verdict
from assay.timing.witness import AgentLied

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
    workshop: Workshop, recipe: Recipe, build: Build, wanted: Wanted, *, thorough: bool
) -> Examination:
    """Examine a cell; again if an agent was killed."""
    once = partial(_examined, workshop, recipe, build, wanted, thorough=thorough)
    for _ in range(TRIES - 1):
        outcome = once()
        if not any(one.verdict is Verdict.FAIL and KILLED in one.reason for one in outcome.checks):
            return outcome
    return once()


def _examined(
    workshop: Workshop, recipe: Recipe, build: Build, wanted: Wanted, *, thorough: bool
) -> Examination:
    """Run all that is wanted once; the agents of one attempt share the time it may take."""
    patient = workshop.patient(recipe, deep=wanted.deep)
    if wanted.glance:
        seen = patient.examine(recipe, build, thorough=False, only=ASKED, outputs=wanted.outputs)
        return glanced(with_causes(patient, recipe, build, seen))
    outcome = patient.examine(
        recipe,
        build,
        thorough=thorough,
        deep=wanted.deep,
        hurried=wanted.hurried,
        peer=wanted.against.get(recipe.package.place),
        long=wanted.long if thorough else None,
        outputs=wanted.outputs,
    )
    if recipe.package.kind is PackageKind.OPERATION:
        from assay.check.engine.answers import with_answers  # noqa: PLC0415 - for operations alone

        outcome = with_answers(patient, recipe, build, outcome, wanted.answers)
    if not wanted.portability:
        return outcome
    return replace(outcome, portability=portability_of(workshop, recipe, build, outcome))


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
