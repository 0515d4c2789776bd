# SPDX-License-Identifier: MIT
"""A whole campaign: rounds of building, checking, measuring and writing down."""

import hashlib
import os
from collections.abc import Container, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.vectors import write_vectors
from assay.check.depth import Depth, Extent
from assay.check.engine.agreeing import Agreeing
from assay.check.engine.cells import CheckedCell, passed, skipped, wrong
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop
from assay.compile.files import used_folder
from assay.compile.recipe import Recipe
from assay.fence import ends_all, reason_of
from assay.machine.cache import cache_folder
from assay.machine.describe import describe, version_text
from assay.machine.git import head_of
from assay.measure.candidate import Group
from assay.measure.costs import Share, share_of
from assay.measure.policies.policy import Measuring
from assay.model import BrokenPackage, Campaign, Cell, Package, Verdict, overall
from assay.model.compared import glanced
from assay.model.notes import CodeOrigin
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.report.files import write_cell
from assay.store import Store
from assay.store.rows import Notes
from assay.summary.cells import cell_results


class Outcome(Struct, frozen=True):
    """What a campaign came to: cells in all, failed ones, and packages that cannot be loaded.

    `share` says how its time was spent; None if nothing was launched. Of `open` cells
    something that decides a pass was not examined or compared; of `glanced` ones the outputs
    were compared, and they dropped out of a race then.
    """

    cells: int
    failed: int
    broken: int
    share: Share | None = None
    open: int = 0
    glanced: int = 0

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the whole."""
        if self.failed or self.broken:
            return Verdict.FAIL
        unexamined = 0 < self.glanced == self.cells
        return Verdict.OPEN if self.open or unexamined else Verdict.PASS


def run_campaign(
    workshop: Workshop,
    store: Store,
    plan: Plan,
    broken: Iterable[BrokenPackage],
    arguments: tuple[str, ...],
    progress: Progress,
) -> Outcome:
    """Run every round of the plan; what is stored already is not done again.

    An interrupt leaves everything that was finished.
    """
    unloadable = tuple(broken)
    ended = all(one.finished_at is not None for one in store.campaigns()[-1:])
    number = begin(store, arguments, plan.packages, unloadable, progress)
    note_compilers(store, (one.release for one in plan.compilers.values()))
    done: set[Cell] = set()
    changed = False
    engine = Engine(workshop, store, plan.workers, progress)
    agreeing = Agreeing(workshop, progress=progress)
    confirm = partial(_confirmed, engine, plan, agreeing)
    measuring = Measuring(workshop, store, plan, progress, confirm)
    for listed in plan.rounds():
        before = store.changes
        recipes = tuple(measuring.contending(listed.recipes))
        examined = _examined(engine, agreeing, recipes, _depths(plan, scouting=listed.scouting))
        measuring.unfit |= skipped(examined)
        measuring.wrong |= wrong(examined, plan.accept)
        try:
            measuring.round(passed(examined, plan.accept), scouting=listed.scouting)
        finally:
            cells = {recipe.cell for recipe in recipes} | agreeing.changed
            # What was written by a campaign that came to its end is there, if nothing is new.
            changed = changed or store.changes != before
            if not plan.operations and (store.changes != before or not ended):
                write_texts(store, cells, progress)
                write_vectors(workshop, store.path.parent, examined)
            note_origins(store, plan, cells)
            done |= cells
    store.finish_campaign(number, now())
    outcome = outcome_of(store, done, len(unloadable))
    if not changed:
        return outcome
    share = share_of(store.launch_heads(), store.campaigns()[-1])
    return replace(outcome, share=share if share.launches else None)


def _depths(plan: Plan, *, scouting: bool) -> tuple[Depth, Depth]:
    """Return how codes of a round are examined, and those that disagree; winners are in full."""
    whole = Depth.SHORT if scouting and plan.confirms else Depth.FULL
    glance = plan.glance or bool(plan.in_turn) or (plan.confirms and not scouting)
    return Depth.GLANCE if glance else whole, whole


def _examined(
    engine: Engine, agreeing: Agreeing, recipes: Iterable[Recipe], depths: tuple[Depth, Depth]
) -> list[CheckedCell]:
    """Examine cells and compare what they computed; where they differ, not at a glance."""
    first, deeper = (Wanted(Extent(one), keep=True, outputs=True) for one in depths)
    found = agreeing.stored(list(engine.examine(recipes, first)), engine.store)
    disputed = agreeing.disputed(found) if first.glance else []
    if not disputed:
        return found
    whole = engine.examine(disputed, deeper)
    known = {row.recipe.cell: row for row in whole}
    return agreeing.stored([known.get(row.recipe.cell, row) for row in found], engine.store)


def _confirmed(
    engine: Engine, plan: Plan, agreeing: Agreeing, groups: Iterable[Group]
) -> list[Group]:
    """Examine codes that won a race after a glance; return those that pass."""
    recipes = [one.recipe for group in groups for one in group]
    depths = (Depth.GLANCE if plan.glance else Depth.FULL, Depth.FULL)
    return passed(_examined(engine, agreeing, recipes, depths), plan.accept)


def begin(
    store: Store,
    arguments: tuple[str, ...],
    packages: Iterable[Package],
    broken: Iterable[BrokenPackage],
    progress: Progress,
) -> int:
    """Write down where and when a campaign begins, and with what; give its number."""
    before = store.campaigns()
    if before and before[-1].finished_at is None:
        progress.warn(
            f"the campaign of {before[-1].started_at} did not end; what it stored is kept, "
            "and this one goes on from there"
        )
    known = store.machine()
    compilers = known.compilers if known else ()
    store.put_machine(replace(describe(), compilers=compilers, assay=version_text()))
    number = store.start_campaign(Campaign(arguments, now()))
    for one in broken:
        store.put_broken_package(one)
        progress.warn(f"{one.selector} cannot be loaded: {one.reason}\n  {one.cure}")
    for package in packages:
        store.put_package(package)
    return number


def note_compilers(store: Store, releases: Iterable[str]) -> None:
    """Add compilers to those that the machine's results were made with."""
    machine = store.machine()
    if machine is not None:
        known = dict.fromkeys((*machine.compilers, *releases))
        store.put_machine(replace(machine, compilers=tuple(known)))


