# SPDX-License-Identifier: MIT
"""`assay vectors`: write a package's test vectors, or compare them with a file."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from io import TextIOWrapper
from itertools import product
from pathlib import Path
from typing import IO, Any

import click

from assay.check.depth import Extent
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.hash.trial import HashTrial
from assay.check.hash.vectors import produce as hash_produce
from assay.check.hash.vectors import verify as hash_verify
from assay.check.kinds import kind_of
from assay.check.stream.sizes import accepted_sizes
from assay.check.stream.vectors import produce as stream_produce
from assay.check.stream.vectors import verify as stream_verify
from assay.check.stream.vectors.verify import Coverage
from assay.cli import operation_vectors
from assay.cli.applies import HASH, OPERATION, option, refuse, situations_of
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import (
    answers_option,
    chosen_targets,
    conf_option,
    configuration,
    jail_for,
    jail_option,
    only_package,
    operation_configuration,
    packages_root,
    patience_option,
    reports_folder,
    repository_root,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.verdicts import show_checks
from assay.compile.recipe import Recipe
from assay.errors import AssayError, UsageError
from assay.execute.agent import Agent
from assay.execute.lock import machine_lock
from assay.model import (
    BrokenPackage,
    Build,
    HashSubject,
    Package,
    PackageKind,
    StreamSubject,
    Target,
    Verdict,
)
from assay.package.resolve import Trees, resolve
from assay.plan.choice import fitted
from assay.plan.cross import target_configuration
from assay.targets.fitting import unsuited
from assay.targets.installed import look_for
from assay.writing import named_file

Connect = Callable[[], Agent]

# What a package must pass to get vectors: the rules of calls, not those of digests or of size.
RULES = {
    "stream": ("api/", "state/", "agent/", "build/"),
    "hash": ("digest/length", "lengths/", "close/", "context/",
             "agent/", "build/"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class VectorsWanted:
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
        if packages[0].kind == PackageKind.OPERATION:
            output = _output_of_operation(self.output, self.answers, several=several)
            return replace(self, output=output)
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
@click.argument("package")
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
    help="Many more vectors.",
)
@option(
    "--variant",
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
    """Take the one package meant, or all if they are of operations."""
    packages = tuple(one for one in found if isinstance(one, Package))
    if len(packages) == len(found) > 1 and all(
        one.kind == PackageKind.OPERATION for one in packages
    ):
        return packages
    return (only_package(found),)


def _output_of_operation(
    output: str | None, answers: Sequence[Path], *, several: bool
) -> str | None:
    """State where checksums are written: to the terminal unless told otherwise."""
    if output not in (None, "-") and several:
        raise UsageError(
            "-o FILE needs one package, one target and one configuration", "Name one of each."
        )
    return "-" if not answers and output is None else output


def _recipe(package: Package, target: Target, variant: int, conf: str | None) -> Recipe | str:
    """Describe how the package is built for the target, or why it cannot be."""
    if target.is_native:
        reports = reports_folder(repository_root())
        usual = package.kind == PackageKind.OPERATION and not conf
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
    output, long = wanted.output, wanted.long
    workshop, build = workshop.patient(recipe), workshop.build(recipe)
    if recipe.package.kind == PackageKind.OPERATION:
        return _of_operation(workshop, recipe, build, wanted)
    if not _conforms(workshop, recipe, build):
        return EXIT_FAILED
    connect = workshop.connector(build)
    with connect() as agent:
        subject = kind_of(recipe.package).describe(agent)
    if isinstance(subject, HashSubject):
        with closing(HashTrial(recipe.package, subject, connect)) as trial:
            if wanted.answers:
                return _all(wanted.answers, partial(_verify_hash, trial))
            return _write(output, hash_produce.file_text(trial, long=long))
    if isinstance(subject, StreamSubject):
        if wanted.answers:
            return _all(wanted.answers, partial(_verify_stream, connect, subject))
        return _write(output, stream_produce.file_text(connect, subject, long=long))
    raise AssayError("a kind without vectors", "Report this.")


def _all(files: Sequence[Path], verify: Callable[[Path], int]) -> int:
    """Compare with every file, each under its name if there are several; the worst code."""
    codes = []
    for path in files:
        if len(files) > 1:
            click.echo(f"{path}:")
        codes.append(verify(path))
    return _gravest(codes)


def _of_operation(workshop: Workshop, recipe: Recipe, build: Build, wanted: VectorsWanted) -> int:
    """Compare with known answers, or write both checksums."""
    subject = operation_vectors.subject_of(workshop, recipe, build)
    if subject is None:
        return EXIT_FAILED
    if wanted.answers:
        one = partial(operation_vectors.verify_answers, workshop, build, subject)
        return _all(wanted.answers, one)
    lines = operation_vectors.checksum_lines(workshop, recipe, build, subject)
    if not lines:
        return EXIT_FAILED
    _write(wanted.output, (f"{line}\n" for line in lines))
    others = operation_vectors.differing(recipe, lines)
    for name in others:
        click.echo(f"error: {name} of the primitive says something else", err=True)
    return EXIT_FAILED if others else 0


def _conforms(workshop: Workshop, recipe: Recipe, build: Build) -> bool:
    """Run the checks of the API itself; print what failed."""
    outcome = workshop.examine(recipe, build, Extent(only=RULES[recipe.package.kind]))
    show_checks((c for c in outcome.checks if c.verdict is Verdict.FAIL), err=True)
    return outcome.passed


def _write(output: str | None, text: Iterator[str]) -> int:
    with _destination(output or "-") as to:
        for part in text:
            to.write(part)
    return 0


def _verify_hash(trial: HashTrial, path: Path) -> int:
    """Compare with a file and print, for every size, how much agreed, and the first difference."""
    outcomes = hash_verify.verify_file(trial, path)
    for one in outcomes:
        if not one.supported:
            click.echo(f"{one.out_bits}: the package writes no digest of this size")
            continue
        click.echo(f"{one.out_bits}: {one.agree} of {one.vectors} vectors agree")
        if one.difference:
            click.echo(f"  first difference: {one.difference}")
    compared = [one for one in outcomes if one.supported]
    if not compared:
        click.echo(f"error: {path} has no vectors for any size of the package", err=True)
    return EXIT_FAILED if not compared or any(one.difference for one in compared) else 0


def _verify_stream(connect: Connect, subject: StreamSubject, path: Path) -> int:
    """Compare with a file and print, for every size, how much agreed."""
    outcomes = stream_verify.verify_file(connect, subject, path)
    if not outcomes:
        click.echo(f"error: {path} has no vectors for any size of {subject.name}", err=True)
        return EXIT_FAILED
    for sizes, coverage in outcomes.items():
        click.echo(f"{sizes}: {_agreement(coverage)}")
    missing = [str(sizes) for sizes in accepted_sizes(subject) if sizes not in outcomes]
    failed = any(coverage.difference or not coverage.compared for coverage in outcomes.values())
    if missing and not failed:
        click.echo(f"not in the file: {', '.join(missing)}")
    return EXIT_FAILED if failed else 0


def _agreement(coverage: Coverage) -> str:
    says = f"{coverage.compared} vectors agree"
    if coverage.difference:
        says = f"differs: {coverage.difference}"
    elif coverage.not_in_file:
        says += f", {coverage.not_in_file} are not in the file"
    if coverage.only_in_file:
        says += f", {coverage.only_in_file} of the file belong to other sets"
    return says


@contextmanager
def _destination(name: str) -> Iterator[IO[str]]:
    """Write to the terminal, or to a file that appears only when it is complete."""
    if name == "-":
        yield sys.stdout
        return
    with named_file(Path(name)) as file, TextIOWrapper(file, "ascii", newline="\n") as to:
        yield to
