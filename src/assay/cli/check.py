# SPDX-License-Identifier: MIT
"""`assay check`: whether packages conform, and are correct."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.check.depth import Depth, Extent
from assay.check.engine.build import nobody
from assay.check.engine.examine import open_engine
from assay.check.engine.verdict import Judged, Located, judged
from assay.check.engine.wanted import LongWanted, Wanted
from assay.cli.against import references
from assay.cli.applies import (
    FOREIGN,
    HASH,
    MANY,
    OPERATION,
    STREAM,
    SUMMARY,
    option,
    refuse,
    situations_of,
)
from assay.cli.console import JSON, formats_option
from assay.cli.kept import Keeping, results_folder
from assay.cli.lines import showing
from assay.cli.main import EXIT_OPEN
from assay.cli.options import (
    answers_option,
    chosen_targets,
    conf_option,
    jail_for,
    jail_option,
    packages_root,
    patience_option,
    reports_folder,
    repository_root,
    sample_option,
    seed_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.verdicts import FailuresAtOnce, Form, all_compared, exit_code, paragraphs
from assay.execute.jail import LIMITS, Jail, begin_trial
from assay.execute.patience import HURRIED_SECONDS
from assay.model import Compiler, Package, PackageKind, Target
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.package.supercop.outside import UNKNOWN
from assay.plan.spread import ConfigurationChoice, Spread, TargetCells
from assay.report.formats.names import TERMINAL

if TYPE_CHECKING:
    from assay.check.answers.records import AnswerFile


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for, as on the command line."""

    packages: tuple[str, ...]
    conf: tuple[str, ...]
    target_names: tuple[str, ...]
    targets_file: str | None
    jail_name: str
    trees: tuple[Path, ...]
    sample: int | None
    seed: int
    answers: tuple[Path, ...]
    deep: bool
    unhurried: bool
    long: bool
    all_configs: bool
    best: int | None
    show_all: bool
    form: str
    against: str | None
    results: Path | None

    @property
    def several_configs(self) -> bool:
        """Return whether more than one configuration may be examined."""
        return self.all_configs or len(set(self.conf)) > 1

    def found(self) -> tuple[Found, ...]:
        """Find the packages that are meant."""
        return resolve(self.packages, packages_root(), trees=self.wanted_trees)

    @property
    def wanted_trees(self) -> Trees:
        """Return the trees that names are looked up in."""
        return Trees(self.trees, self.sample, self.seed)

    def many(self, found: tuple[Found, ...]) -> bool:
        """Return whether verdicts on so many packages end in a summary."""
        operations = all(one.place.startswith(("crypto_", f"{UNKNOWN}/")) for one in found)
        alone = not self.target_names and not self.several_configs
        return alone and operations and bool(len(found) > MANY or self.sample)

    def hurried(self, found: tuple[Found, ...]) -> bool:
        """Return whether slow code is asked less, as one of many packages."""
        return self.many(found) and not (self.deep or self.unhurried)

    def wanted(self, found: tuple[Found, ...]) -> Wanted:
        """Read what cells are examined for."""
        against = references(self.against, found, self.wanted_trees)
        depth = Depth.LONG if self.long else Depth.DEEP if self.deep else Depth.FULL
        return Wanted(
            Extent(depth, hurried=self.hurried(found)),
            self._answers(),
            portability=bool(self.target_names),
            outputs=self.several_configs or bool(self.target_names),
            against=against,
        )

    def _answers(self) -> "tuple[AnswerFile, ...]":
        """Read the files of known answers that the user named."""
        if not self.answers:
            return ()
        from assay.check.answers.read import (  # noqa: PLC0415 - for operations alone
            read_answers,
        )

        return tuple(map(read_answers, self.answers))

    def spread(self, targets: tuple[Target, ...]) -> Spread:
        """Return where packages are examined."""
        reports = reports_folder(repository_root())
        return Spread(
            targets, ConfigurationChoice(reports, self.conf, self.all_configs, self.best)
        )


