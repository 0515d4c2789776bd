# SPDX-License-Identifier: MIT
"""More launches for the first table: where a place in it is not settled by those so far.

The first table has one row per primitive. A row there without a place, or with one that
spans three ranks and more, gets further launches at the sizes of that row alone, until it is
settled or the code has had its share; none while the machine stays busy.
"""

from collections.abc import Container, Iterable, Sequence

from msgspec.structs import replace

from assay.measure.candidate import Candidate, Group, make_ready
from assay.measure.kinds import candidate
from assay.measure.launcher import Launcher
from assay.measure.policies.turns import Turns
from assay.model import Cell, SizeChoice
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.stats.places import FALSE_DISCOVERIES, Place
from assay.stats.rank_sum import launches_needed
from assay.store import Store
from assay.summary.cells import cell_results
from assay.summary.ranks import settled_places
from assay.summary.rows import Detail, Row, chosen_rows, in_one_unit

MOST_TIMES = 3  # so many times the launches of a campaign, quiet or not
BUSY = (
    "most launches are disturbed, so further ones would not settle places; "
    "run again when the machine is quiet: that adds what is missing"
)
NARROW = 2  # ranks that close neighbours may share


def settle(
    launcher: Launcher, store: Store, groups: Sequence[Group], plan: Plan, progress: Progress
) -> bool:
    """Launch the codes of the first table again while their places are not settled.

    Return False where that was given up, as the machine stays busy. Nothing is done where fewer
    launches than a place needs were asked for, or a precision.
    """
    if plan.launches < launches_needed(FALSE_DISCOVERIES) or plan.precision_percent is not None:
        return True
    by_cell = {one.build.cell: group for group in groups for one in group}
    chosen = {row.result.cell for row in _leading(store, by_cell)}
    for _ in range(MOST_TIMES * plan.launches):
        queue = _queue(store, plan, by_cell, _unsettled(_leading(store, chosen)))
        if not queue or launcher.stays_busy:
            return not queue
        for _ in make_ready(launcher.workshop, queue, plan.workers):
            pass
        progress.begin("settling places", len(queue))
        Turns(launcher, progress).take(queue)
    return True


def _leading(store: Store, cells: Container[Cell]) -> tuple[Row, ...]:
    """Return the rows of the first table among these cells."""
    results = cell_results(store, lambda one: one.build.cell in cells)
    rows = chosen_rows(results, Detail.PRIMITIVES, few=True)
    return tuple(row for row in rows if row.rate and not row.result.failed | row.result.estimated)


def _unsettled(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows whose place says too little; a table of one row has nothing to settle."""
    if len(rows) < NARROW:
        return ()
    places = settled_places([row.entrant for row in in_one_unit(rows)])
    return tuple(row for row, place in zip(rows, places, strict=True) if _is_wide(place))


def _is_wide(place: Place | None) -> bool:
    return place is None or place.last - place.first >= NARROW


def _queue(
    store: Store, plan: Plan, by_cell: dict[Cell, Group], rows: Iterable[Row]
) -> list[Candidate]:
    """Line up a launch of each row's code that has not had its share."""
    lined_up = []
    for row in rows:
        group, sizes = by_cell[row.result.cell], row.sizes
        if _launches(store, row.result.cell, sizes) < MOST_TIMES * plan.launches:
            one = candidate(store, group, replace(plan, sizes=(sizes,)))
            one.wanted, one.repeats_left = 1, 0
            lined_up.append(one)
    return lined_up


def _launches(store: Store, cell: Cell, sizes: SizeChoice) -> int:
    """Count the launches of a code at these sizes, disturbed ones too, but none of a race."""
    return sum(
        not purpose and any(sizes == each for _, each in measured)
        for _, purpose, measured in store.efforts(cell)
    )
