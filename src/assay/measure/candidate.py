# SPDX-License-Identifier: MIT
"""A machine code that passed its checks, and what is known of launching it."""

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from assay.check.engine.cells import BuiltCell
from assay.check.engine.examine import in_parallel
from assay.check.engine.workshop import Workshop
from assay.errors import AssayError
from assay.measure.launch import FURTHER_LAYOUTS, LinkedCode, launched
from assay.measure.task import Batches, LaunchTask
from assay.model import Cell, Launch, Subject
from assay.store import Store

Group = tuple[BuiltCell, ...]  # the cells of one machine code


class Candidate(Struct):
    """A machine code that may be launched, and how often it still shall be.

    `group` are all cells that have it. `full` measures it, and `brief` compares it with others.
    `failed` is whether measuring it was given up. `counted` are the layouts of the launches
    that count, and `heard` the launches by which it was compared.
    """

    group: Group
    subject: Subject
    code: LinkedCode
    full: LaunchTask
    brief: LaunchTask
    wanted: int = 0
    repeats_left: int = 0
    failed: bool = False
    batches: Batches = field(default_factory=dict)
    counted: list[int] = field(default_factory=list)
    heard: list[Launch] = field(default_factory=list)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Return all cells with this code."""
        return tuple(one.build.cell for one in self.group)

    @property
    def quiet(self) -> list[Launch]:
        """Return the launches of a comparison that say something."""
        return [one for one in self.heard if one.counts]


def described(store: Store, group: Group) -> tuple[Subject, LinkedCode]:
    """Return what a machine code is, and what is launched of it: not yet where it can be.

    AssayError if it has no description or no agent, which no code lacks that passed.
    """
    build = group[0].build
    subject = store.subject(build.cell)
    if subject is None or build.object_hash is None or build.agent is None:
        lacking = "a description" if subject is None else "an agent"
        raise AssayError(f"{build.cell} passed its checks without {lacking}", "Report this.")
    return subject, LinkedCode(build.cell, build.object_hash, build.agent)


def make_ready(
    workshop: Workshop,
    candidates: Iterable[Candidate],
    workers: int,
    further: int = FURTHER_LAYOUTS,
) -> Iterator[Candidate]:
    """Put agents where they can be launched, in `further` layouts besides their own."""

    def work(one: Candidate) -> None:
        one.code = launched(workshop, one.group[0], further)

    for one, _ in in_parallel(work, candidates, workers):
        yield one
