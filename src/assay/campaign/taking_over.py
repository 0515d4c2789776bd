# SPDX-License-Identifier: MIT
"""Where valgrind cannot follow secrets, MemorySanitizer does, if it finds what is planted."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.constant_time import wanted
from assay.check.engine.cells import CheckedCell
from assay.check.engine.examine import Engine
from assay.check.engine.verdict import PackageVerdict
from assay.compile.recipe import Recipe
from assay.model import CheckResult, Verdict
from assay.model.secrets import TIMING, unexamined
from assay.package.leaks import misses

WEAKER = (
    "msan does not follow carries, as in (x - 1) >> 31, nor what a back end makes of masks: "
    "`clean` says less than under valgrind"
)
TOO_SLOW = "under valgrind:"  # what begins so it knew, and did not end


class TakenOver(Struct, frozen=True):
    """What is known of packages then, and which code MemorySanitizer was asked of, and why."""

    everything: tuple[PackageVerdict, ...]
    notes: tuple[str, ...] = ()


def taken_over(
    everything: tuple[PackageVerdict, ...],
    planted: Sequence[Recipe],
    opened: Callable[[], AbstractContextManager[Engine]],
) -> TakenOver:
    """Ask MemorySanitizer of clang's code on this machine that valgrind could not be asked of.

    `opened` lends an engine whose store has no answers of valgrind in it.
    """
    left = tuple(dict.fromkeys(_left(everything)))
    if not left or not planted:
        return TakenOver(everything)
    asked = wanted(left_behind=False, shadowed=True)
    with opened() as engine:
        proof = tuple(engine.examine(planted, asked))
        wrong = misses({one.recipe.variant: one.checks for one in proof})
        recipes = () if wrong else tuple(one.recipe for one in left)
        cells = tuple(engine.examine(recipes, asked))
    if wrong:
        return TakenOver(everything, (f"MemorySanitizer was not asked, either: {wrong}",))
    found = dict(zip(left, cells, strict=True))
    return TakenOver(tuple(_with(one, found) for one in everything), (*_notes(found), WEAKER))


def _left(everything: Iterable[PackageVerdict]) -> Iterator[CheckedCell]:
    """Yield the cells that were built, and not examined."""
    for row in (row for one in everything for each in one.standings for row in each.rows):
        why = unexamined(row.checks)
        ours = row.recipe.target.is_native and row.recipe.compiler.family == "clang"
        if ours and row.build.ok and why and not why.startswith(TOO_SLOW):
            yield row


def _with(one: PackageVerdict, found: dict[CheckedCell, CheckedCell]) -> PackageVerdict:
    """Return the verdict with what MemorySanitizer says, or with both reasons for saying none."""
    standings = tuple(
        replace(each, rows=tuple(_told(row, found.get(row)) for row in each.rows))
        for each in one.standings
    )
    return replace(one, standings=standings)


def _told(row: CheckedCell, other: CheckedCell | None) -> CheckedCell:
    if other is None:
        return row
    why = unexamined(other.checks)
    if not why:
        return dataclasses.replace(row, checks=other.checks)
    both = f"{unexamined(row.checks)}; {why}"
    return dataclasses.replace(row, checks=(CheckResult(TIMING, Verdict.OPEN, both),))


def _notes(found: dict[CheckedCell, CheckedCell]) -> Iterator[str]:
    """Yield for each package and reason how many configurations MemorySanitizer was asked of."""
    counted: dict[tuple[str, str], int] = {}
    for row, other in found.items():
        if not unexamined(other.checks):
            key = row.recipe.package.selector, unexamined(row.checks)
            counted[key] = counted.get(key, 0) + 1
    for (selector, why), count in counted.items():
        yield f"{selector}: msan in place of valgrind in {count} of its configurations: {why}"
