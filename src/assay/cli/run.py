# SPDX-License-Identifier: MIT
"""`assay run`: build, check and measure packages over the configurations."""

from pathlib import Path
from shlex import quote

import click

from assay.campaign.run import Outcome
from assay.cli.applies import refuse, situations_of
from assay.cli.campaign import (
    RACE_FROM,
    RunOptions,
    contest_configurations,
    contest_plan,
    left_out,
    open_text,
    plan_for,
    run_plan,
)
from assay.cli.main import EXIT_FAILED
from assay.cli.options import (
    Renamed,
    chosen_targets,
    jail_option,
    patience_option,
    results_option,
    sample_option,
    seed_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.root import packages_root, reports_folder, repository_root
from assay.cli.verdicts import exit_code
from assay.errors import UsageError
from assay.model import Configuration, SizeChoice, Target
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.plan.choice import compilers_of, listed_configurations
from assay.plan.cross import families, target_configuration
from assay.targets.installed import look_for

OPERATION = "crypto_"
FOREIGN_LEVELS = ("-O2", "-O3", "-Os")


def _sizes(
    _: click.Context, __: click.Parameter, texts: tuple[str, ...]
) -> tuple[SizeChoice, ...]:
    """Read sizes as in `128/64`."""
    try:
        return tuple(SizeChoice(*(int(part) for part in text.split("/"))) for text in texts)
    except (ValueError, TypeError):
        raise UsageError(
            f"--sizes {' '.join(texts)!a} names no sizes", "Write bits, as in 128/64."
        ) from None


def _percent(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    """Read `1%` or `0.5`; None for nothing."""
    if text is None:
        return None
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = 0.0
    if not 0.0 < value < 100.0:
        raise UsageError(f"{text!r} is no precision", "Write per cent, as in --precision 1%.")
    return value


@click.command(name="run")
@click.argument("packages", nargs=-1, metavar="[DIR|NAME]...")
@results_option("The results folder; it is made if need be.", "--into")
@click.option("--conf", "names", multiple=True, metavar="NAME", help="Only these configurations.")
@click.option("--shortlist-only", is_flag=True, help="Stop after the shortlist.")
@click.option(
    "--best", type=click.IntRange(1), metavar="N", help="Only the N best configurations."
)
@click.option("--launches", type=click.IntRange(1), help="Processes per figure [5; operations 4].")
@click.option("--samples", type=click.IntRange(1, 1000), help="Per launch [39; operations 31].")
@click.option(
    "--race/--exhaustive",
    default=None,
    help="Eliminate clearly slower candidates after a few launches, or measure all in full"
    f" [race from {RACE_FROM} configurations on].",
)
@click.option(
    "--precision",
    metavar="P%",
    callback=_percent,
    help="Launch until every figure is known within P %.",
)
@click.option(
    "--most-launches",
    type=click.IntRange(6),
    default=50,
    show_default=True,
    help="With --precision.",
)
@click.option(
    "--no-cache",
    is_flag=True,
    help=("Compile everything again, ignoring the cache of earlier campaigns."),
)
@click.option(
    "--sizes",
    multiple=True,
    metavar="KEY/IV[/MAC]",
    callback=_sizes,
    help="Measure the supported sizes nearest to these (repeatable).",
)
@tree_option
@sample_option
@seed_option
@click.option(
    "--curve", is_flag=True, help=("Operations: measure every length that eBACS publishes.")
)
@click.option(
    "--accept",
    multiple=True,
    metavar="CHECK",
    help=(
        "Operations: measure packages even if they fail CHECK, such as `buffers/guard` or "
        "`buffers/` (repeatable)."
    ),
)
@click.option(
    "--all",
    "everything",
    cls=Renamed,
    older=("--everything",),
    is_flag=True,
    help="Operations: measure all implementations, not only the winners.",
)
@target_option
@targets_file_option
@jail_option
@patience_option
def command(
    packages: tuple[str, ...],
    results: Path,
    names: tuple[str, ...],
    shortlist_only: bool,
    best: int | None,
    launches: int | None,
    samples: int | None,
    race: bool | None,
    precision: float | None,
    most_launches: int,
    no_cache: bool,
    sizes: tuple[SizeChoice, ...],
    trees: tuple[Path, ...],
    sample: int | None,
    seed: int,
    curve: bool,
    accept: tuple[str, ...],
    everything: bool,
    target_names: tuple[str, ...],
    targets_file: str | None,
    jail_name: str,
) -> int:
    """Build, check and measure packages; results go to the current folder.

    Without arguments all packages. Those of an operation (crypto_hash/sha256) compete:
    the best implementation and configuration of each primitive is measured.
    The configurations are those of reports-$HOSTNAME/configs, the shortlist's best
    first. Ctrl-C keeps what was done, and the same command continues from there.

    Many configurations race: all are launched once, the faster ones more often, and
    the last few are measured in full. --exhaustive measures all. Operations race with
    --race only.

    On other targets the configurations are the target's compilers with a few
    levels. Emulated ones count instructions (AVR: cycles), and tell no time.
    """
    found = resolve(packages, packages_root(), trees=Trees(trees, sample, seed))
    targets = chosen_targets(target_names, targets_file)
    refuse(situations_of(found, targets))
    folder = Path.cwd() if results == Path() else results
    operations = tuple(one for one in found if one.place.startswith(OPERATION))
    found = tuple(one for one in found if one not in operations)
    wanted = RunOptions(
        launches, samples, race, precision, most_launches, sizes, curve, everything, accept
    )
    contest = contest_configurations(names, best) if operations else ((), {})
    reports = reports_folder(repository_root())
    chosen = [
        (target, _configurations(target, reports, names, shortlist_only)[:best])
        for target in (targets if found else ())
    ]
    codes = []
    if operations:
        plan = contest_plan(operations, wanted, *contest)
        outcome = run_plan(folder, plan, operations, jail_name)
        codes.append(_conclude_contests(outcome, folder, operations))
    for target, listed in (pair for pair in chosen if pair[1]):
        if said := left_out(found, target):
            click.echo(f" * {said}", err=True)
        plan = plan_for(found, wanted, target, listed, compilers_of(listed))
        outcome = run_plan(folder, plan, found, jail_name, reuse=not no_cache)
        codes.append(_conclude(outcome, folder, target))
    return max(codes, default=EXIT_FAILED)


def _configurations(
    target: Target, reports: Path, names: tuple[str, ...], shortlist_only: bool
) -> tuple[Configuration, ...]:
    """Return the configurations for a target; UsageError if nothing can be measured there."""
    if target.counts is None and not target.tells_time:
        raise UsageError(
            f"{target.name} can neither count nor measure time",
            "`assay check`, `assay vectors` and `assay size` work there.",
        )
    if target.is_native:
        return listed_configurations(reports, names, shortlist_only=shortlist_only)
    return _foreign_configurations(target)


def _foreign_configurations(target: Target) -> tuple[Configuration, ...]:
    """Return the target's compilers with a few levels; a line says what is missing."""
    installed = look_for(target)
    if not installed.ok:
        click.echo(f"{target.name}: skipped, {installed.reason} ({installed.cure})")
        return ()
    pairs = [(family, level) for level in FOREIGN_LEVELS for family in families(target)]
    return tuple(target_configuration(target, level, family)[0] for family, level in pairs)


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
    for operation in dict.fromkeys(one.place.split("/", maxsplit=1)[0] for one in found):
        click.echo(f"`assay show {operation} --results {quote(str(folder))}` prints the table.")
    return exit_code([outcome.verdict])