@click.command(name="check")
@click.argument("packages", nargs=-1, metavar="PACKAGE...")
@conf_option(excludes=("all_configs",))
@target_option()
@targets_file_option()
@jail_option
@patience_option
@tree_option(some=(OPERATION,))
@sample_option
@seed_option
@answers_option(
    "Operations: also compare with known answers (docs/reference/known-answers.md); repeatable.",
    "--kat",
    refused=dict.fromkeys(
        (STREAM, HASH), "`assay vectors PACKAGE --answers FILE` compares others."
    ),
)
@click.option(
    "--against",
    metavar="PACKAGE",
    help="Also compare outputs with another implementation of the same API, on random inputs.",
)
@click.option(
    "--deep",
    is_flag=True,
    help=("Also run the slow checks (valgrind, sanitizers; about a minute)."),
)
@option(
    "--unhurried",
    some=(OPERATION,),
    excludes=("deep",),
    is_flag=True,
    help=(
        "Ask each of many packages all that one alone is asked, however slow its code is, and "
        "wait for its answers as long."
    ),
)
@option(
    "--long",
    refused={
        FOREIGN: "A stream of 2^32 blocks is made on this machine alone.",
        SUMMARY: "Name a few packages: each takes minutes to hours.",
    },
    some=(STREAM,),
    needs="deep",
    is_flag=True,
    help=(
        "With --deep: also make keystreams of more than 2^32 blocks (minutes to hours); an "
        "interrupted command continues."
    ),
)
@click.option(
    "--all-configs",
    is_flag=True,
    help="Check every configuration that `assay run` would use; identical object code once.",
)
@option(
    "--best",
    needs="all_configs",
    type=click.IntRange(1),
    metavar="N",
    help="With --all-configs: only the N best configurations.",
)
@option(
    "--all",
    "show_all",
    refused={SUMMARY: "Leave it out: the summary names packages to look at with --all."},
    is_flag=True,
    help="Also show the checks that passed.",
)
@click.option(
    "--results",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the verdicts in a results folder, for reports, sites and bundles.",
)
@formats_option(JSON, columns=False)
def command(**given: Any) -> int:
    """Check whether packages conform to their API, and are correct.

    PACKAGE is a directory, or else a name below submissions/, benchmarks/ or compact/,
    or a pattern; or an operation, primitive or implementation of a SUPERCOP tree, such as
    crypto_hash, crypto_hash/sha256, crypto_hash/sha256/ref; or a tree with an assay.toml, of
    which TREE:SET/IMPLEMENTATION chooses some. With --tree alone it is all of the tree. With
    several targets a
    matrix shows which of them a package suits. Many packages of a tree end in a summary.
    With --against, a difference is shown with the smallest input that was found to differ.
    With --all-configs a failure names its configurations, and an interrupted command continues.
    Exit code 0: all pass; 1: something failed; 3: nothing failed, but something that
    decides a pass was not examined or compared, or all packages were skipped.
    """
    asked = Asked(**given)
    if not (asked.packages or asked.trees):
        raise click.MissingParameter(param_hint="'PACKAGE...'", param_type="argument")
    if asked.jail_name != LIMITS:
        begin_trial()
    targets = chosen_targets(asked.target_names, asked.targets_file)
    found = asked.found()
    many = asked.many(found)
    refuse(situations_of(found, targets) | ({SUMMARY: ""} if many else {}))
    wanted, spread = asked.wanted(found), asked.spread(targets)
    places = tuple((one, _places(spread, one)) for one in found)
    jail = _jail(asked, places, wanted)
    keeping = _keeping(asked, many=many)
    with (
        _folder(asked, places, keeping, _question(asked, places, jail, wanted)) as folder,
        _long(asked, keeping) as long,
    ):
        wanted = replace(wanted, long=long)
        form = _form(asked, jail, folder, many=many)
        everything = _examine(places, wanted, (jail, folder), keeping, form)
    form.end(everything)
    code = exit_code(verdict for one in everything for verdict in one.verdicts)
    outcomes = [outcome for one in everything for outcome in one.outcomes]
    return code if all_compared(outcomes, wanted.answers) else code or EXIT_OPEN


def _examine(
    places: Sequence[Located],
    wanted: Wanted,
    where: tuple[Jail, Path],
    keeping: Keeping,
    form: Form,
) -> tuple[Judged, ...]:
    """Examine all packages; few are shown as they are done, others when the bars are gone.

    The stream holds the machine's lock, and gives it up at once if showing fails.
    """
    only = None if wanted.long else _only(places)  # whoever hears how far it is, hears it here
    tell = FailuresAtOnce() if only and form.at_once else nobody
    done: list[Judged] = []
    try:
        with (
            showing(brief=keeping is Keeping.HARDLY) as progress,
            open_engine(
                *where, progress, only=only, lasting=keeping is not Keeping.HARDLY, tell=tell
            ) as engine,
            closing(judged(engine, places, wanted)) as stream,
        ):
            for one in stream:
                if keeping is Keeping.HARDLY:
                    form.show(one)
                done.append(one)
    except KeyboardInterrupt:
        if keeping is Keeping.FOR_GOOD:
            _sum_up(done, len(places), form)
        raise
    if keeping is not Keeping.HARDLY:
        _show(done, form)
    return tuple(done)


