# SPDX-License-Identifier: MIT
"""`assay vectors`: write a package's test vectors, or compare them with a file."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from assay.build.recipe import Recipe
from assay.campaign.choice import fitted
from assay.campaign.workshop import Workshop, open_workshop
from assay.cli.check import show_checks
from assay.cli.main import EXIT_FAILED
from assay.cli.options import (
    conf_option,
    configuration,
    jail_for,
    jail_option,
    only_package,
)
from assay.cli.root import reports_folder, repository_root
from assay.errors import UsageError
from assay.execute.lock import machine_lock
from assay.model import Build, Package, StreamSubject, Verdict
from assay.package.resolve import resolve
from assay.suite.stream.session import describe
from assay.suite.stream.sizes import accepted_sizes
from assay.suite.stream.vectors.produce import file_text
from assay.suite.stream.vectors.verify import verify_file


@click.command(name="vectors")
@click.argument("package")
@click.option("-o", "--output", metavar="FILE", help="Write the vectors there (- : terminal).")
@click.option("--verify", metavar="FILE", help="Compare with this file instead of writing.")
@click.option("--long", is_flag=True, help="Every vector instead of every ninth.")
@click.option("--variant", type=click.IntRange(1), default=1, show_default=True)
@conf_option
@jail_option
def command(
    package: str,
    output: str | None,
    verify: str | None,
    long: bool,
    variant: int,
    conf: str | None,
    jail_name: str,
) -> int:
    """Write the test vectors of PACKAGE, for every accepted size, or verify a file of them.

    As in the original framework, a package that does not conform to its API gets
    no vectors.
    """
    if (output is None) == (verify is None):
        raise UsageError("either -o FILE or --verify FILE is needed", "See assay vectors --help.")
    root = repository_root()
    subject_of = only_package(resolve((package,), root))
    chosen, compiler = configuration(reports_folder(root), conf)
    jail = jail_for(jail_name, compiler)
    with machine_lock(exclusive=False), open_workshop(jail) as workshop:
        build = workshop.build(Recipe(subject_of, variant, fitted(chosen, subject_of), compiler))
        if not _conforms(workshop, subject_of, build):
            return EXIT_FAILED
        connect = workshop.connector(build)
        with connect() as agent:
            subject = describe(agent)
        if verify is not None:
            return _verify(workshop, build, subject, Path(verify))
        with _destination(output or "-") as to:
            for part in file_text(connect, subject, long=long):
                to.write(part)
    return 0


def _conforms(workshop: Workshop, package: Package, build: Build) -> bool:
    """Run the checks of the API itself; print what failed."""
    outcome = workshop.examine(package, build, only=("api/", "state/", "agent/", "build/"))
    show_checks((c for c in outcome.checks if c.verdict is Verdict.FAIL), err=True)
    return outcome.passed


def _verify(workshop: Workshop, build: Build, subject: StreamSubject, path: Path) -> int:
    """Compare with a file and print, for every size, how much agreed."""
    outcomes = verify_file(workshop.connector(build), subject, path)
    if not outcomes:
        click.echo(f"error: {path} has no vectors for any size of {subject.name}", err=True)
        return EXIT_FAILED
    for sizes, coverage in outcomes.items():
        says = f"{coverage.compared} vectors agree"
        if coverage.difference:
            says = f"differs: {coverage.difference}"
        elif coverage.not_in_file:
            says += f", {coverage.not_in_file} are not in the file"
        if coverage.only_in_file:
            says += f", {coverage.only_in_file} of the file belong to other sets"
        click.echo(f"{sizes}: {says}")
    missing = [str(sizes) for sizes in accepted_sizes(subject) if sizes not in outcomes]
    failed = any(coverage.difference or not coverage.compared for coverage in outcomes.values())
    if missing and not failed:
        click.echo(f"not in the file: {', '.join(missing)}")
    return EXIT_FAILED if failed else 0


@contextmanager
def _destination(name: str) -> Iterator[IO[str]]:
    """Write to the terminal, or to a file that appears only when it is complete."""
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    descriptor, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii", newline="\n") as to:
            yield to
        Path(partial).chmod(0o644)
        Path(partial).replace(path)
    finally:
        Path(partial).unlink(missing_ok=True)
