# SPDX-License-Identifier: MIT
"""What measuring costs besides measuring: in a results folder, and tried on this machine."""

import time
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from assay.check.depth import Extent
from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.measure.candidate import Candidate
from assay.measure.kinds import measures_of
from assay.measure.launch import LinkedCode
from assay.measure.launcher import Launcher, known
from assay.model import Build, Campaign, Launch, Subject
from assay.plan.plan import Plan


class Share(Struct, frozen=True):
    """How a campaign's time divides, in seconds by the clock."""

    timed_seconds: float
    launch_seconds: float
    campaign_seconds: float
    launches: int

    @property
    def timed_share(self) -> float:
        """The part of the campaign spent in timed windows."""
        return self.timed_seconds / self.campaign_seconds if self.campaign_seconds else 0.0

    def __str__(self) -> str:
        """Write it on a line."""
        whole = f"{self.campaign_seconds:.0f} s, {self.launches} launches"
        timed = f"timed windows {self.timed_seconds:.1f} s = {100 * self.timed_share:.0f} %"
        return f"{whole} ({self.launch_seconds:.1f} s), {timed}"


class CellCost(Struct, frozen=True):
    """Seconds by the clock that one cell took alone, one step after another.

    `start_seconds` is an agent from its start to its greeting; checks and a launch start some.
    `bench_seconds` is the processor time of the bench in all of it. On a quiet machine the
    steps bound the processor time of jailed processes, which leave no account of theirs: the
    jail's first process reaps them.
    """

    package: str
    compile_seconds: float
    build_seconds: float
    start_seconds: float
    check_seconds: float
    launch_seconds: float
    timed_seconds: float
    bench_seconds: float

    # The columns of `assay selftest --costs` are named after these, too.

    @property
    def building_seconds(self) -> float:
        """What building takes besides compiling the package: linking, and staging files."""
        return self.build_seconds - self.compile_seconds

    @property
    def launching_seconds(self) -> float:
        """What a launch takes besides its timed windows."""
        return self.launch_seconds - self.timed_seconds


def share_of(launches: Sequence[Launch], campaign: Campaign) -> Share:
    """Divide the time of one finished campaign; other campaigns' launches are left out."""
    if campaign.finished_at is None:
        raise AssayError("the last campaign has not finished", "Run the same command again.")
    mine = [one for one in launches if one.started_at >= campaign.started_at]
    begun, ended = map(datetime.fromisoformat, (campaign.started_at, campaign.finished_at))
    return Share(
        sum(one.timed_seconds for one in mine),
        sum(one.total_seconds for one in mine),
        (ended - begun).total_seconds(),
        len(mine),
    )


def cell_cost(workshop: Workshop, recipe: Recipe) -> CellCost:
    """Build, check (as further configurations are) and launch one cell.

    It is built once before, so that harness and adapter come from the cache as
    they do for all cells of a compiler but the first.
    """
    workshop.build(recipe)
    bench, begun = time.process_time(), time.monotonic()
    build = workshop.build(recipe)
    built = time.monotonic()
    outcome = workshop.examine(recipe, build, Extent(brief=True))
    checked = time.monotonic()
    if outcome.subject is None or build.object_hash is None:
        raise AssayError(f"{recipe.package.selector} does not run here", "Name another package.")
    started = _start(workshop, recipe, build)
    launch = _launched(workshop, recipe, build, outcome.subject)
    return CellCost(
        recipe.package.selector,
        build.compile_seconds,
        built - begun,
        started,
        checked - built,
        launch.total_seconds,
        launch.timed_seconds,
        time.process_time() - bench,
    )


def _start(workshop: Workshop, recipe: Recipe, build: Build) -> float:
    """Return how long an agent takes to start and to greet."""
    begun = time.monotonic()
    with workshop.connector(build, recipe.package.kind)():
        return time.monotonic() - begun


def _launched(workshop: Workshop, recipe: Recipe, build: Build, subject: Subject) -> Launch:
    """Launch a cell as a campaign does that measures it in full."""
    group, configuration = (BuiltCell(recipe, build),), recipe.configuration
    plan = Plan((recipe.package,), (configuration,), {configuration.command: recipe.compiler})
    task = measures_of(group).full(subject, recipe.package, plan)
    code = LinkedCode(recipe.cell, build.object_hash or "", workshop.admit(build))
    return known(Launcher(workshop).take(Candidate(group, subject, code, task, task), task))
