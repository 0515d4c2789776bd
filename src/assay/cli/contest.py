# SPDX-License-Identifier: MIT
"""`assay run` on packages of the SUPERCOP API."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import click

from assay.campaign.operations import OperationPlan, run_operations
from assay.campaign.run import Outcome, agents_folder
from assay.check.engine.workshop import open_workshop
from assay.cli.options import jail_for
from assay.cli.progress import Bars
from assay.errors import UsageError
from assay.execute.processor import measuring_cpu
from assay.model import BrokenPackage, Compiler, Configuration, Package
from assay.store import Store
from assay.store.alone import working_alone
from assay.targets.catalogue import native
from assay.toolchain.ebacs import ebacs_configurations


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for: configurations by name, or the N best; how much is measured."""

    names: tuple[str, ...]
    best: int | None
    launches: int
    samples: int
    curve: bool
    everything: bool
    accept: tuple[str, ...] = ()


def run_contest(
    found: Sequence[Package | BrokenPackage],
    folder: Path,
    wanted: Wanted,
    jail_name: str,
) -> Outcome:
    """Hold the contests of all primitives in `found`; results go to `folder`."""
    configurations, compilers = contest_configurations(wanted)
    plan = OperationPlan(
        packages=tuple(one for one in found if isinstance(one, Package)),
        configurations=configurations,
        compilers=compilers,
        target=native(),
        launches=wanted.launches,
        samples=wanted.samples,
        curve=wanted.curve,
        everything=wanted.everything,
        accept=wanted.accept,
        workers=max(1, os.cpu_count() or 1),
    )
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    jail = jail_for(jail_name, *compilers.values())
    folder.mkdir(parents=True, exist_ok=True)
    with (
        Store.create(folder) as store,
        working_alone(folder),
        open_workshop(jail, agents_folder(folder), measuring_cpu()) as workshop,
        Bars() as bars,
    ):
        outcome = run_operations(workshop, store, plan, broken, tuple(sys.argv[1:]), bars)
    click.echo(f"{outcome.cells} cells in {folder}, {outcome.failed} failed{open_text(outcome)}.")
    for operation in dict.fromkeys(one.place.split("/", maxsplit=1)[0] for one in found):
        click.echo(f"`assay show {operation} --results {quote(str(folder))}` prints the table.")
    return outcome


def open_text(outcome: Outcome) -> str:
    """Return how many cells failed nothing and did not pass."""
    if not outcome.open:
        return ""
    return f", {outcome.open} open (not examined, or correctness not compared)"


def contest_configurations(
    wanted: Wanted,
) -> tuple[tuple[Configuration, ...], dict[str, Compiler]]:
    """Return the configurations asked for; UsageError for a name that there is not."""
    configurations, compilers = ebacs_configurations()
    if wanted.names:
        known = {one.name: one for one in configurations}
        unknown = [name for name in wanted.names if name not in known]
        if unknown:
            raise UsageError(
                f"there is no configuration {unknown[0]!r} for packages of this API",
                f"There are {', '.join(known)}.",
            )
        configurations = tuple(known[name] for name in wanted.names)
    return configurations[: wanted.best], compilers
