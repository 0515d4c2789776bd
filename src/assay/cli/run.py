# SPDX-License-Identifier: MIT
"""`assay run`: build, check and measure packages over the configurations."""

import sys
from collections.abc import Container, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import click
from msgspec.structs import replace

from assay.campaign.gathering import measured
from assay.campaign.planning import (
    ALL_SIZES,
    LAUNCHES,
    RACE_FROM,
    RunOptions,
    contest_plan,
    counted_contest,
    left_out,
    open_text,
    plan_for,
    run_plan,
)
from assay.campaign.roots import packages_root, reports_folder, repository_root
from assay.campaign.run import Outcome
from assay.cli.applies import (
    COUNTED,
    COUNTS,
    FOREIGN,
    HASH,
    MIXED,
    NATIVE,
    OPERATION,
    OPERATIONS,
    STREAM,
    option,
    refuse,
    situations_of,
)
from assay.cli.configure import configured
from assay.cli.console import text_of
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED
from assay.cli.options import (
    Finite,
    Percent,
    chosen_targets,
    complete_checks,
    complete_packages,
    jail_for,
    jail_option,
    patience_option,
    results_option,
    sample_option,
    seed_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.outputs import FileContents, Output, deliver, output_option
from assay.cli.verdicts import exit_code
from assay.configure.compilers import first_configuration
from assay.errors import UsageError
from assay.grouped import grouped
from assay.model import Compiler, Configuration, Package, SizeChoice, Target
from assay.package.discover import Found
from assay.package.resolve import resolve
from assay.plan.choice import compilers_of, foreign_configurations, listed_configurations
from assay.plan.plan import Plan
from assay.report.ci.records import Harvest
from assay.report.curves import Choice
from assay.report.results import results_report
from assay.store import FILE_NAME, Store
from assay.targets.catalogue import look_for, native
from assay.toolchain.configs import has_configurations

MOST_LOOKED_AT = 8  # packages, of which a first figure is waited for
MOST_RANKED, RANK_SECONDS = 4, 10.0  # of these, and for which it shows first which is the fastest


def _sizes(
    _: click.Context, __: click.Parameter, texts: tuple[str, ...]
) -> tuple[SizeChoice, ...] | str:
    """Read sizes as in `128/64`, or `all`."""
    if texts == (ALL_SIZES,):
        return ALL_SIZES
    try:
        return tuple(SizeChoice(*(int(part) for part in text.split("/"))) for text in texts)
    except (ValueError, TypeError):
        raise UsageError(
            f"--sizes {' '.join(texts)!a} names no sizes", "Write bits, as in 128/64, or `all`."
        ) from None


@click.command(name="run")
@click.argument("packages", nargs=-1, metavar="[DIR|NAME]...", shell_complete=complete_packages)
@results_option("The results folder; it is made if need be.", "--into")
@option(
    "--conf",
    "names",
    refused={
        FOREIGN: NATIVE,
        MIXED: "Run them one after another: their configurations have other names.",
    },
    multiple=True,
    metavar="NAME",
    help="Measure only in this configuration; repeatable.",
)
@option("--shortlist-only", refused={FOREIGN: NATIVE}, some=(STREAM, HASH), excludes=("names",),
        is_flag=True, help="Use only the configurations that are on the shortlist.")  # fmt: skip
@click.option("--best", type=click.IntRange(1), metavar="N",
              help="Measure only in the N best configurations.")  # fmt: skip
@option("--launches", refused={COUNTS: COUNTED}, type=click.IntRange(1),
        help="Launch so many processes for each figure [5; operations 4].")  # fmt: skip
@option("--samples", refused={COUNTS: COUNTED}, type=click.IntRange(1, 1000),
        help="Take so many timings in each launch [39; operations 31].")  # fmt: skip
@option(
    "--race/--exhaustive",
    excludes=("everything",),
    default=None,
    help="Eliminate clearly slower candidates after a few launches, or measure all in full"
    f" [race from {RACE_FROM} configurations on].",
)
@option(
    "--precision",
    refused={COUNTS: COUNTED},
    metavar="P%",
    type=Percent(0, 100, min_open=True, max_open=True),
    help="Launch until every figure is known within P %.",
)
@option(
    "--most-launches",
    refused={COUNTS: COUNTED},
    needs="precision",
    type=click.IntRange(6),
    default=50,
    show_default=True,
    help="With --precision: launch at most so many processes for a figure.",
)
@option("--no-cache", refused={OPERATION: "Leave it out: their packages are always compiled."},
        is_flag=True, help="Compile everything again, ignoring the cache of earlier campaigns.",
)  # fmt: skip
@option(
    "--sizes",
    refused={
        OPERATION: "Leave it out: every message length is measured; see --curve, too.",
    },
    some=(STREAM,),
    multiple=True,
    metavar="KEY/IV[/MAC]|all",
    callback=_sizes,
    help="Measure the supported sizes nearest to these (repeatable), or `all` of them"
    " [the largest key, IV and MAC].",
)
@tree_option(some=(OPERATION,))
@sample_option
@seed_option
@option("--curve", refused=dict.fromkeys((STREAM, HASH), OPERATIONS), is_flag=True,
        help="Operations: measure every length that eBACS publishes.")  # fmt: skip
@option(
    "--accept",
    refused=dict.fromkeys((STREAM, HASH), OPERATIONS),
    multiple=True,
    metavar="CHECK",
    shell_complete=complete_checks,
    help=(
        "Operations: measure packages even if they fail CHECK, such as `buffers/guard` or "
        "`buffers/` (repeatable)."
    ),
)
@option(
    "--all",
    "everything",
    refused=dict.fromkeys((STREAM, HASH), OPERATIONS),
    older=("--everything",),
    is_flag=True,
    help="Operations: measure all implementations, not only the winners.",
)
@click.option("--glance", is_flag=True,
              help="Compare outputs with known answers, and leave all other checks for later.",
)  # fmt: skip
@option(
    "--slower-than",
    refused={COUNTS: COUNTED},
    some=(STREAM,),
    type=Finite(0),
    metavar="RATE",
    help="Skip stream ciphers that need more than RATE core cycles per byte of the long stream"
    " with every configuration tried; 0 skips none [what `configure` was given].",
)
@target_option()
@targets_file_option()
@output_option()
@jail_option
@patience_option
def command(outputs: tuple[Output, ...], **given: Any) -> int:
    """Build, check and measure packages; results go to the current folder.

    Without arguments all packages. Those of an operation (crypto_hash/sha256) compete:
    the best implementation and configuration of each primitive is measured.
    The configurations are those of reports-$HOSTNAME/configs, the shortlist's best
    first; if there are none yet, `assay configure --quick --yes` is done before, but for
    --best 1. Ctrl-C keeps what was done, and the same command continues from there. At a
    terminal, up to eight packages are launched once before all else, so that first figures
    are seen soon; of up to four ciphers or compact hashes the fastest is named, too.

    Many configurations race: all codes of a primitive are launched once, the faster ones
    more often, and the winner is examined and measured in full. Implementations that
    are far behind with the first configuration are not tried with others. --exhaustive
    measures all. Operations race with --race only.

    On other targets the configurations are the target's compilers with a few
    levels. Emulated ones count instructions (AVR: cycles), and tell no time: every code is
    counted, and the best one of each implementation is examined in full (--exhaustive: all).
    """
    wanted = RunOptions(**given)
    found = resolve(wanted.packages, packages_root(), trees=wanted.listed_trees)
    targets = chosen_targets(wanted.target_names, wanted.targets_file)
    refuse(situations_of(found, targets))
    if _is_watched(wanted, found, targets):
        _look(wanted, found)
    code = measure(wanted, found)
    deliver(outputs, _sources(wanted.folder, found, {one.name for one in targets}))
    return code


def _is_watched(wanted: RunOptions, found: Sequence[Found], targets: Sequence[Target]) -> bool:
    """Return whether somebody waits for first figures, of a few packages never measured here."""
    known = (wanted.folder / FILE_NAME).exists()
    few = len(found) <= MOST_LOOKED_AT and all(isinstance(one, Package) for one in found)
    here = all(one.is_native for one in targets)
    return sys.stderr.isatty() and few and here and not known and not wanted.glance


def _look(wanted: RunOptions, found: tuple[Found, ...]) -> None:
    """Launch each package once in the best configuration, when its outputs were compared.

    Of a few, all have more launches then, until it shows which is the fastest. What is built and
    measured is a part of the campaign that follows. Where nothing is configured yet, it does not
    wait for that.
    """
    click.echo(" * first figures, before the other checks", err=True)
    names = wanted.names[:1]
    one = replace(wanted, names=names, best=None if names else 1, race=None, everything=False)
    first = replace(one, glance=True, launches=1, precision=None)
    operations, others = _divided(found)
    if operations:
        _run(contest_plan(operations, first), first, operations)
    for plan in _plans(others, first, (native(),)) if others else ():
        _run(plan, first, others)
        launches = wanted.launches or LAUNCHES
        if 1 < len(others) <= MOST_RANKED and _seconds(wanted.folder) * launches <= RANK_SECONDS:
            _run(replace(plan, launches=launches), first, others)
        _say_so_far(wanted.folder, plan.configurations[0])


def _divided(found: tuple[Found, ...]) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """Return the packages that compete, and the others."""
    operations = tuple(one for one in found if one.kind and one.kind.rules.contests)
    return operations, tuple(one for one in found if one not in operations)


def _seconds(folder: Path) -> float:
    """Return how long all launches of a folder have taken."""
    with Store.open(folder, read_only=True) as store:
        return sum(one.total_seconds for one in store.launch_heads())


def _say_so_far(folder: Path, configuration: Configuration) -> None:
    """Print what the tables answer by now."""
    with Store.open(folder, read_only=True) as store:
        tables = results_report(store, Choice()).tables
    for lead in (table.lead for table in tables if table.lead):
        click.echo(f" * so far, with {configuration.name}: {lead}", err=True)


def measure(wanted: RunOptions, found: tuple[Found, ...]) -> int:
    """Measure packages that were found already; return the exit code."""
    targets = chosen_targets(wanted.target_names, wanted.targets_file)
    operations, others = _divided(found)
    contests = _contests(operations, wanted, targets) if operations else ()
    plans = _plans(others, wanted, targets) if others else ()
    codes = [
        _conclude_contests(_run(one, wanted, operations), wanted.folder, operations)
        for one in contests
    ]
    for plan in plans:
        if said := left_out(others, plan.target):
            click.echo(f" * {said}", err=True)
        outcome = _run(plan, wanted, others)
        codes.append(_conclude(outcome, wanted.folder, plan.target))
    return max(codes, default=EXIT_FAILED)


def _run(plan: Plan, wanted: RunOptions, found: Sequence[Found]) -> Outcome:
    """Run a campaign, and show how far it is."""
    jail = jail_for(wanted.jail_name, *plan.compilers.values())
    with showing() as progress:
        return run_plan(plan, wanted, found, jail, progress, tuple(sys.argv[1:]))


def _contests(
    found: Sequence[Found], wanted: RunOptions, targets: Sequence[Target]
) -> tuple[Plan, ...]:
    """Return the plans for operations: timed on this machine, and counted elsewhere."""
    plans = [contest_plan(found, wanted)] if any(one.is_native for one in targets) else []
    reports = reports_folder(repository_root())
    foreign = [one for one in targets if not one.is_native]
    for one in foreign:
        if one.counts is None:
            raise UsageError(
                f"operations are timed on this machine and counted in emulators: not {one.name}",
                "`assay check --target` asks their checks there.",
            )
    pairs = [(one, _configurations(one, reports, wanted)) for one in foreign]
    counted = (counted_contest(found, wanted, one, each) for one, each in pairs if each)
    return (*plans, *counted)


def _plans(
    found: Sequence[Found], wanted: RunOptions, targets: Sequence[Target]
) -> tuple[Plan, ...]:
    """Return the plans for packages that are measured on every target, before any is carried out.

    Where nothing is configured yet, the best configuration of this machine alone needs not wait
    for that. UsageError if nothing can be measured on a target.
    """
    native_too = any(one.is_native for one in targets)
    one_here = wanted.best == 1 and not wanted.names and tuple(targets) == (native(),)
    if one_here and not has_configurations(reports_folder(repository_root())):
        new = first_configuration()
        if new is not None:
            return (plan_for(found, wanted, native(), (new,)),)
    reports = configured() if native_too else reports_folder(repository_root())
    listed = [(target, _configurations(target, reports, wanted)) for target in targets]
    return tuple(plan_for(found, wanted, target, pairs) for target, pairs in listed if pairs)


def _configurations(
    target: Target, reports: Path, wanted: RunOptions
) -> tuple[tuple[Configuration, Compiler], ...]:
    """Return the best configurations for a target; a line says if its compiler is missing."""
    if target.counts is None and not target.tells_time:
        raise UsageError(
            f"{target.name} can neither count nor measure time",
            "`assay check`, `assay vectors` and `assay size` work there.",
        )
    if target.is_native:
        only = wanted.shortlist_only
        listed = listed_configurations(reports, wanted.names, shortlist_only=only)[: wanted.best]
        compilers = compilers_of(listed)
        return tuple((one, compilers[one.command]) for one in listed)
    installed = look_for(target)
    if not installed.ok:
        click.echo(f"{target.name}: skipped, {installed.reason} ({installed.cure})")
        return ()
    return foreign_configurations(target)[: wanted.best]


def _conclude(outcome: Outcome, folder: Path, target: Target) -> int:
    """Print what came of it."""
    cells = "1 cell" if outcome.cells == 1 else f"{outcome.cells} cells"
    where = "" if target.is_native else f"{target.name}: "
    click.echo(f"{where}{cells} in {folder}, {outcome.failed} failed{open_text(outcome)}.")
    if outcome.share is not None:
        click.echo(f" * {outcome.share}", err=True)
    show = f"assay show {quote(str(folder))}"
    why = " and the errors_* files say why." if outcome.failed else " prints the table."
    click.echo(f"`{show}`{why}")
    return exit_code([outcome.verdict])


def _conclude_contests(outcome: Outcome, folder: Path, found: tuple[Found, ...]) -> int:
    """Print what came of operations."""
    click.echo(f"{outcome.cells} cells in {folder}, {outcome.failed} failed{open_text(outcome)}.")
    if outcome.share is not None:
        click.echo(f" * {outcome.share}", err=True)
    places = (one.place.split("/") for one in found)
    for operation, named in grouped((first, second) for first, second, *_ in places).items():
        alone = len(named) > 1 and len(set(named)) == 1
        what = f"{operation}/{named[0]}" if alone else operation
        click.echo(f"`assay show {what} --results {quote(str(folder))}` prints the table.")
    return exit_code([outcome.verdict])


def _sources(folder: Path, found: Sequence[Found], targets: Container[str]) -> FileContents:
    """Return what files of results are made of: the tables of `assay show`, and what was found."""

    def text(form: str) -> Any:
        with Store.open(folder, read_only=True) as store:
            return text_of(results_report(store, Choice(form=form)), form)

    def harvest() -> Harvest:
        with Store.open(folder, read_only=True) as store:
            return measured(store, found, targets)

    return FileContents(text, harvest)
