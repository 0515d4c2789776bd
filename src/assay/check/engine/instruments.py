# SPDX-License-Identifier: MIT
"""What checks need besides an agent: valgrind, sanitizers, and what became of the recipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.check.bench import Bench, Sanitized, Starved, UnderValgrind
from assay.check.engine.foundry import Foundry
from assay.check.engine.plain import on_plain_processor
from assay.check.engine.sanitizers import sanitized
from assay.check.engine.starved import starvable
from assay.check.engine.valgrind import known_to_valgrind
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.recipe import Recipe
from assay.compile.visible import Visible
from assay.execute.agent import Agent, AgentError
from assay.execute.guise import Guise
from assay.execute.staging import staged_folder
from assay.machine.processors import measuring_cpu
from assay.model import Build, PackageKind
from assay.plan.levels import at_every_level

if TYPE_CHECKING:  # for deep checks
    from assay.execute.sanitizers import Findings
    from assay.execute.valgrind import ValgrindOutput


def bench_of(
    foundry: Foundry,
    recipe: Recipe,
    build: Build,
    *,
    deep: bool = False,
    instruments: Foundry | None = None,
) -> Bench:
    """Return what checks need besides an agent; `instruments` builds for valgrind and such."""
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
        _under_valgrind(other, recipe) if deep else None,
        _sanitized(other, recipe) if deep else None,
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
