# SPDX-License-Identifier: MIT
"""What checks need besides an agent: other builds of the package, under instruments."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from platform import machine
from typing import TYPE_CHECKING

from assay.check.bench import Bench, Plain, Sanitized, Starved, UnderValgrind
from assay.check.engine.build import Foundry
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.parts import WRAP
from assay.compile.recipe import Recipe
from assay.compile.visible import Visible, options
from assay.errors import MachineError
from assay.execute.agent import Agent, AgentError
from assay.execute.guise import Guise
from assay.execute.opening import open_agent
from assay.execute.staging import staged_folder
from assay.machine.processors import measuring_cpu
from assay.model import Build, PackageKind, Target
from assay.plan.levels import at_every_level
from assay.targets.architectures import of_machine
from assay.targets.catalogue import catalogue

if TYPE_CHECKING:
    from assay.execute.sanitizers import Findings
    from assay.execute.valgrind import ValgrindOutput


NATIVE = ("-march=native", "-mtune=native", "-mcpu=native")
# What valgrind 3.19 does not know, of the levels that stand in for `native`.
NEWER = ("-march=x86-64-v4", "-mavx512", "-mamx", "-msha", "-mvaes", "-mvpclmulqdq", "-mgfni")
VALGRIND_SUFFIX = "_valgrind"
# Where variables are is not asked, and takes most of the time; valgrind 3.19 ends at version 5.
LINES = "-g -gdwarf-4 -fno-var-tracking"


def known_to_valgrind(recipe: Recipe, visible: Visible = Visible.PLAIN) -> Recipe:
    """Return the recipe with options that valgrind can follow, and source lines.

    What is made visible, too, is so for amd64 alone.
    """
    configuration = recipe.configuration
    words = [word for word in configuration.arch.split() if not word.startswith((*NATIVE, *NEWER))]
    if len(words) < len(configuration.arch.split()):
        words += of_machine(machine()).valgrind.split()
    arch = " ".join(words)
    name, opt = configuration.name + VALGRIND_SUFFIX, f"{configuration.opt} {LINES}"
    if visible:
        inside = recipe.package.kind == PackageKind.OPERATION
        opt += f" {options(visible, recipe.compiler.family, inside_package=inside)}"
        name += f"_{visible}"
    changed = replace(configuration, arch=arch, opt=opt, name=name, tag=name)
    return replace(recipe, configuration=changed)


ADDRESS = "-g -fno-var-tracking -fno-omit-frame-pointer -fsanitize=address,undefined"
ALLOWED = " -fno-sanitize=alignment,shift-base,function,vptr"
ALLOWED_GCC = " -fno-sanitize=alignment,shift-base,vptr"
THREAD = "-g -fno-var-tracking -fsanitize=thread"


def sanitized(recipe: Recipe, *, threads: bool) -> Recipe:
    """Return the recipe with sanitizers; of threads it is another one than of memory."""
    configuration = recipe.configuration
    allowed = ALLOWED_GCC if recipe.compiler.family == "gcc" else ALLOWED
    options = THREAD if threads else ADDRESS + allowed
    name = configuration.name + ("_threads" if threads else "_sanitized")
    changed = replace(configuration, opt=f"{configuration.opt} {options}", name=name, tag=name)
    return replace(recipe, configuration=changed)


ALLOCATORS = (  # those of harness/agent/allocation.c
    "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "valloc", "posix_memalign",
)  # fmt: skip


def starvable(recipe: Recipe) -> Recipe:
    """Return the recipe linked so."""
    configuration = recipe.configuration
    words = " ".join(f"{WRAP}{name}" for name in ALLOCATORS)
    name = f"{configuration.name}_starved"
    changed = replace(configuration, opt=f"{configuration.opt} {words}", name=name, tag=name)
    return replace(recipe, configuration=changed)


EMULATED = {"amd64": "qemu-amd64"}  # by architecture: the target whose machine is the plainest


def on_plain_processor(foundry: Foundry, recipe: Recipe) -> Plain | None:
    """Return what launches the package there; None where this machine has no such target.

    MachineError if the emulator is missing, or if the package needs options for a processor.
    """
    stage = foundry.stage
    plainest = EMULATED.get(stage.target.architecture)
    if not stage.target.is_native or plainest is None:
        return None
    (target,) = (one for one in catalogue() if one.name == plainest)

    @contextmanager
    def launched() -> Iterator[Agent]:
        _require(target)
        build = foundry.build(_without_extensions(recipe))
        if not build.ok:
            raise MachineError("it does not build without options for newer processors")
        agent = foundry.admit(build)
        with open_agent(
            Agent, target, agent, stage.jail, patience=stage.fresh_patience()
        ) as opened:
            yield opened

    return launched


def _require(target: Target) -> None:
    if shutil.which(target.emulator) is None:
        raise MachineError(f"{target.emulator} is not here", "apt-get install qemu-user")


def _without_extensions(recipe: Recipe) -> Recipe:
    """Return the recipe without options that choose a processor."""
    configuration = recipe.configuration
    words = (word for word in configuration.arch.split() if not _chooses_processor(word))
    name = configuration.name + "_plain"
    changed = replace(configuration, arch=" ".join(words), name=name, tag=name)
    return replace(recipe, configuration=changed)


def _chooses_processor(word: str) -> bool:
    return word.startswith("-m") and word not in {"-m64", "-m32"}


def bench_of(
    foundry: Foundry, recipe: Recipe, build: Build, instruments: Foundry | None = None
) -> Bench:
    """Return what checks need besides an agent.

    `instruments` builds for valgrind and sanitizers, which deep checks alone use.
    """
    agent, other = foundry.admit(build), instruments or foundry
    large = recipe.package.kind == PackageKind.OPERATION
    native = foundry.stage.target.is_native
    return Bench(
        recipe,
        build,
        foundry.stage.jail,
        foundry.counted(build),
        lambda: foundry.stage.connect(agent, roomy=True, large=large),
        lambda: foundry.stage.connect(agent, guise=Guise.OPEN),
        _under_valgrind(instruments, recipe) if instruments else None,
        _sanitized(instruments, recipe) if instruments else None,
        partial(at_every_level, recipe),
        _starved(foundry, recipe),
        on_plain_processor(other, recipe),
        partial(foundry.stage.connect, agent, large=True) if native else None,
        _guises(foundry, agent),
    )


def _guises(foundry: Foundry, agent: Path) -> tuple[tuple[str, Callable[[], Agent]], ...]:
    """Return what launches an agent as others than those of checks are launched."""
    stage = foundry.stage
    if not stage.target.is_native:
        return ()
    timed = replace(stage, cpu=measuring_cpu() if stage.cpu is None else stage.cpu)
    return (
        ("one that is timed", partial(timed.connect, agent, pinned=True)),
        ("a user's program", partial(stage.connect, agent, guise=Guise.USERS)),
    )


@contextmanager
def apart(foundry: Foundry, *, reuse: bool = False) -> Iterator[Foundry]:
    """Yield a foundry for other builds; it is gone in the end, with their agents.

    Every code has some with instruments of its own, and nobody asks for them twice. With
    `reuse` what the user's cache has is not compiled again.
    """
    jail = foundry.stage.jail
    objects = Kept.ours(jail.mode.value) if reuse else None
    with staged_folder("assay-run-") as home, staged_folder("assay-agents-") as kept:
        yield Foundry(Builder(kept, jail, objects), replace(foundry.stage, home=home))


def _under_valgrind(foundry: Foundry, recipe: Recipe) -> UnderValgrind | None:
    """Return a function that launches the package under valgrind; None where it cannot."""
    if not foundry.stage.target.is_native:
        return None

    @contextmanager
    def launched(
        visible: Visible, other: Recipe | None = None
    ) -> "Iterator[tuple[Agent, ValgrindOutput]]":
        from assay.execute.valgrind import under_valgrind  # noqa: PLC0415 - for deep checks

        build = foundry.build(known_to_valgrind(other or recipe, visible))
        if not build.ok:
            raise AgentError(f"it does not build for valgrind: {build.reason}")
        with under_valgrind(foundry.admit(build), *foundry.confined) as both:
            yield both

    return launched


def _starved(foundry: Foundry, recipe: Recipe) -> Starved | None:
    """Return a function that launches the package with allocations that can fail."""
    if not foundry.stage.target.is_native:
        return None

    @contextmanager
    def launched() -> Iterator[Callable[[], Agent]]:
        with apart(foundry, reuse=True) as other:  # only linking differs
            build = other.build(starvable(recipe))
            if not build.ok:
                raise AgentError(f"it does not link with other allocators: {build.reason}")
            yield other.connector(build, recipe.package.kind)

    return launched


def _sanitized(foundry: Foundry, recipe: Recipe) -> Sanitized | None:
    """Return a function that launches the package with sanitizers; None where it cannot."""
    if not foundry.stage.target.is_native:
        return None

    @contextmanager
    def launched(threads: bool) -> "Iterator[tuple[Callable[[], Agent], Findings]]":
        from assay.execute.sanitizers import under_sanitizers  # noqa: PLC0415 - for deep checks

        build = foundry.build(sanitized(recipe, threads=threads))
        if not build.ok:
            raise AgentError(f"it does not build with sanitizers: {build.reason}")
        with under_sanitizers(foundry.admit(build), *foundry.confined) as both:
            yield both

    return launched
