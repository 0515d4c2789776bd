# SPDX-License-Identifier: MIT
"""Builds the agent of a cell: stage, compile and link in the jail, keep what came out.

The package's code is compiled with the configuration's options. The adapter
and the default packet functions are compiled once per compiler, arch options
and variant, as the original framework did (`kept.py`); the rest of the harness once per
compiler and ABI.
"""

import shlex
import shutil
from pathlib import Path

from msgspec.structs import replace

from assay.compile.failures import located, unless_foreign
from assay.compile.files import (
    content_of,
    copied,
    failed,
    failed_header,
    is_kept,
    is_regular,
    object_hash,
    place,
    stage_files,
)
from assay.compile.kept import Adapters, Kept, entry_of
from assay.compile.layouts import layouts
from assay.compile.linking import agent_command, link_agent, link_bare, own_harness
from assay.compile.parts import (
    HARNESS,
    linker_scripts,
    script_options,
)
from assay.compile.reasons import STOPS
from assay.compile.recipe import Recipe
from assay.compile.supercop.making import Making, failed_subroutine
from assay.compile.supercop.subroutines import linked
from assay.compile.visible import place_instruments
from assay.errors import MachineError
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, BuildStage, Package, Stacks
from assay.package.places import TREE, shipped

X86_32, X86_32_BITS = "32-bit x86", 32  # it assembles for x86-64, too, and crashes there
WRONG_WORD_SIZE = "the package is assembly for 32-bit x86, the configuration is for x86-64"
CHOOSE_M32 = "Choose a configuration with -m32 (apt-get install gcc-12-multilib)."


class Builder:
    """Builds agents into `folder`, one file per distinct object code of a package."""

    def __init__(self, folder: Path, jail: Jail, objects: Kept | None = None) -> None:
        """Keep agents in `folder` (made if absent); take what is in a cache of `objects`."""
        self._objects = objects or Kept()
        self.folder = folder
        self._jail = jail
        folder.mkdir(parents=True, exist_ok=True)

    def build(self, recipe: Recipe) -> Build:
        """Build the agent of one cell; a failure is a Build with a reason and a cure."""
        return located(unless_foreign(recipe, self._build(recipe)), recipe.package)

    def _build(self, recipe: Recipe) -> Build:
        if recipe.package.kind.rules.combined:
            from assay.compile.supercop.build import (  # noqa: PLC0415 - for operations alone
                build_operation,
            )

            return build_operation(recipe, self.folder, self._jail, self._objects)
        with staged_folder("assay-build-") as home:
            stage_package(recipe, home)
            line = shlex.join(recipe.compile_command())
            jail = self._jail.mode.value
            started = Build(
                recipe.cell, BuildStage.COMPILE, None, None, "", line, jail, 0.0,
                notes=recipe.served.notes, subroutines=linked(recipe.served.subroutines),
            )  # fmt: skip
            adapters = Adapters.of(recipe, home, self._jail, stage_package)
            return self._compile(adapters, home, started)

    def bare(self, recipe: Recipe) -> Path:
        """Build the agent without a package that fits a recipe; MachineError if it cannot be."""
        return link_bare(recipe, self.folder, self._jail)

    def layouts(self, recipe: Recipe, build: Build, count: int) -> tuple[Path, ...]:
        """Link a built agent `count` further times, with its code at other addresses."""
        return layouts(recipe, build, self._jail, count)

    def _compile(self, against: Adapters, home: Path, build: Build) -> Build:
        recipe = against.recipe
        key = entry_of(recipe, self._objects.jail)
        known = self._objects.find(key, home)
        ended = known or run_jailed(recipe.compile_command(), home, self._jail, COMPILE_LIMITS)
        build = replace(build, diagnostics=ended.output, compile_seconds=ended.seconds)
        objects = tuple(home / name for name in recipe.objects)
        if not ended.ok or not all(map(is_regular, objects)):
            return _beside_others(recipe, failed(build, ended, "compilation", COMPILE_LIMITS))
        if known is None:
            self._objects.keep(key, home, recipe.objects, ended)
        flaw = _flaw(recipe, objects)
        if flaw:
            return replace(build, reason=flaw[0], cure=flaw[1])
        build = replace(build, stacks=_stacks(recipe, objects))
        subroutines = self._subroutines(recipe, build)
        if isinstance(subroutines, Build):
            return subroutines
        kept = self._kept(recipe, (*objects, *subroutines))
        build = replace(build, object_hash=object_hash(kept), objects=kept, stage=BuildStage.LINK)
        return self._link(against, home, build)

    def _link(self, against: Adapters, home: Path, build: Build) -> Build:
        """Link what was kept; the adapter is compiled with the package's header, so it counts."""
        recipe, adapters = against.recipe, against.objects(home)
        if isinstance(adapters, Ended):
            return failed_header(build, adapters, recipe.package.header, recipe.package.api)
        own = copied((*build.objects, *adapters), home)
        build = replace(build, object_hash=object_hash(own))
        agent = self.folder / f"{build.object_hash}-{recipe.agent_name}"
        if is_kept(agent):  # other options gave the same code
            return replace(build, stage=BuildStage.DONE, agent=agent)
        try:
            harness = own_harness(recipe)
        except MachineError as error:
            return replace(build, reason=str(error), cure=error.cure)
        parts = [*own, *copied(harness, home)]
        scripts = copied(linker_scripts(recipe.target), home)
        command = [*agent_command(recipe), *script_options(scripts), *map(str, parts)]
        command += recipe.target.link
        ended = link_agent(recipe, command, home, self._jail, agent, COMPILE_LIMITS)
        build = replace(build, diagnostics=build.diagnostics + ended.output)
        if not ended.ok:
            return failed(replace(build, diagnostics=ended.output), ended, "linking")
        return replace(build, stage=BuildStage.DONE, agent=agent)

    def _subroutines(self, recipe: Recipe, build: Build) -> tuple[Path, ...] | Build:
        """Return the objects of what a package is linked with, or the build that failed."""
        made = []
        for one in recipe.served.subroutines:
            found = Making(recipe, self._jail).subroutine(one, shipped() / TREE)
            if not isinstance(found, Path):
                return failed_subroutine(build, found, one)
            made.append(found)
        return tuple(made)

    def _kept(self, recipe: Recipe, objects: tuple[Path, ...]) -> tuple[Path, ...]:
        """Keep the agent's object files, each named after its content and whose it is."""
        kept = tuple(
            self.folder / f"{content_of(one)}-{recipe.agent_name}-{number}.o"
            for number, one in enumerate(objects)
        )
        for made, to in zip(objects, kept, strict=True):
            place(made, to, mode=0o644)
        return kept


