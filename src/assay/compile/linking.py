# SPDX-License-Identifier: MIT
"""Links agents: with a package, without one, and with the one object of an operation.

clang takes twice as long to start as the linker to link. It says what it would start
(`-###`); that is asked once for a set of options, and started with the objects at hand.
"""

import functools
import re
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePath

from msgspec.structs import replace

from assay.compile.files import copied, failed, is_kept, is_regular, keep_agent, key_of
from assay.compile.harness import harness_name, harness_objects
from assay.compile.libraries import Libraries
from assay.compile.parts import (
    BARE,
    HOSTED,
    link_command,
    linker_scripts,
    replaced_functions,
    sanitizers,
    script_options,
    served_sources,
)
from assay.compile.recipe import Recipe
from assay.compile.supercop.lines import COMBINED, compiler_path
from assay.compile.supercop.names import details_of
from assay.elf.reading import global_symbols, open_object
from assay.errors import MachineError
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, LONG_COMPILE_LIMITS, Jail, Limits
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, BuildStage, Compiler, Runtime

ASK = "-###"
PASSED = "-Wl,"  # the driver passes on what follows, and keeps its place
RUNTIME_OBJECTS = "runtime-"  # of harness/runtime/
PART = "assay-part-"
AGENT = "agent"
TWICE = "' defined twice"  # tcc says so, takes the first definition and exits with 0
FIXED = "-no-pie"
FIXED_NOTE = "linked with -no-pie: its code works at one address only"
# What GNU ld and lld say of absolute addresses in code, on amd64 and elsewhere.
_ABSOLUTE = re.compile(r"recompile with -f(?:PIC|PIE|pie)|recompile object files with -fPIC")


def run_link(
    compiler: Compiler, command: list[str], home: Path, jail: Jail, limits: Limits
) -> Ended:
    """Link in `home`; where that fails, by the driver, so that the words are its own.

    What is linked stands in the command with its whole path.
    """
    direct = linker_line(compiler, command, home, jail)
    if direct:
        ended = run_jailed(direct, home, jail, limits)
        if ended.ok:
            return ended
    return run_jailed(command, home, jail, limits)


def linker_line(
    compiler: Compiler, command: list[str], home: Path, jail: Jail
) -> list[str] | None:
    """Return what the driver would start for a command; None if it is to be started itself."""
    if compiler.family != "clang":
        return None  # gcc's starts at once, and leaves files behind for its plugin
    files = [word for word in command if word.startswith(f"{home}/")]
    parts = {f"{PART}{number}": word for number, word in enumerate(files)}
    names = {word: name for name, word in parts.items()}
    asked = tuple(PASSED + names[word] if word in names else word for word in command)
    line = _answer(asked, jail)
    if line is None or sorted(word for word in line if word in parts) != sorted(parts):
        return None
    return [parts.get(word, word) for word in line]


@functools.lru_cache(maxsize=64)
def _answer(asked: tuple[str, ...], jail: Jail) -> tuple[str, ...] | None:
    """Ask the driver; None if the answer is anything but one call of a linker."""
    with staged_folder("assay-build-") as home:
        ended = run_jailed([*asked, ASK], home, jail, LONG_COMPILE_LIMITS)
    return one_linker(ended.output) if ended.ok else None


def one_linker(said: str) -> tuple[str, ...] | None:
    """Read the one command that a driver would start, if it is a linker without helpers.

    Drivers escape a few characters in their own way; a line with any is none.
    """
    lines = [line for line in said.splitlines() if line.startswith(' "')]
    try:
        words = shlex.split(lines[0]) if len(lines) == 1 and "\\" not in lines[0] else []
    except ValueError:
        return None
    whole = words and PurePath(words[0]).is_absolute() and PurePath(words[0]).name[:2] == "ld"
    return tuple(words) if whole and not any("/tmp/" in word for word in words) else None  # noqa: S108


