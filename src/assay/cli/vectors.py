# SPDX-License-Identifier: MIT
"""`assay vectors`: write a package's test vectors, or compare them with a file."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from itertools import product
from pathlib import Path
from typing import IO, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.roots import packages_root, reports_folder, repository_root
from assay.check.depth import Extent
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.kinds import FileVerdict, UnfitForVectors, kind_of
from assay.cli.applies import HASH, OPERATION, option, refuse, situations_of
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import (
    answers_option,
    chosen_targets,
    complete_packages,
    conf_option,
    configuration,
    jail_for,
    jail_option,
    only_package,
    operation_configuration,
    patience_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.verdicts import show_checks
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.execute.lock import machine_lock
from assay.model import (
    BrokenPackage,
    Build,
    Package,
    Subject,
    Target,
    Verdict,
)
from assay.package.resolve import Trees, resolve
from assay.plan.choice import fitted, target_configuration
from assay.report.printable import printable
from assay.targets.catalogue import look_for, unsuited
from assay.writing import named_file

KEPT_CHARACTERS = 1 << 10  # of a text that is compared with the primitive's own files


class VectorsWanted(Struct, frozen=True):
    """What the user asked for, as on the command line."""

    package: str
    output: str | None
    answers: tuple[Path, ...]
    long: bool
    variant: int
    conf: tuple[str, ...]
    target_names: tuple[str, ...]
    targets_file: str | None
    jail_name: str
    trees: tuple[Path, ...]

    @property
    def configurations(self) -> tuple[str | None, ...]:
        """Name each configuration once; None for the default."""
        return tuple(dict.fromkeys(self.conf)) or (None,)

    def to(self, packages: Sequence[Package], targets: Sequence[Target]) -> "VectorsWanted":
        """Return the same with the file to write, if one is; UsageError if that is not clear."""
        several = len(targets) * len(packages) * len(self.configurations) > 1
        if kind_of(packages[0]).vectors.brief:
            return replace(
                self, output=_output_of_brief(self.output, self.answers, several=several)
            )
        if (self.output is None) == (not self.answers):
            raise UsageError(
                "either -o FILE or --answers FILE is needed", "See assay vectors --help."
            )
        if self.output is not None and several:
            raise UsageError(
                "-o FILE needs one target and one configuration",
                "Name one of each, or verify a file on all.",
            )
        return self


@click.command(name="vectors")
@click.argument("package", shell_complete=complete_packages)
@option("-o", "--output", excludes=("answers",), metavar="FILE",
        help="Write the vectors there (- : terminal).")  # fmt: skip
@answers_option(
    "Compare with this file of vectors or known answers instead of writing; repeatable.",
    "--verify",
)
@option(
    "--long",
    refused={OPERATION: "Leave it out: packages of the SUPERCOP API have no long vectors."},
    excludes=("answers",),
    is_flag=True,
    help="Write many more vectors.",
)
@option(
    "--variant",
    help="The variant of the package to write vectors of.",
    refused={
        HASH: "Leave it out: a compact hash has no variants.",
        OPERATION: "Leave it out: packages of operations have no variants.",
    },
    type=click.IntRange(1),
    default=1,
    show_default=True,
)
@conf_option()
@target_option()
@targets_file_option()
@jail_option
@patience_option
@tree_option(some=(OPERATION,))
def command(**given: Any) -> int:
    """Write the test vectors of PACKAGE, for every accepted size, or verify a file of them.

    As in the original framework, a package that does not conform to its API gets
    no vectors. A file can be verified on several targets; one target makes one.
    For hashes a file of known answers with Len, Msg and MD lines will do, too.

    Packages of operations (crypto_hash/sha256/ref) have checksums instead: without
    --answers both are written, and --answers takes files of known answers of NIST, ACVP
    and Wycheproof (docs/reference/known-answers.md).
    """
    wanted = VectorsWanted(**given)
    targets = chosen_targets(wanted.target_names, wanted.targets_file)
    found = resolve((wanted.package,), packages_root(), trees=Trees(wanted.trees))
    packages = _packages(found)
    refuse(situations_of(packages, targets))
    if wanted.variant > packages[0].variants:
        raise UsageError(
            f"{packages[0].selector} has no variant {wanted.variant}",
            f"It has {packages[0].variants}.",
        )
    wanted = wanted.to(packages, targets)
    codes = []
    for target, one, conf in product(targets, packages, wanted.configurations):
        names = [target.name] * (len(targets) > 1) + [one.selector] * (len(packages) > 1)
        names += [conf] if conf and len(wanted.configurations) > 1 else []
        code = _at(one, target, conf, wanted, ", ".join(names))
        codes += [] if code is None else [code]
    return _gravest(codes)


def _gravest(codes: Sequence[int]) -> int:
    """Return the worst exit code; a failure if nothing was done."""
    return next((one for one in (EXIT_FAILED, EXIT_OPEN, 0) if one in codes), EXIT_FAILED)


def _at(
    package: Package, target: Target, conf: str | None, wanted: VectorsWanted, title: str
) -> int | None:
    """Write or verify the vectors of a package on a target; None if it is skipped there."""
    recipe = _recipe(package, target, wanted.variant, conf)
    if isinstance(recipe, str):
        click.echo(f"{title or target.name}: skipped, {recipe}")
        return None
    if title:
        click.echo(f"{title}:")
    jail = jail_for(wanted.jail_name, recipe.compiler)
    with machine_lock(exclusive=False), open_workshop(jail, target=target) as workshop:
        return _on_target(workshop, recipe, wanted)


def _packages(found: tuple[Package | BrokenPackage, ...]) -> tuple[Package, ...]:
    """Take the one package meant, or all if they are from trees of many."""
    packages = tuple(one for one in found if isinstance(one, Package))
    if len(packages) == len(found) > 1 and all(one.kind.rules.trees for one in packages):
        return packages
    return (only_package(found),)


def _output_of_brief(output: str | None, answers: Sequence[Path], *, several: bool) -> str | None:
    """State where a few lines are written: to the terminal unless told otherwise."""
    if output not in (None, "-") and several:
        raise UsageError(
            "-o FILE needs one package, one target and one configuration", "Name one of each."
        )
    return "-" if not answers and output is None else output


def _recipe(package: Package, target: Target, variant: int, conf: str | None) -> Recipe | str:
    """Describe how the package is built for the target, or why it cannot be."""
    if target.is_native:
        reports = reports_folder(repository_root())
        usual = package.kind.rules.listed and not conf
        chosen, compiler = operation_configuration() if usual else configuration(reports, conf)
        return Recipe(package, variant, fitted(chosen, package), compiler, target)
    installed = look_for(target)
    if not installed.ok:
        return f"{installed.reason} ({installed.cure})"
    if reason := unsuited(package, target):
        return reason
    return Recipe(package, variant, *target_configuration(target), target)


def _on_target(workshop: Workshop, recipe: Recipe, wanted: VectorsWanted) -> int:
    """Write or verify the vectors on one target."""
    workshop, build = workshop.patient(recipe), workshop.build(recipe)
    package, vectors = recipe.package, kind_of(recipe.package).vectors
    subject = _conforming(workshop, recipe, build)
    if subject is None:
        return EXIT_FAILED
    connect = workshop.connector(build)
    if wanted.answers:
        return _all(wanted.answers, partial(vectors.compare, package, subject, connect))
    try:
        text = _write(wanted.output, vectors.text(package, subject, connect, wanted.long))
    except UnfitForVectors as unfit:
        show_checks(unfit.checks, err=True)
        return EXIT_FAILED
    others = vectors.differing(package, text)
    for name in others:
        click.echo(f"error: {name} of the primitive says something else", err=True)
    return EXIT_FAILED if others else 0


def _all(files: Sequence[Path], compare: Callable[[Path], FileVerdict]) -> int:
    """Compare with every file, each under its name if there are several; the worst code."""
    codes = []
    for path in files:
        if len(files) > 1:
            click.echo(f"{path}:")
        found = compare(path)
        for line in "\n".join(found.lines).split("\n") if found.lines else ():
            click.echo(printable(line))
        if found.error:
            click.echo(f"error: {found.error}", err=True)
        codes.append({Verdict.FAIL: EXIT_FAILED, Verdict.OPEN: EXIT_OPEN}.get(found.verdict, 0))
    return _gravest(codes)


def _conforming(workshop: Workshop, recipe: Recipe, build: Build) -> Subject | None:
    """Run the checks of the API itself; print what failed, or why nothing could."""
    rules = kind_of(recipe.package).vectors.rules
    outcome = workshop.examine(recipe, build, Extent(only=rules))
    if outcome.passed and outcome.subject and outcome.verdict is not Verdict.SKIPPED:
        return outcome.subject
    failed = [one for one in outcome.checks if one.verdict is Verdict.FAIL]
    show_checks(failed or outcome.checks, err=True)
    return None


def _write(output: str | None, text: Iterator[str]) -> str:
    """Write a text, and return the beginning of it."""
    kept = ""
    with _destination(output or "-") as to:
        for part in text:
            to.write(part)
            kept += part if len(kept) < KEPT_CHARACTERS else ""
    return kept


@contextmanager
def _destination(name: str) -> Iterator[IO[str]]:
    """Write to the terminal, or to a file that appears only when it is complete."""
    if name == "-":
        yield sys.stdout
        return
    with named_file(Path(name)) as file, TextIOWrapper(file, "ascii", newline="\n") as to:
        yield to
