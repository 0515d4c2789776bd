# SPDX-License-Identifier: MIT
"""What a command found, gathered from verdicts, results folders, comparisons and sizes."""

import os
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from assay.check.engine.cells import CheckedCell, Examination, build_verdict
from assay.check.engine.verdict import PackageVerdict, TargetStanding
from assay.check.kinds import every_check
from assay.execute.jail import Jail
from assay.execute.opening import confinement
from assay.model import CheckResult, Package, Verdict
from assay.model.footprint import Footprint
from assay.model.series import BYTES, Series
from assay.package.discover import Found
from assay.report.ci.records import CellVerdict, CheckText, Harvest, PackageFigure
from assay.report.code_sizes import SizeRow
from assay.report.code_sizes import verdict as right
from assay.report.compare.answers import Compared, ComparedMeasure
from assay.report.compare.verdicts import ComparedVerdicts
from assay.report.compare.words import answer_text
from assay.store import Store
from assay.store.rows import StoredCell
from assay.summary.series import own_series

CALL = "call"
SLOWER_CURE = "Look at what changed, measure again with more launches, or raise --threshold."


def check_texts() -> dict[str, CheckText]:
    """Return what is known of all checks, by name."""
    return {one.name: CheckText(one.asks, one.why, one.cure) for one in every_check().values()}


def checked(everything: Iterable[PackageVerdict], jail: Jail) -> Harvest:
    """Gather the verdicts on packages, and what the checks measured."""
    verdicts = tuple(cell for one in everything for cell in cell_verdicts(one, jail))
    return Harvest(verdicts, tuple(measured_by_checks(verdicts)))


def cell_verdicts(judged: PackageVerdict, jail: Jail) -> Iterator[CellVerdict]:
    """Yield the verdicts on each cell of a package, and each target on which nothing was asked."""
    if judged.unloadable is not None:
        yield of_examination(judged.found, judged.unloadable, jail)
    for each in judged.standings:
        if not each.rows:
            yield not_examined(judged.found, each)
        yield from (of_examination(judged.found, row, jail) for row in each.rows)


def not_examined(found: Found, where: TargetStanding) -> CellVerdict:
    """Return the record of a target on which there is nothing to examine."""
    target, why = where.target.name, where.skipped
    return CellVerdict(found.selector, found.root, (), target=target, skipped=why)


def _files(package: Package) -> tuple[str, ...]:
    """Return a package's files, its sources first; those from elsewhere are named by their place.

    They are relative to the package's folder, as far as they lie in it.
    """
    shared = package.details.shared if package.details else ()
    first = {name: number for number, name in enumerate(package.sources)}
    listed = sorted(shared, key=lambda one: first.get(one[0], len(first)))
    places = (place for _, place in listed)
    inner = (os.path.relpath(one, package.root) if one.is_relative_to(package.root) else str(one)
             for one in places)  # fmt: skip
    return (*package.files, *inner)


def of_examination(found: Found, outcome: Examination, jail: Jail) -> CellVerdict:
    """Return the verdicts on a cell, or on a package that cannot be loaded."""
    plain = CellVerdict(
        found.selector,
        found.root,
        outcome.checks,
        jail=jail.mode.value,
        seconds=outcome.seconds,
    )
    if isinstance(found, Package):
        plain = replace(plain, files=_files(found), quirks=found.quirks, goals=found.goals)
    if not isinstance(outcome, CheckedCell):
        return plain
    recipe = outcome.recipe
    return replace(
        plain,
        variant=recipe.variant,
        configuration=recipe.configuration.name,
        compiler=recipe.compiler.release,
        target=recipe.target.name,
        jail=confinement(recipe.target, jail),
        object_hash=outcome.build.object_hash,
    )


def measured(store: Store, found: Iterable[Found], targets: Container[str]) -> Harvest:
    """Gather what a results folder has of packages on some targets: verdicts and figures."""
    own = {one.place: one for one in found}

    def meant(cell: StoredCell) -> bool:
        return cell.package.place in own and cell.build.cell.target in targets

    verdicts = tuple(
        _stored(cell, own[cell.package.place]) for cell in store.cells() if meant(cell)
    )
    return Harvest(verdicts, tuple(map(_metric, own_series(store, meant))))


def _stored(cell: StoredCell, found: Found) -> CellVerdict:
    """Return what a results folder has of a cell; one that does not build has a failed check."""
    package, place = cell.package, cell.build.cell
    return CellVerdict(
        package.selector,
        found.root,
        cell.checks or (build_verdict(cell.build),),
        files=_files(package),
        variant=place.variant,
        configuration=cell.configuration.name,
        target=place.target,
        object_hash=cell.build.object_hash,
        quirks=package.quirks,
        goals=package.goals,
    )