def note_origins(store: Store, plan: Plan, cells: Container[Cell]) -> None:
    """Write down of what commit, and on what machine, codes were measured that were not before."""
    machine, notes = store.machine(), Notes(store)
    known = notes.all(CodeOrigin)
    commits = {one.place: head_of(one.root) for one in plan.packages}
    for one in store.cells():
        cell, key = one.build.cell, one.key
        if cell not in cells or key is None or key in known or not store.efforts(cell):
            continue
        compiler = plan.compilers.get(one.configuration.command)
        settings = {**machine.settings} if machine else {}
        if compiler is not None:
            settings["compilers"] = compiler.release
        notes.put(key, CodeOrigin(commits.get(one.package.place, ""), settings))


def write_texts(store: Store, cells: Container[Cell], progress: Progress) -> None:
    """Write the text files of these cells; one that cannot be written is told."""
    machine = store.machine()
    for result in cell_results(store, lambda one: one.build.cell in cells):
        try:
            write_cell(store.path.parent, result, machine)
        except Exception as error:
            if ends_all(error):
                raise
            progress.warn(f"{result.cell}: no text file: {reason_of(error)}")


def outcome_of(store: Store, done: Container[Cell], broken: int) -> Outcome:
    """Count the cells of this campaign; what the folder holds besides does not matter."""
    cells = [cell for cell in store.cells() if cell.build.cell in done]
    verdicts = [overall(one.verdict for one in cell.checks) for cell in cells]
    failed, open_ = (verdicts.count(one) for one in (Verdict.FAIL, Verdict.OPEN))
    seen = sum(glanced(cell.checks) for cell in cells)
    return Outcome(len(cells), failed, broken, open=open_ - seen, glanced=seen)


def now() -> str:
    """Return the time as the store has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def agents_folder(results: Path) -> Path:
    """Return the folder of agents built for a results folder: in the user's cache, never in it."""
    name = hashlib.sha256(os.path.realpath(results).encode("utf-8", "replace")).hexdigest()[:16]
    return used_folder(cache_folder() / "agents" / name)
