# SPDX-License-Identifier: MIT
"""`assay check`: whether packages conform, and are correct."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from assay.check.engine.build import nobody
from assay.check.engine.examine import open_engine
from assay.check.engine.verdict import Located, PackageVerdict, judged
from assay.check.engine.wanted import LongWanted, Wanted
from assay.cli.applies import (
    FOREIGN,
    HASH,
    OPERATION,
    STREAM,
    SUMMARY,
    option,
    refuse,
    situations_of,
)
from assay.cli.check_options import CheckOptions, Keeping, results_folder
from assay.cli.console import JSON, formats_option
from assay.cli.lines import showing
from assay.cli.main import EXIT_OPEN
from assay.cli.options import (
    answers_option,
    chosen_targets,
    complete_packages,
    conf_option,
    jail_for,
    jail_option,
    only_option,
    patience_option,
    sample_option,
    seed_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.outputs import FileContents, deliver, output_option
from assay.cli.verdicts import (
    FailuresAtOnce,
    Form,
    all_compared,
    exit_code,
    paragraphs,
    some_decided,
)
from assay.compile.recipe import Recipe
from assay.execute.jail import LIMITS, Jail, begin_trial
from assay.execute.patience import HURRIED_SECONDS
from assay.model import Compiler, Package, PackageKind, Target
from assay.package.discover import Found
from assay.plan.spread import Spread, TargetCells
from assay.report.formats.names import TERMINAL

if TYPE_CHECKING:
    from assay.report.ci.records import Harvest


@click.command(name="check")
@click.argument("packages", nargs=-1, metavar="PACKAGE...", shell_complete=complete_packages)
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
    refused=dict.fromkeys((STREAM, HASH), "`assay vectors PACKAGE --answers FILE` does it."),
)
@click.option(
    "--against",
    metavar="PACKAGE",
    help="Also compare outputs with another implementation of the same API, on random inputs.",
)
@click.option(
    "--deep",
    is_flag=True,
    help="Also run the slow checks (valgrind, sanitizers; about a minute).",
)
@only_option
@option(
    "--ct",
    is_flag=True,
    excludes=(
        *("conf", "sample", "answers", "against", "deep", "unhurried", "long", "all_configs"),
        *("show_all", "results", "watch", "outputs", "only"),
    ),
    help="Ask instead whether the time depends on secrets, as `assay ct` does without options.",
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
    help="With --all-configs: check only the N best configurations.",
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
@option(
    "--watch",
    refused={
        SUMMARY: "Name a few packages.",
        FOREIGN: "Leave out --target, or --watch.",
    },
    excludes=("results", "all_configs", "long"),
    is_flag=True,
    help="Check again after each save, with what failed last first, until Ctrl-C.",
)
@output_option()
@formats_option(JSON, columns=False)
def command(**given: Any) -> int:
    """Check whether packages conform to their API, and are correct.

    PACKAGE is a directory, or else a name below submissions/, benchmarks/ or compact/,
    or a pattern; or an operation, primitive or implementation of a SUPERCOP tree, such as
    crypto_hash, crypto_hash/sha256, crypto_hash/sha256/ref; or a tree with an assay.toml, of
    which TREE:SET/IMPLEMENTATION chooses some. With --tree alone it is all of the tree. With
    several targets a matrix shows which of them a package suits. Many packages end in a
    summary. With --against, a difference is shown with the smallest input that was found to
    differ. With --all-configs a failure names its configurations, and an interrupted command
    continues.
    Exit code 0: all pass; 1: something failed; 3: nothing failed, but something that
    decides a pass was not examined or compared, or all packages were skipped.
    """
    asked = CheckOptions(**given)
    if not (asked.packages or asked.trees):
        here = "`.` means the folder that you are in, and those below it."
        raise click.MissingParameter(here, param_hint="'PACKAGE...'", param_type="argument")
    if asked.ct:
        from assay.cli.ct import in_place_of_check  # noqa: PLC0415 - another command

        refuse()
        return in_place_of_check(asked)
    if asked.jail_name != LIMITS:
        begin_trial()
    targets = chosen_targets(asked.target_names, asked.targets_file)
    found = asked.found()
    many = asked.many(found)
    refuse(situations_of(found, targets) | ({SUMMARY: ""} if many else {}))
    if asked.watch:
        return _watch(asked, targets)
    wanted, spread = asked.wanted(found), asked.spread(targets)
    places = tuple((one, _places(spread, one)) for one in found)
    jail = _jail(asked, places, wanted)
    keeping = asked.keeping(many=many)
    with (
        _folder(asked, places, keeping, _question(asked, places, jail, wanted)) as folder,
        _long(asked, keeping) as long,
    ):
        wanted = replace(wanted, long=long)
        form = _form(asked, jail, folder, many=many)
        everything = _examine(places, wanted, (jail, folder), keeping, form)
    sources = _sources(asked, everything, (jail, folder), many=many)
    return _conclude(everything, wanted, form, sources)


def _conclude(
    everything: Sequence[PackageVerdict], wanted: Wanted, form: Form, sources: FileContents
) -> int:
    """Print and write what is said of all packages together; return the exit code."""
    form.end(everything)
    deliver(click.get_current_context().params["outputs"], sources)
    code = exit_code(verdict for one in everything for verdict in one.verdicts)
    outcomes = [outcome for one in everything for outcome in one.outcomes]
    whole = [all_compared(outcomes, wanted.answers), some_decided(everything, wanted.extent.only)]
    return code if all(whole) else code or EXIT_OPEN


def _watch(asked: CheckOptions, targets: tuple[Target, ...]) -> int:
    """Judge after each save, until Ctrl-C; return the exit code of the last verdict."""
    from assay.cli.watch import WatchedBench, watched  # noqa: PLC0415 - most end after a verdict

    with WatchedBench() as bench:

        def judge(found: Sequence[Found]) -> int:
            wanted, spread = asked.wanted(tuple(found)), asked.spread(targets)
            places = tuple((one, _places(spread, one)) for one in found)
            jail = _jail(asked, places, wanted)
            form = _form(asked, jail, Path(), many=False)
            everything = bench.judge(places, wanted, (jail, _only(places)), form)
            sources = _sources(asked, everything, (jail, Path()), many=False)
            return _conclude(everything, wanted, form, sources)

        return watched(asked.found, judge)


def _examine(
    places: Sequence[Located],
    wanted: Wanted,
    where: tuple[Jail, Path],
    keeping: Keeping,
    form: Form,
) -> tuple[PackageVerdict, ...]:
    """Examine all packages; few are shown as they are done, others when the bars are gone.

    The stream holds the machine's lock, and gives it up at once if showing fails.
    """
    only = None if wanted.long else _only(places)  # whoever hears how far it is, hears it here
    tell = FailuresAtOnce() if only and form.at_once else nobody
    done: list[PackageVerdict] = []
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
    for one in done if keeping is not Keeping.HARDLY else ():
        form.show(one)
    return tuple(done)


def _sum_up(done: Sequence[PackageVerdict], wanted: int, form: Form) -> None:
    """Print the summary of what an interrupted sweep has judged."""
    for one in done:
        form.show(one)
    form.end(done)
    click.echo(f"{len(done)} of {wanted} packages were judged", err=True)


def _places(spread: Spread, found: Found) -> tuple[TargetCells, ...]:
    return spread.places(found) if isinstance(found, Package) else ()


def _recipes(places: Sequence[Located]) -> list[Recipe]:
    return [one for _, each in places for place in each for one in place.recipes]


def _only(places: Sequence[Located]) -> PackageKind | None:
    """Return the kind of the package if one, in one configuration, on this machine is all."""
    recipes = _recipes(places)
    alone = len(recipes) == 1 and recipes[0].target.is_native
    return recipes[0].package.kind if alone else None


def _compilers(places: Sequence[Located]) -> Iterator[Compiler]:
    """Yield the compilers that run on packages, each once."""
    yield from {one.compiler.path: one.compiler for one in _recipes(places)}.values()


def _jail(asked: CheckOptions, places: Sequence[Located], wanted: Wanted) -> Jail:
    """Choose the jail; of many packages each is waited for less long, unless it is said how."""
    jail = jail_for(asked.jail_name, *_compilers(places))
    if wanted.extent.hurried and jail.patience_seconds is None:
        return replace(jail, patience_seconds=HURRIED_SECONDS)
    return jail


@contextmanager
def _folder(
    asked: CheckOptions, places: Sequence[Located], keeping: Keeping, question: Iterator[str]
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


def _question(
    asked: CheckOptions, places: Sequence[Located], jail: Jail, wanted: Wanted
) -> Iterator[str]:
    """Yield what the verdicts depend on, besides what the store looks at."""
    yield from (
        "deep" if asked.deep else "",
        "long" if asked.long else "",
        "hurried" if wanted.extent.hurried else "",
        jail.mode,
        str(bool(asked.target_names)),
        *wanted.extent.only,
    )
    yield from (path.read_bytes().hex() for path in asked.answers)
    for place, reference in wanted.against.items():
        yield f"{place} {reference.package.root} {reference.package.identity}"
    for found, each in places:
        yield str(found.root)
        yield from (repr(place.target) for place in each)
    yield from sorted({one.configuration.name for one in _recipes(places)})


@contextmanager
def _long(asked: CheckOptions, keeping: Keeping) -> Iterator[LongWanted | None]:
    """Lend what checks need that take hours, if they are asked for."""
    if not asked.long:
        yield None
        return
    from assay.cli.progress import long_wanted  # noqa: PLC0415 - bars take longer than a small package

    with long_wanted(alone=keeping is Keeping.HARDLY) as long:
        yield long


def _form(asked: CheckOptions, jail: Jail, folder: Path, *, many: bool) -> Form:
    """Choose how verdicts are shown."""
    if many:
        from assay.cli.sweep import summary_form  # noqa: PLC0415 - paragraphs do without tables

        return summary_form(folder, asked.form)
    if not asked.target_names and asked.form == TERMINAL:
        return paragraphs(show_all=asked.show_all, everywhere=asked.several_configs)
    from assay.cli.verdict_tables import table_form  # noqa: PLC0415

    matrix = bool(asked.target_names)
    return table_form(asked.form, jail, matrix=matrix, show_all=asked.show_all)


def _sources(
    asked: CheckOptions,
    everything: Sequence[PackageVerdict],
    where: tuple[Jail, Path],
    *,
    many: bool,
) -> FileContents:
    """Return what files of verdicts are made of."""
    jail, folder = where

    def text(form: str) -> Any:
        if many:
            from assay.cli.sweep import summary_text  # noqa: PLC0415 - most write no files

            return summary_text(everything, form, folder)
        from assay.cli.verdict_tables import verdicts_text  # noqa: PLC0415

        return verdicts_text(everything, form, jail, matrix=bool(asked.target_names))

    def harvest() -> "Harvest":
        from assay.campaign.gathering import checked  # noqa: PLC0415

        return checked(everything, jail)

    return FileContents(text, harvest)
