# SPDX-License-Identifier: MIT
"""What measuring costs besides measuring: in a results folder, and tried on this machine."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.check.engine.cells import Made
from assay.check.engine.workshop import Workshop
from assay.check.stream.sizes import accepted_sizes
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.measure.candidate import Candidate
from assay.measure.launch import Launched
from assay.measure.launcher import Launcher, known
from assay.measure.stream.task import StreamTask
from assay.model import Campaign, Launch, StreamSubject
from assay.plan.effort import Effort


@dataclass(frozen=True, slots=True)
class Share:
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


@dataclass(frozen=True, slots=True)
class CellCost:
    """Seconds by the clock that one cell took alone, one step after another.

    On a quiet machine they bound its CPU time from above. Jailed processes leave
    no account of theirs: the jail's first process reaps them.
    """

    package: str
    compile_seconds: float
    build_seconds: float
    check_seconds: float
    launch_seconds: float
    timed_seconds: float

    @property
    def besides_seconds(self) -> float:
        """What is neither compiling the package nor a timed window."""
        whole = self.build_seconds + self.check_seconds + self.launch_seconds
        return whole - self.compile_seconds - self.timed_seconds

    @property
    def building_seconds(self) -> float:
        """What building takes besides compiling the package."""
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
    begun = time.monotonic()
    build = workshop.build(recipe)
    built = time.monotonic()
    outcome = workshop.examine(recipe, build, thorough=False)
    checked = time.monotonic()
    if not isinstance(outcome.subject, StreamSubject) or build.object_hash is None:
        raise AssayError(f"{recipe.package.selector} does not run here", "Name another package.")
    code = Launched(recipe.cell, build.object_hash, workshop.admit(build))
    task = StreamTask(outcome.subject, accepted_sizes(outcome.subject)[:1], Effort())
    one = Candidate((Made(recipe, build),), outcome.subject, code, task, task)
    launch = known(Launcher(workshop).take(one, task))
    return CellCost(
        recipe.package.selector,
        build.compile_seconds,
        built - begun,
        checked - built,
        launch.total_seconds,
        launch.timed_seconds,
    )