def _metric(one: Series) -> PackageFigure:
    """Return what was timed, counted or sized, per byte, setup, hash or call."""
    whole = one.exact and (one.work, one.work_unit) == (1, CALL)
    variant = one.subject.variant
    return PackageFigure(
        f"{one.implementation}#{variant}" if variant > 1 else one.implementation,
        " ".join(part for part in (one.measure, one.sizes_text) if part),
        one.unit if whole else f"{one.unit}/{one.work_unit}",
        one.median / one.work,
        one.q1 / one.work,
        one.q3 / one.work,
        tuple(value / one.work for value in one.per_launch),
        one.configuration.name,
        one.target,
        one.machine,
        one.exact,
    )


def compared(found: Compared, package: Package | None) -> Harvest:
    """Gather what a comparison came to: a check for each measure, and the figures of B.

    Of side B the `package` is known if it can be found.
    """
    title = f"{found.second.text} against {found.first.text}"
    root, files = (package.root, _files(package)) if package else (Path.cwd(), ())
    checks = tuple(map(_answered, found.rows))
    metrics = tuple(_metric(one.second) for one in found.rows)
    return Harvest((CellVerdict(title, root, checks, files),), metrics)


def second_side(text: str, found: Found, verdicts: ComparedVerdicts) -> CellVerdict:
    """Return the verdicts on a later revision, whose files lie where the user names them."""
    folder = Path(text.partition(":")[0])
    root = folder if folder.is_dir() else found.root
    files = _files(found) if isinstance(found, Package) else ()
    return CellVerdict(found.selector, root, tuple(verdicts.second.values()), files)


def _answered(row: ComparedMeasure) -> CheckResult:
    name = f"compare/{row.second.measure.replace('/', '-')}"
    verdict = Verdict.PASS
    if row.too_slow or row.undecided:
        verdict = Verdict.FAIL if row.too_slow else Verdict.OPEN
    where = (row.second.sizes_text, row.second.configuration.name)
    said = ", ".join(part for part in where if part)
    return CheckResult(name, verdict, f"{answer_text(row)} ({said})", SLOWER_CURE)


def sized(rows: Iterable[SizeRow], found: Iterable[Package]) -> Harvest:
    """Gather sizes, memory and steps, and whether the code is right."""
    own, footprints = {one.selector: one for one in found}, [row.footprint for row in rows]
    verdicts = tuple(_right(one, own[one.selector]) for one in footprints)
    return Harvest(verdicts, tuple(each for one in footprints for each in _sizes(one)))


def _right(one: Footprint, package: Package) -> CellVerdict:
    wrong = one.problems or one.passed is False
    verdict = Verdict.FAIL if wrong else Verdict.OPEN if one.passed is None else Verdict.PASS
    checks = () if one.skipped else (CheckResult("size/right", verdict, right(one)),)
    name = one.configuration.name if one.configuration else ""
    return CellVerdict(
        package.selector, package.root, checks, _files(package),
        configuration=name, target=one.target.name, skipped=one.skipped,
    )  # fmt: skip


def _sizes(one: Footprint) -> Iterator[PackageFigure]:
    name = one.configuration.name if one.configuration else ""
    known = {
        "code": one.size.total_bytes if one.size else None,
        "context": one.context_bytes,
        "stack": one.stack_bytes,
    }
    plain = PackageFigure(one.selector, "", BYTES, 0, configuration=name, target=one.target.name)
    for measure, size in known.items():
        if size is not None:
            yield replace(plain, measure=measure, value=size, exact=True)
    for step in one.steps:
        per = f"{step.unit}/byte" if step.measure == "long" else f"{step.unit}/call"
        value = step.per_byte if step.measure == "long" else step.amount
        yield replace(plain, measure=step.measure, unit=per, value=value, exact=step.exact)


def measured_by_checks(verdicts: Iterable[CellVerdict]) -> Iterator[PackageFigure]:
    """Yield what checks measured, in bytes, such as the stack that a call needs."""
    for cell in verdicts:
        for check in cell.checks:
            for name, size in check.sizes:
                yield PackageFigure(
                    cell.package,
                    name,
                    BYTES,
                    size,
                    configuration=cell.configuration,
                    target=cell.target,
                    exact=True,
                )