def _show(done: Sequence[Judged], form: Form) -> None:
    for one in done:
        form.show(one)


def _sum_up(done: Sequence[Judged], wanted: int, form: Form) -> None:
    """Print the summary of what an interrupted sweep has judged."""
    _show(done, form)
    form.end(done)
    click.echo(f"{len(done)} of {wanted} packages were judged", err=True)


def _places(spread: Spread, found: Found) -> tuple[TargetCells, ...]:
    return spread.places(found) if isinstance(found, Package) else ()


def _only(places: Sequence[Located]) -> PackageKind | None:
    """Return the kind of the package if one, in one configuration, on this machine is all."""
    recipes = [one for _, each in places for place in each for one in place.recipes]
    alone = len(recipes) == 1 and recipes[0].target.is_native
    return recipes[0].package.kind if alone else None


def _compilers(places: Sequence[Located]) -> Iterator[Compiler]:
    """Yield the compilers that run on packages, each once."""
    recipes = (one for _, each in places for place in each for one in place.recipes)
    yield from {one.compiler.path: one.compiler for one in recipes}.values()


def _jail(asked: Asked, places: Sequence[Located], wanted: Wanted) -> Jail:
    """Choose the jail; of many packages each is waited for less long, unless it is said how."""
    jail = jail_for(asked.jail_name, *_compilers(places))
    if wanted.extent.hurried and jail.patience_seconds is None:
        return replace(jail, patience_seconds=HURRIED_SECONDS)
    return jail


@contextmanager
def _folder(
    asked: Asked, places: Sequence[Located], keeping: Keeping, question: Iterator[str]
) -> Iterator[Path]:
    """Lend the folder of the results: the user's, or one for as long as they are of use."""
    if asked.results is None:
        with results_folder(keeping, question) as folder:
            yield folder
        return
    from assay.campaign.judging import judging_in  # noqa: PLC0415 - most keep nothing

    found = [one for one, _ in places]
    with (
        showing(brief=True) as progress,
        judging_in(asked.results, found, _compilers(places), tuple(sys.argv[1:]), progress),
    ):
        yield asked.results


def _keeping(asked: Asked, *, many: bool) -> Keeping:
    if many or asked.results is not None:
        return Keeping.FOR_GOOD
    return Keeping.UNTIL_DONE if asked.several_configs or asked.target_names else Keeping.HARDLY


def _question(
    asked: Asked, places: Sequence[Located], jail: Jail, wanted: Wanted
) -> Iterator[str]:
    """Yield what the verdicts depend on, besides what the store looks at."""
    yield from (
        "deep" if asked.deep else "",
        "long" if asked.long else "",
        "hurried" if wanted.extent.hurried else "",
        jail.mode,
        str(bool(asked.target_names)),
    )
    yield from (path.read_bytes().hex() for path in asked.answers)
    for place, reference in wanted.against.items():
        yield f"{place} {reference.package.root} {reference.package.identity}"
    for found, each in places:
        yield str(found.root)
        yield from (repr(place.target) for place in each)
    names = (one.configuration.name for _, each in places for p in each for one in p.recipes)
    yield from sorted(set(names))


@contextmanager
def _long(asked: Asked, keeping: Keeping) -> Iterator[LongWanted | None]:
    """Lend what checks need that take hours, if they are asked for."""
    if not asked.long:
        yield None
        return
    from assay.cli.progress import long_wanted  # noqa: PLC0415 - bars take longer than a small package

    with long_wanted(alone=keeping is Keeping.HARDLY) as long:
        yield long


def _form(asked: Asked, jail: Jail, folder: Path, *, many: bool) -> Form:
    """Choose how verdicts are shown."""
    if many:
        from assay.cli.sweep import summary_form  # noqa: PLC0415 - paragraphs do without tables

        return summary_form(folder, asked.form)
    if not asked.target_names and asked.form == TERMINAL:
        return paragraphs(show_all=asked.show_all, everywhere=asked.several_configs)
    from assay.cli.verdict_tables import table_form  # noqa: PLC0415

    matrix = bool(asked.target_names)
    return table_form(asked.form, jail, matrix=matrix, show_all=asked.show_all)
