# SPDX-License-Identifier: MIT
"""What leaks of packages in which configuration, as the engine finds it, and what is believed."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from assay.check.depth import Depth, Extent
from assay.check.engine.cells import CheckedCell
from assay.check.engine.examine import Engine
from assay.check.engine.verdict import Located, PackageVerdict, TargetStanding, judged
from assay.check.engine.wanted import Wanted
from assay.check.memory.passes import STILL
from assay.model import CheckResult, Target, Verdict, overall
from assay.model.secrets import (
    KINDS,
    LEFT_BEHIND,
    TIMING,
    ConfigurationLeaks,
    leaks,
    left_out,
    unexamined,
)
from assay.package.leaks import Reasons, misses

CHECKS = (TIMING, *(one for one in KINDS if one != LEFT_BEHIND))


def wanted(*, left_behind: bool, shadowed: bool = False) -> Wanted:
    """Return what is asked of each cell."""
    only = (*CHECKS, LEFT_BEHIND) if left_behind else CHECKS
    return Wanted(Extent(Depth.DEEP, only=only, undeclared=True, shadowed=shadowed))


class LeakMatrix(Struct, frozen=True):
    """A variant of a package on a target: its cells, and what leaks in each of them."""

    title: str
    cells: tuple[CheckedCell, ...]
    rows: tuple[ConfigurationLeaks, ...]


def believed_verdicts(
    engine: Engine, places: Sequence[Located], asked: Wanted
) -> tuple[PackageVerdict, ...]:
    """Examine the planted leaks, which come first, and packages; return what is believed."""
    with closing(judged(engine, places, asked)) as stream:
        proof, *everything = stream
    wrong = {
        each.target.name: misses(
            {row.recipe.variant: row.checks for row in each.rows}, each.target.architecture
        )
        for each in proof.standings
        if each.rows
    }
    return tuple(_believed(one, wrong) for one in everything)


def _believed(one: PackageVerdict, wrong: Mapping[str, str]) -> PackageVerdict:
    """Return the verdicts, without those of engines that miss planted leaks on their target."""
    return replace(
        one,
        standings=tuple(_unless(each, wrong.get(each.target.name, "")) for each in one.standings),
    )


def _unless(standing: TargetStanding, wrong: str) -> TargetStanding:
    if not wrong:
        return standing
    nothing = (CheckResult(TIMING, Verdict.OPEN, wrong),)
    return replace(
        standing, rows=tuple(dataclasses.replace(row, checks=nothing) for row in standing.rows)
    )


def matrices(
    everything: Iterable[PackageVerdict], reasons: Reasons, levels: Sequence[str]
) -> Iterator[LeakMatrix]:
    """Yield what leaks, variant by variant and target by target."""
    cells = (row for one in everything for each in one.standings for row in each.rows)
    for title, each in groupby(cells, _title):
        found = tuple(each)
        yield LeakMatrix(title, found, tuple(_leaks(one, reasons, levels) for one in found))


def unsettled(found: Iterable[LeakMatrix]) -> Iterator[str]:
    """Yield for each variant in how many clean configurations more inputs may meet more code."""
    for one in found:
        count = sum(STILL in check.reason for cell in one.cells for check in cell.checks)
        if count:
            yield f"{one.title}: the last inputs {STILL} in {count} of its clean configurations"


def skipped(everything: Iterable[PackageVerdict]) -> Iterator[str]:
    """Yield where packages have no configuration at all, and why: a compiler is missing, say."""
    for one in everything:
        for each in one.standings:
            if not each.rows and each.skipped:
                where = _on(each.target)
                yield f"{one.found.selector}{where}: not examined: {each.skipped}"


def _on(target: Target) -> str:
    return "" if target.is_native else f" on {target.name}"


def _title(cell: CheckedCell) -> str:
    package, variant = cell.recipe.package, cell.recipe.variant
    shown = f" (variant {variant})" if package.variants > 1 else ""
    return package.selector + shown + _on(cell.recipe.target)


def _leaks(cell: CheckedCell, reasons: Reasons, levels: Sequence[str]) -> ConfigurationLeaks:
    """Return what the checks of a cell found."""
    configuration, compiler = cell.recipe.configuration, cell.recipe.compiler
    version = re.search(r"\d+(?:\.\d+)+", compiler.release)
    name = f"{compiler.family} {version[0]}" if version else compiler.command
    name += " -march=native" * ("-march=native" in configuration.arch)
    level = max((one for one in levels if f"{configuration.opt} ".startswith(f"{one} ")), key=len)
    found = tuple(leak for one in cell.checks for leak in leaks(one))
    code = cell.build.object_hash or ""
    selector = cell.recipe.package.selector
    why = {leak: reasons.accept(selector, leak) for leak in found}
    left = tuple(leak for leak in found if not why[leak])
    accepted = tuple((leak, reason) for leak, reason in why.items() if reason)
    problem = unexamined(cell.checks)
    others = () if problem else tuple(left_out(cell.checks))
    return ConfigurationLeaks(name, level, code, left, problem, accepted, others)


def verdicts(everything: Iterable[PackageVerdict], reasons: Reasons) -> Iterator[Verdict]:
    """Yield a verdict for each cell; accepted places count for nothing.

    Of code that was built all questions are open that were asked and not answered.
    """
    for one in everything:
        if one.unloadable is not None:
            yield one.unloadable.verdict
        for each in one.standings:
            if not each.rows:
                yield each.verdict
            built = [row for row in each.rows if row.build.ok] or each.rows
            for row in built:  # code for a processor may build with its options alone
                yield overall(reasons.verdict(one.found.selector, check) for check in row.checks)
                if row.build.ok and (unexamined(row.checks) or any(left_out(row.checks))):
                    yield Verdict.OPEN
