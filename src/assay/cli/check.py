# SPDX-License-Identifier: MIT
"""`assay check`: whether a package conforms, and is correct."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.check.engine.answers import with_answers
from assay.check.engine.portability import Standing, explained, stand
from assay.check.engine.variants import together
from assay.check.engine.workshop import Examination, Workshop, open_workshop
from assay.check.operation.answers.read import read_answers
from assay.check.operation.answers.records import AnswerFile
from assay.cli.applies import MANY, SUMMARY, refuse, situations_of
from assay.cli.everywhere import Wanted, check_all_configurations
from assay.cli.main import EXIT_OPEN
from assay.cli.options import (
    Renamed,
    chosen_targets,
    conf_option,
    configuration,
    jail_for,
    jail_option,
    json_option,
    operation_configuration,
    patience_option,
    sample_option,
    seed_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.progress import Bars
from assay.cli.root import reports_folder, repository_root
from assay.cli.sweep import sweep_packages
from assay.cli.verdicts import all_compared, exit_code, record, show_examination, show_matrix
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.execute.jail import Jail
from assay.execute.lock import machine_lock
from assay.execute.opening import confinement
from assay.machine.threads import Threads
from assay.model import (
    BrokenPackage,
    CheckResult,
    Compiler,
    Configuration,
    Package,
    Target,
    Verdict,
)
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.plan.choice import fitted
from assay.plan.cross import target_configuration


@click.command(name="check")
@click.argument("packages", nargs=-1, required=True, metavar="PACKAGE...")
@conf_option
@target_option
@targets_file_option
@jail_option
@patience_option
@tree_option
@sample_option
@seed_option
@click.option(
    "--answers",
    "kats",
    cls=Renamed,
    older=("--kat",),
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Operations: also compare with known answers (docs/reference/known-answers.md).",
)
@click.option(
    "--deep",
    is_flag=True,
    help=("Also run the slow checks (valgrind, sanitizers; about a minute)."),
)
@click.option(
    "--all-configs",
    is_flag=True,
    help="Check every configuration that `assay run` would use; identical object code once.",
)
@click.option(
    "--best",
    type=click.IntRange(1),
    metavar="N",
    help="With --all-configs: only the N best configurations.",
)
@click.option("--all", "show_all", is_flag=True, help="Also show the checks that passed.")
@json_option
def command(
    packages: tuple[str, ...],
    conf: str | None,
    target_names: tuple[str, ...],
    targets_file: str | None,
    jail_name: str,
    trees: tuple[Path, ...],
    sample: int | None,
    seed: int,
    kats: tuple[Path, ...],
    deep: bool,
    all_configs: bool,
    best: int | None,
    show_all: bool,
    as_json: bool,
) -> int:
    """Check whether packages conform to their API, and are correct.

    PACKAGE is a directory, or else a name below submissions/ or benchmarks/,
    or a pattern; or an operation, primitive or implementation of a SUPERCOP tree, such as
    crypto_hash, crypto_hash/sha256, crypto_hash/sha256/ref. With several targets a
    matrix shows which of them a package suits. Many packages of a tree end in a summary.
    With --all-configs a failure names its configurations, and an interrupted command continues.
    Exit code 0: all pass; 1: something failed; 3: nothing failed, but something that
    decides a pass was not examined or compared.
    """
    targets = chosen_targets(target_names, targets_file)
    found = resolve(packages, repository_root(), trees=Trees(trees, sample, seed))
    operations = all(one.place.startswith("crypto_") for one in found)
    alone = not target_names and not all_configs
    many = alone and operations and bool(len(found) > MANY or sample)
    refuse(situations_of(found, targets) | ({SUMMARY: ""} if many else {}))
    if all_configs:
        wanted = Wanted(deep, best, show_all, as_json)
        return check_all_configurations(found, repository_root(), jail_name, wanted)
    answers = tuple(map(read_answers, kats))
    if len(targets) > 1 or target_names:
        return _on_targets(
            found, targets, jail_name, answers, deep=deep, as_json=as_json, all_=show_all
        )
    root = repository_root()
    if operations and not conf:
        chosen, compiler = operation_configuration()
    else:
        chosen, compiler = configuration(reports_folder(root), conf)
    records = []
    jail = jail_for(jail_name, compiler)
    if many:
        summary = sweep_packages(found, chosen, compiler, jail, deep=deep, as_json=as_json)
        return exit_code([summary.verdict])
    with open_workshop(jail) as workshop:
        for one in found:
            outcomes = together(
                [
                    _examine(workshop, one, variant, chosen, compiler, answers, deep=deep)
                    for variant in range(1, getattr(one, "variants", 1) + 1)
                ]
            )
            jail_used = workshop.stage.confinement
            for variant, outcome in enumerate(outcomes, 1):
                named = (chosen.name, jail_used, outcome, compiler.release)
                records.append(record(one, variant, *named))
                if not as_json:
                    show_examination(one, variant, outcome, show_all=show_all)
    if as_json:
        click.echo(json.dumps(records, indent=1))
    else:
        click.echo(f"Checked with {compiler.release}, {chosen.name}.")
    code = exit_code(entry["verdict"] for entry in records)
    return code if all_compared(records, answers) else code or EXIT_OPEN


def _examine(
    workshop: Workshop,
    found: Found,
    variant: int,
    chosen: Configuration,
    compiler: Compiler,
    answers: tuple[AnswerFile, ...],
    *,
    deep: bool,
) -> Examination:
    """Build and check one variant; a package that cannot be loaded has one failed check."""
    if isinstance(found, BrokenPackage):
        failed = CheckResult("package/loads", Verdict.FAIL, found.reason, found.cure)
        return Examination(None, (failed,))
    recipe = Recipe(found, variant, fitted(chosen, found), compiler, workshop.stage.target)
    with machine_lock(exclusive=False):  # others may measure between two variants
        build = workshop.build(recipe)
        patient = workshop.patient(recipe, deep=deep)
        outcome = patient.examine(recipe, build, deep=deep)
        return with_answers(patient, recipe, build, outcome, answers)


def _on_targets(
    found: tuple[Found, ...],
    targets: tuple[Target, ...],
    jail_name: str,
    answers: tuple[AnswerFile, ...],
    *,
    deep: bool,
    as_json: bool,
    all_: bool,
) -> int:
    """Check every package on every target; print a matrix for each, or records."""
    records: list[dict[str, Any]] = []
    verdicts: list[Verdict] = []
    _, compiler = target_configuration(targets[0]) if targets[0].is_native else (None, None)
    jail: Jail = jail_for(jail_name, *([compiler] if compiler else []))
    for one in found:
        if isinstance(one, BrokenPackage):
            raise UsageError(one.reason, one.cure)
        with machine_lock(exclusive=False):  # others may measure between two packages
            standings = _standings(one, targets, jail, answers, deep=deep)
        verdicts += [row.verdict for row in standings]
        records += [_record(one, row, jail) for row in standings]
        if not as_json:
            show_matrix(one, standings, show_all=all_)
    if as_json:
        click.echo(json.dumps(records, indent=1))
    code = exit_code(verdicts)
    return code if all_compared(records, answers) else code or EXIT_OPEN


def _standings(
    package: Package,
    targets: tuple[Target, ...],
    jail: Jail,
    answers: tuple[AnswerFile, ...],
    *,
    deep: bool,
) -> tuple[Standing, ...]:
    """Examine a package on all targets, several at a time; a line says how far it is."""
    rows = []
    with Bars() as bars, Threads(max(1, os.cpu_count() or 1)) as pool:
        bars.begin(package.selector, len(targets))
        examined = partial(stand, package, jail=jail, deep=deep, answers=answers)
        for row in pool.map(examined, targets):
            bars.advance(row.target.name)
            rows.append(row)
    return explained(rows)


def _record(package: Package, row: Standing, jail: Jail) -> dict[str, Any]:
    """Make the machine-readable record of one target."""
    if row.examination is None:
        return {"package": package.selector, "target": row.target.name, "passed": None,
                "skipped": row.skipped, "checks": []}  # fmt: skip
    confined = confinement(row.target, jail)
    made = record(package, 1, row.configuration, confined, row.examination, row.compiler)
    here = {"target": row.target.name, "misaligned": row.misaligned, "cause": row.cause}
    return {**made, **here, "verdict": row.verdict, "passed": not row.failed}
