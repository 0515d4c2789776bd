# SPDX-License-Identifier: MIT
"""`assay check --all-configs`: every configuration that `assay run` would take."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from assay.check.engine.everywhere import Everywhere, check_everywhere
from assay.check.engine.workshop import Examination, open_workshop
from assay.cli.options import jail_for
from assay.cli.progress import Bars
from assay.cli.root import reports_folder
from assay.cli.verdicts import exit_code, record, show_everywhere, show_examination
from assay.compile.recipe import Recipe
from assay.execute.jail import Jail
from assay.machine.cache import cache_folder
from assay.model import BrokenPackage, CheckResult, Compiler, Configuration, Package, Verdict
from assay.package.discover import Found
from assay.plan.choice import compilers_of, listed_configurations
from assay.store import Store
from assay.store.alone import working_alone
from assay.toolchain.ebacs import ebacs_configurations

OPERATION = "operation"
Configurations = tuple[tuple[Configuration, ...], dict[str, Compiler]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the user wants it: deep or not, the N best or all, and how it is shown."""

    deep: bool
    best: int | None
    show_all: bool
    as_json: bool


def check_all_configurations(
    found: Sequence[Found], root: Path | None, jail_name: str, wanted: Wanted
) -> int:
    """Check all of them in all their configurations, print what came of it, give the exit code.

    What was done is kept until all is done: an interrupted command goes on where it was.
    """
    recipes, compilers = _recipes(found, root, wanted.best)
    jail = jail_for(jail_name, *compilers)
    folder = _folder(found, jail, deep=wanted.deep)
    with (
        Store.create(folder) as store,
        working_alone(folder),
        open_workshop(jail) as workshop,
        Bars() as bars,
    ):
        workers = max(1, os.cpu_count() or 1)
        done = check_everywhere(workshop, store, recipes, workers, bars, deep=wanted.deep)
        confinement = workshop.stage.confinement
    shutil.rmtree(folder, ignore_errors=True)
    broken = {one: _unloadable(one) for one in found if isinstance(one, BrokenPackage)}
    if wanted.as_json:
        releases = {one.command: one.release for one in compilers}
        click.echo(json.dumps([*_records(done, broken, confinement, releases)], indent=1))
    else:
        for one, outcome in broken.items():
            show_examination(one, 1, outcome, show_all=wanted.show_all)
        for each in done:
            show_everywhere(each, show_all=wanted.show_all)
    return exit_code([*(Verdict.FAIL for _ in broken), *(each.verdict for each in done)])


def _recipes(
    found: Sequence[Found], root: Path | None, best: int | None
) -> tuple[tuple[Recipe, ...], tuple[Compiler, ...]]:
    """Return the recipes of all that can be built, and the compilers that they need."""
    lists: dict[bool, Configurations] = {}
    recipes = []
    for package in (one for one in found if isinstance(one, Package)):
        operation = package.kind == OPERATION
        if operation not in lists:
            lists[operation] = _configurations(root, best, operation=operation)
        chosen, compilers = lists[operation]
        recipes += [
            Recipe(package, variant, one, compilers[one.command])
            for variant in range(1, package.variants + 1)
            for one in chosen
        ]
    return tuple(recipes), tuple({one.compiler.command: one.compiler for one in recipes}.values())


def _configurations(root: Path | None, best: int | None, *, operation: bool) -> Configurations:
    """Return the configurations that `assay run` takes for packages of this sort."""
    if operation:
        listed, compilers = ebacs_configurations()
        return listed[:best], compilers
    chosen = listed_configurations(reports_folder(root), (), shortlist_only=False)[:best]
    return chosen, compilers_of(chosen)


def _folder(found: Sequence[Found], jail: Jail, *, deep: bool) -> Path:
    """Name where verdicts are kept on the way: the same question goes on in the same folder."""
    key = "\0".join(["deep" if deep else "", jail.mode, *(str(one.root) for one in found)])
    folder = cache_folder() / "everywhere" / hashlib.sha256(key.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _unloadable(broken: BrokenPackage) -> Examination:
    failed = CheckResult("package/loads", Verdict.FAIL, broken.reason, broken.cure)
    return Examination(None, (failed,))


def _records(
    done: Sequence[Everywhere],
    broken: dict[BrokenPackage, Examination],
    confinement: str,
    releases: dict[str, str],
) -> Iterator[dict[str, Any]]:
    """Make a record for each configuration, as `check` does, with a digest of its code."""
    for one, outcome in broken.items():
        yield record(one, 1, "", confinement, outcome)
    for each in done:
        for row in each.rows:
            name, release = row.configuration.name, releases[row.configuration.command]
            made = record(each.package, each.variant, name, confinement, row.outcome, release)
            yield {**made, "object_hash": row.code}