def _flaw(recipe: Recipe, objects: tuple[Path, ...]) -> tuple[str, str] | None:
    """Return what is wrong with what a compiler wrote, and the cure; None if it can be used."""
    from assay.elf.reading import (  # noqa: PLC0415 - read while the compiler was at work
        ObjectError,
        require_limits,
        word_bits,
    )

    try:
        require_limits(objects)
        if recipe.package.architecture == X86_32 and word_bits(objects[0]) != X86_32_BITS:
            return WRONG_WORD_SIZE, CHOOSE_M32
    except ObjectError as error:
        return str(error), error.cure
    except Exception as error:  # noqa: BLE001 - the compiler's output is not ours to trust
        return f"the object code cannot be read: {error}", ""
    return None


def _stacks(recipe: Recipe, objects: tuple[Path, ...]) -> Stacks:
    from assay.compile.sizes import stacks_of  # noqa: PLC0415 - as above

    return stacks_of(zip(recipe.package.sources, objects, strict=True))


def _beside_others(recipe: Recipe, build: Build) -> Build:
    """Skip a variant that stops with #error; whether others of its package build is seen later."""
    if recipe.package.variants > 1 and build.reason.startswith(STOPS):
        return replace(build, stage=BuildStage.SKIPPED)
    return build


def stage_package(recipe: Recipe, home: Path) -> None:
    """Copy what the compiler may see: the package's files, the API, the adapters."""
    stage_files(recipe.package, home / "package")
    _alias_header(home / "package", recipe.package)
    for part in recipe.folders:
        shutil.copytree(HARNESS / part, home / part)
    recipe.served.stage(home)
    place_instruments(home, recipe)
    hand_over(home)


def _alias_header(folder: Path, package: Package) -> None:
    """Let a header with capital letters (quirk/header-case) be found by its name in the API."""
    alias = folder / f"{package.api}.h"
    if package.header != alias.name and not alias.exists():
        shutil.copyfile(folder / package.header, alias)
