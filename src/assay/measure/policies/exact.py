# SPDX-License-Identifier: MIT
"""Exact counts: every machine code is launched twice, and the two must agree."""

from collections.abc import Sequence

from assay.measure.candidate import Group
from assay.measure.exact import ExactLauncher
from assay.measure.kinds import candidate
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.store import Store

LAUNCHES = 2


def count_round(
    launcher: ExactLauncher, store: Store, groups: Sequence[Group], plan: Plan, progress: Progress
) -> None:
    """Count every machine code twice, unless the store has it."""
    wanted = [group for group in groups if not store.launches(group[0].build.cell)]
    progress.begin("counting", len(wanted))
    for group in wanted:
        one = candidate(store, group, plan)
        for _ in range(LAUNCHES):
            if not one.failed:
                launcher.take(one, one.full)
        progress.advance(group[0].recipe.package.selector)
