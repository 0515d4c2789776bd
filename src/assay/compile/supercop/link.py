# SPDX-License-Identifier: MIT
"""Links the one object of a package with the harness and its libraries."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.compile.agents import is_kept, keep_agent
from assay.compile.driver import run_link
from assay.compile.files import copied, failed, is_regular
from assay.compile.harness import harness_name, harness_objects
from assay.compile.identity import key_of
from assay.compile.libraries import Libraries
from assay.compile.parts import link_command, replaced_functions, sanitizers
from assay.compile.recipe import Recipe
from assay.compile.supercop.lines import COMBINED, compiler_path
from assay.compile.supercop.names import details_of
from assay.errors import MachineError
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.model import Build, BuildStage

FIXED = "-no-pie"
FIXED_NOTE = "linked with -no-pie: its code works at one address only"
# What GNU ld and lld say of absolute addresses in code, on amd64 and elsewhere.
_ABSOLUTE = re.compile(r"recompile with -f(?:PIC|PIE|pie)|recompile object files with -fPIC")


def link(
    recipe: Recipe, build: Build, folder: Path, home: Path, libraries: Libraries, jail: Jail
) -> Build:
    """Link the object in `home` into an agent in `folder`; a failure has a reason.

    Code with absolute addresses is linked once more, for a fixed address.
    """
    options = tuple(recipe.configuration.arch.split())
    harness = harness_name(recipe.compiler, options, recipe.target)
    others = replaced_functions(recipe.configuration)
    name = f"{build.object_hash}-{key_of(recipe.package.place, harness, *others)}"
    done = replace(build, stage=BuildStage.DONE)
    fixed = replace(done, notes=(*build.notes, FIXED_NOTE))
    for agent, known in ((folder / name, done), (folder / f"{name}{FIXED}", fixed)):
        if is_kept(agent):
            return replace(known, agent=agent)
    try:
        parts = harness_objects(recipe.compiler, options, recipe.target, "operation")
    except MachineError as error:
        return replace(build, reason=str(error), cure=error.cure)
    command = _command(recipe, options, (home / COMBINED, *copied(parts, home)), libraries)
    ended = run_link(recipe.compiler, command, home, jail, LONG_COMPILE_LIMITS)
    agent, known = folder / name, done
    if not ended.ok and _ABSOLUTE.search(ended.output) and FIXED not in command:
        ended = run_link(recipe.compiler, [*command, FIXED], home, jail, LONG_COMPILE_LIMITS)
        agent, known = folder / f"{name}{FIXED}", fixed
    if not ended.ok or not is_regular(home / "agent"):
        said = replace(build, diagnostics=ended.output)
        return failed(said, ended, "linking", LONG_COMPILE_LIMITS)
    keep_agent(home / "agent", agent)
    return replace(known, agent=agent, diagnostics=build.diagnostics + ended.output)


def _command(
    recipe: Recipe, options: tuple[str, ...], objects: Sequence[Path], libraries: Libraries
) -> list[str]:
    command = link_command(recipe.compiler, options, recipe.target)
    if recipe.target.is_native:
        command[0] = compiler_path(recipe.compiler, details_of(recipe.package).language)
    command += sanitizers(recipe.configuration)
    command += replaced_functions(recipe.configuration)
    command += ["-o", "agent", *map(str, objects)]
    return [*command, "-Wl,--as-needed", *libraries.link, "-lm", *recipe.target.link]