def harness_for(recipe: Recipe, kind: str, more: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """Return the harness's object files for a kind, as a recipe compiles them."""
    return harness_objects(recipe.compiler, recipe.arch, recipe.target, kind, more)


def own_harness(recipe: Recipe) -> tuple[Path, ...]:
    """Return the harness's object files for a recipe's package."""
    return harness_for(recipe, recipe.package.kind, recipe.served.services(recipe.target))


def agents_own(recipe: Recipe) -> tuple[Path, ...]:
    """Return the harness's object files without those that serve as a C library."""
    return tuple(one for one in own_harness(recipe) if not one.name.startswith(RUNTIME_OBJECTS))


def agent_command(recipe: Recipe) -> list[str]:
    """Return the line that links an agent with a package, less its objects."""
    command = link_command(recipe.compiler, recipe.arch, recipe.target)
    command += sanitizers(recipe.configuration)
    return [*command, *replaced_functions(recipe.configuration)]


def link_agent(
    recipe: Recipe, command: list[str], home: Path, jail: Jail, to: Path,
    limits: Limits = COMPILE_LIMITS,
) -> Ended:  # fmt: skip
    """Link an agent in `home`, and keep it at `to` if all went well, which the answer says."""
    ended = run_link(recipe.compiler, [*command, "-o", AGENT], home, jail, limits)
    if not ended.ok or TWICE in ended.output or not is_regular(home / AGENT):
        return replace(ended, exit_code=ended.exit_code or 1)
    keep_agent(home / AGENT, to)
    return ended


def link_bare(recipe: Recipe, folder: Path, jail: Jail) -> Path:
    """Link the agent without a package for the compiler, ABI and target of a recipe, once.

    What is learned of a machine is asked of nobody else. MachineError if the harness cannot be
    compiled or linked.
    """
    to = folder / f"{BARE}-{harness_name(recipe.compiler, recipe.arch, recipe.target)}"
    if is_kept(to):
        return to
    harness = harness_for(recipe, BARE)
    with staged_folder("assay-build-") as home:
        parts = [str(path) for path in copied(harness, home)]
        hand_over(home)
        line = [*link_command(recipe.compiler, recipe.arch, recipe.target), *parts]
        ended = link_agent(recipe, [*line, *recipe.target.link], home, jail, to)
    if not ended.ok:
        raise MachineError(
            f"{line[0]} cannot link the harness: {ended.output.strip()}",
            "Leave this compiler out (./scripts/configure asks which to use).",
        )
    return to


def link_operation(
    recipe: Recipe, build: Build, folder: Path, home: Path, libraries: Libraries, jail: Jail
) -> Build:
    """Link the one object in `home` into an agent in `folder`; a failure has a reason.

    Code with absolute addresses is linked once more, for a fixed address.
    """
    harness = harness_name(recipe.compiler, recipe.arch, recipe.target)
    others = replaced_functions(recipe.configuration)
    name = f"{build.object_hash}-{key_of(recipe.package.place, harness, *others)}"
    done = replace(build, stage=BuildStage.DONE)
    fixed = replace(done, notes=(*build.notes, FIXED_NOTE))
    for agent, known in ((folder / name, done), (folder / f"{name}{FIXED}", fixed)):
        if is_kept(agent):
            return replace(known, agent=agent)
    try:
        parts = harness_for(recipe, "operation", _served(recipe, home / COMBINED))
    except MachineError as error:
        return replace(build, reason=str(error), cure=error.cure)
    scripts = copied(linker_scripts(recipe.target), home)
    objects = (home / COMBINED, *copied(parts, home))
    command = _command_for(recipe, objects, scripts, libraries)
    agent, known = folder / name, done
    ended = link_agent(recipe, command, home, jail, agent, LONG_COMPILE_LIMITS)
    if not ended.ok and _ABSOLUTE.search(ended.output) and FIXED not in command:
        agent, known = folder / f"{name}{FIXED}", fixed
        ended = link_agent(recipe, [*command, FIXED], home, jail, agent, LONG_COMPILE_LIMITS)
    if not ended.ok:
        said = replace(build, diagnostics=ended.output)
        return failed(said, ended, "linking", LONG_COMPILE_LIMITS)
    return replace(known, agent=agent, diagnostics=build.diagnostics + ended.output)


def _served(recipe: Recipe, combined: Path) -> tuple[str, ...]:
    """Name the sources of the harness that stand for a C library, as far as one is missing."""
    if recipe.target.runtime in HOSTED:
        return ()
    with open_object(combined) as elf:
        return served_sources(recipe.target, global_symbols(elf)[1])


def _command_for(
    recipe: Recipe, objects: Sequence[Path], scripts: tuple[Path, ...], libraries: Libraries
) -> list[str]:
    command, target = agent_command(recipe), recipe.target
    if target.is_native:
        command[0] = compiler_path(recipe.compiler, details_of(recipe.package).language)
    command += [*script_options(scripts), *map(str, objects)]
    mathematics = () if target.runtime is Runtime.FREESTANDING else ("-lm",)
    return [*command, "-Wl,--as-needed", *libraries.link, *mathematics, *target.link]
