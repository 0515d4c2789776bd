# SPDX-License-Identifier: MIT
"""The workshop: builds cells and examines them, on one target."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.check.bench import Bench
from assay.check.engine.examination import Examination, build_verdict, with_warnings
from assay.check.engine.foundry import Foundry
from assay.check.engine.instruments import bench_of
from assay.check.engine.interview import interview
from assay.check.engine.questions import Extent
from assay.check.engine.wanted import LongWanted, Peer
from assay.check.kinds import kind_of
from assay.check.patience import is_final, took_too_long
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.execute.counting import difference
from assay.execute.jail import Jail
from assay.execute.stage import Stage
from assay.execute.staging import staged_folder, sweep
from assay.model import Build, Target
from assay.model.causes import explained
from assay.model.compared import settled
from assay.targets.catalogue import native
from assay.timing.witness import making_sense


class Workshop(Foundry):
    """Builds agents and examines them. Use `open_workshop`."""

    def bench(self, recipe: Recipe, build: Build, *, deep: bool = False) -> Bench:
        """Return what checks need besides an agent."""
        return bench_of(self, recipe, build, deep=deep)

    def misaligned(self, recipe: Recipe, build: Build, outcome: Examination) -> int | None:
        """Count the memory accesses of a little use that are not aligned; None if unknown."""
        counted = self.counted(build) if build.ok else None
        if counted is None or outcome.subject is None or self.stage.target.counts == "cycles":
            return None
        try:
            with making_sense(), counted() as (agent, counting):
                before = counting.read()
                kind_of(recipe.package).exercise(agent, outcome.subject)
                return difference(counting.read(), before).package.misaligned
        except AgentError:
            return None

    def examine(
        self,
        recipe: Recipe,
        build: Build,
        *,
        thorough: bool = True,
        deep: bool = False,
        hurried: bool = False,
        only: tuple[str, ...] = ("",),
        peer: Peer | None = None,
        long: LongWanted | None = None,
        outputs: bool = False,
    ) -> Examination:
        """Run the checks whose names begin with `only`; a failed build is a failed check.

        Outputs are compared with those of a `peer`, where there is one; digests of `outputs`
        are for the comparison with other configurations.
        """
        if not build.ok:
            return Examination(None, (build_verdict(build),))
        mine = self.patient(recipe, deep=deep)
        extent = Extent(thorough, deep, hurried, only, peer, long)
        checks, subject = interview(mine, recipe, build, extent)
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
