# SPDX-License-Identifier: MIT
"""Verdicts as records, for `--json`: one for each package, target, variant and configuration."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from assay.check.engine.cells import CheckedCell, Examination
from assay.check.engine.verdict import Judged, TargetStanding, standing
from assay.cli.verdicts import goals_of
from assay.execute.jail import Jail
from assay.execute.opening import confinement
from assay.model import NATIVE_NAME
from assay.model.compared import uncompared
from assay.model.promises import examined
from assay.model.renamed import FORMERLY
from assay.package.discover import Found
from assay.plan.spread import TargetCells


def records_of(judged: Judged, jail: Jail, *, matrix: bool) -> Iterator[dict[str, Any]]:
    """Yield the records of a package; those of a `matrix` name what is wrong on each target."""
    if judged.unloadable is not None:
        yield record(judged.found, judged.unloadable, Where(jail=jail.mode.value))
    for each in judged.standings:
        if not each.rows:
            yield {"package": judged.found.selector, "target": each.target.name, "passed": None,
                   "verdict": each.verdict, "skipped": each.skipped, "checks": []}  # fmt: skip
        for row in each.rows:
            more = _on_target(each, row) if matrix else {}
            yield record(judged.found, row, _where(row, jail)) | more


@dataclass(frozen=True, slots=True)
class Where:
    """Where a verdict was found: configuration, compiler, target and jail, and the object code."""

    jail: str
    variant: int = 1
    configuration: str = ""
    compiler: str = ""
    target: str = NATIVE_NAME
    object_hash: str | None = None


def _where(row: CheckedCell, jail: Jail) -> Where:
    recipe = row.recipe
    return Where(
        confinement(recipe.target, jail),
        recipe.variant,
        recipe.configuration.name,
        recipe.compiler.release,
        recipe.target.name,
        row.build.object_hash,
    )


def _on_target(whole: TargetStanding, row: CheckedCell) -> dict[str, Any]:
    """Return what a cell tells of its target, beside the verdicts."""
    alone = replace(standing(TargetCells(whole.target), (row,)), suspect=whole.suspect)
    return {"misaligned": alone.misaligned, "cause": alone.cause, "verdict": alone.verdict,
            "passed": not alone.failed}  # fmt: skip


def record(found: Found, outcome: Examination, where: Where) -> dict[str, Any]:
    """Make the machine-readable record of one examination."""
    goals = goals_of(found)
    checks = [
        {"check": c.check, "verdict": c.verdict, "reason": c.reason, "cure": c.cure,
         "evidence": c.evidence, "follows": c.follows}
        | ({"formerly": FORMERLY[c.check]} if c.check in FORMERLY else {})
        for c in outcome.checks
    ]  # fmt: skip
    quirks = [
        {"name": q.name, "message": q.message, "cure": q.cure}
        for q in getattr(found, "quirks", ())
    ]
    return {
        "package": found.selector,
        "variant": where.variant,
        "configuration": where.configuration,
        "compiler": where.compiler,
        "target": where.target,
        "jail": where.jail,
        "object_hash": where.object_hash,
        "verdict": outcome.verdict,
        "passed": outcome.passed,
        "compared": not uncompared(outcome.checks),
        "goals": sorted(goals),
        "goals_examined": examined(outcome.checks) if goals else None,
        "checks": checks,
        "warnings": quirks,
    }
