# SPDX-License-Identifier: MIT
"""The agent without a package: what is learned of a machine is asked of nobody else."""

from pathlib import Path

from assay.compile.agents import is_kept, keep_agent
from assay.compile.driver import run_link
from assay.compile.files import copied, is_regular
from assay.compile.harness import harness_name, harness_objects
from assay.compile.parts import BARE, link_command
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder


def build_bare(recipe: Recipe, folder: Path, jail: Jail) -> Path:
    """Link the agent without a package for the compiler, ABI and target of a recipe, once.

    MachineError if the harness cannot be compiled or linked.
    """
    options = tuple(recipe.configuration.arch.split())
    to = folder / f"{BARE}-{harness_name(recipe.compiler, options, recipe.target)}"
    if is_kept(to):
        return to
    harness = harness_objects(recipe.compiler, options, recipe.target, BARE)
    with staged_folder("assay-build-") as home:
        parts = [str(path) for path in copied(harness, home)]
        hand_over(home)
        line = [*link_command(recipe.compiler, options, recipe.target), *parts]
        line += [*recipe.target.link, "-o", "agent"]
        ended = run_link(recipe.compiler, line, home, jail, COMPILE_LIMITS)
        if not ended.ok or not is_regular(home / "agent"):
            raise MachineError(
                f"{line[0]} cannot link the harness: {ended.output.strip()}",
                "Leave this compiler out (./scripts/configure asks which to use).",
            )
        keep_agent(home / "agent", to)
    return to
