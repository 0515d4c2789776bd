# SPDX-License-Identifier: MIT
"""`assay ct`: in which configurations secrets reach what takes a time."""

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from itertools import chain
from operator import add
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.constant_time import (
    believed_verdicts,
    matrices,
    skipped,
    unsettled,
    verdicts,
    wanted,
)
from assay.campaign.curing import priced, tried_cures
from assay.campaign.roots import packages_root, reports_folder, repository_root
from assay.campaign.taking_over import WEAKER, TakenOver, taken_over
from assay.check.engine.examine import open_engine
from assay.check.engine.verdict import Located, PackageVerdict, unloadable
from assay.cli.applies import CLOCK, option, refuse
from assay.cli.check_options import CheckOptions, Keeping, results_folder
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED
from assay.cli.options import (
    chosen_targets,
    complete_packages,
    jail_for,
    jail_option,
    patience_option,
    target_option,
    targets_file_option,
    tree_option,
)
from assay.cli.verdicts import exit_code, show_examination, show_unloadable
from assay.compile.recipe import Recipe
from assay.errors import MachineError, UsageError
from assay.execute.jail import Jail
from assay.model import Compiler, Package
from assay.package.discover import Found
from assay.package.leaks import Reasons, planted_package
from assay.package.resolve import Trees, resolve
from assay.plan.choice import made_for_target
from assay.plan.recipes import MATRIX, compiled, every_compiler
from assay.plan.spread import ConfigurationChoice, Spread, TargetCells
from assay.report.constant_time import leak_report
from assay.report.table import Note, Report
from assay.targets.catalogue import native

MSAN, TIMING = "msan", "timing"
ENGINES = ("valgrind", MSAN, TIMING)
TIMED_LEVELS = ("-O2",)
HERE = {CLOCK: "Leave it out: the clock is this machine's, and names no places."}
PLANTED_LEVELS = ("-O1",)


class CtOptions(Struct, frozen=True):
    """What the command line says; the fields are called like the options."""

    packages: tuple[str, ...]
    commands: tuple[str, ...]
    levels: tuple[str, ...]
    reasons_files: tuple[Path, ...]
    engine_name: str | None
    left_behind: bool
    cures: bool
    price: bool
    target_names: tuple[str, ...]
    targets_file: str | None
    trees: tuple[Path, ...]
    jail_name: str
    form: str


@click.command(name="ct")
@click.argument("packages", nargs=-1, metavar="PACKAGE...", shell_complete=complete_packages)
@option(
    "--compiler",
    "commands",
    multiple=True,
    metavar="COMMAND",
    help="Only this compiler, such as clang-15, which also names its clang++ (default: each gcc "
    "and clang of the path; of a target its own gcc).",
)
@option(
    "--level",
    "levels",
    multiple=True,
    metavar="OPTIONS",
    help=f"Compile only at this level; further options in quotes (default: {', '.join(MATRIX)}).",
)
@option(
    "--reasons",
    "reasons_files",
    refused=HERE,
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Places that are accepted, each with a reason (docs/guide/constant-time.md); repeatable.",
)
@option(
    "--engine",
    "engine_name",
    type=click.Choice(ENGINES),
    help="Follow secrets by this alone (default: valgrind, and clang's msan where it cannot); "
    "`timing` asks the clock of this machine instead, at -O2 unless a level is named.",
)
@option(
    "--left-behind",
    refused=HERE,
    is_flag=True,
    help="Also look for secrets that calls leave on the stack, in registers and in memory.",
)
@option(
    "--cures/--no-cures",
    refused=HERE,
    default=True,
    help="Try options that are known to take leaks away [yes].",
)
@option(
    "--price/--no-price",
    refused=HERE,
    default=True,
    help="Measure how much slower code is with an option that does [yes].",
)
@target_option(refused=HERE)
@targets_file_option()
@tree_option()
@jail_option
@patience_option
@formats_option(*SHORT)
def command(**given: Any) -> int:
    """Find out in which configurations the time of packages depends on secrets.

    Each package is compiled by every compiler at every level, and followed by valgrind; identical
    object code once. On emulated targets runs are compared that differ in secrets alone. Secret
    are keys, messages that are hashed or encrypted, seeds and random bytes; public are lengths,
    nonces, ciphertexts and public keys. No declaration is needed: a place that leaks is a
    finding, and a failure if the package has the file goal-constbranch or goal-constindex.

    Where valgrind cannot follow what clang compiled, MemorySanitizer does. On demand the clock
    is asked whether calls with one fixed secret take another time than with others.

    Where a compiler makes a leak, options that are known to take it away are tried, and the code
    is measured with and without those that do. An interrupted command continues. Exit code 1: a
    package breaks what it declares; 3: something was not examined, and nothing failed.
    """
    chosen = CtOptions(**given)
    if not (chosen.packages or chosen.trees):
        raise click.MissingParameter(param_hint="'PACKAGE...'", param_type="argument")
    refuse({CLOCK: f"--engine {TIMING}"} if chosen.engine_name == TIMING else None)
    found = resolve(chosen.packages, packages_root(), trees=Trees(chosen.trees, None, 0))
    compilers = _compilers(chosen.commands)
    reasons = Reasons.of(chosen.reasons_files, (o for o in found if isinstance(o, Package)))
    if chosen.engine_name == TIMING:
        return _by_the_clock(chosen, found, compilers)
    targets = chosen_targets(chosen.target_names, chosen.targets_file)
    spread = Spread(targets, ConfigurationChoice(reports_folder(repository_root())))
    levels = chosen.levels or MATRIX
    named = compilers if chosen.commands else ()
    places = tuple(
        (one, _places(spread, one, compilers, levels, named) if isinstance(one, Package) else ())
        for one in found
    )
    control = planted_package()
    clangs = tuple(one for one in compilers if one.family == "clang")[:1]
    first = clangs if chosen.engine_name == MSAN and clangs else compilers[:1]
    planted = (control, _places(spread, control, first, PLANTED_LEVELS, named[:1]))
    jail = jail_for(chosen.jail_name, *compilers)
    other = _places(spread, control, clangs, PLANTED_LEVELS)
    proof = tuple(one for place in other if place.target.is_native for one in place.recipes)
    everything, report = _examined(chosen, (planted, *places), proof, reasons, jail)
    for one in everything:
        show_unloadable(one)
    print_report(report, chosen.form)
    return exit_code(verdicts(everything, reasons))


def in_place_of_check(asked: CheckOptions) -> int:
    """Ask what `assay ct` does with what `assay check --ct` was given; return the exit code."""
    named = ("packages", "target_names", "targets_file", "trees", "jail_name", "form")
    given = {name: getattr(asked, name) for name in named}
    code: int = click.get_current_context().invoke(command, **given)
    return code


def _by_the_clock(chosen: CtOptions, found: Sequence[Found], compilers: Sequence[Compiler]) -> int:
    """Ask the clock of this machine; places, other targets and cures mean nothing there."""
    from assay.cli.ct_timing import timed  # noqa: PLC0415 - on demand

    broken = [one for one in found if not isinstance(one, Package)]
    for one in broken:
        show_examination(one, 1, unloadable(one), show_all=False)
    jail = jail_for(chosen.jail_name, *compilers)
    spread = Spread((native(),), ConfigurationChoice(reports_folder(repository_root())))
    levels = chosen.levels or TIMED_LEVELS
    packages = [one for one in found if isinstance(one, Package)]
    recipes = [each for one in packages for each in _alone(spread, one, compilers, levels)]
    planted = _alone(spread, planted_package(), compilers[:1], PLANTED_LEVELS)
    code = timed(recipes, planted, jail, chosen.form)
    return EXIT_FAILED if broken else code


def _alone(
    spread: Spread, package: Package, compilers: Sequence[Compiler], levels: Sequence[str]
) -> tuple[Recipe, ...]:
    """Return the recipes of a package on this machine, with the options for its processor."""
    places = (_spread(one, compilers, levels, plain=False) for one in spread.places(package))
    return tuple(recipe for one in places for recipe in one.recipes)


def _examined(
    chosen: CtOptions,
    places: Sequence[Located],
    proof: Sequence[Recipe],
    reasons: Reasons,
    jail: Jail,
) -> tuple[tuple[PackageVerdict, ...], Report]:
    """Examine the planted leaks and all packages, try cures, and measure those that are some."""
    with (
        results_folder(
            Keeping.UNTIL_DONE, _question(places[1:], jail, chosen.engine_name or "")
        ) as folder,
        showing() as progress,
    ):
        with open_engine(jail, folder, progress) as engine:
            named = chosen.engine_name == MSAN
            asked = wanted(left_behind=chosen.left_behind, shadowed=named)
            over = TakenOver(believed_verdicts(engine, places, asked), (WEAKER,) * named)
            if chosen.engine_name is None:
                other = partial(open_engine, jail, folder / MSAN, progress)
                over = taken_over(over.everything, proof, other)
            everything = over.everything
            found = tuple(matrices(everything, reasons, chosen.levels or MATRIX))
            trials = {one.title: tried_cures(engine, one, asked) for one in found if chosen.cures}
        tried = {
            title: tuple(
                priced(each, jail, progress) if chosen.price else (one for _, one in each)
            )
            for title, each in trials.items()
        }
    notes = (*skipped(everything), *over.notes, *unsettled(found), *reasons.unused)
    tables = (leak_report(one.title, one.rows, tried.get(one.title, ())) for one in found)
    return everything, reduce(add, tables, Report((), below=tuple(map(Note, notes))))


def _compilers(commands: Sequence[str]) -> tuple[Compiler, ...]:
    known = every_compiler()
    if not known:
        raise MachineError("there is neither gcc nor clang on the path", "apt-get install gcc")
    if not commands:
        return known
    there = {one.command: one for one in known}
    # One of C++ stands for that of C beside it, too, each for its sources.
    commands = tuple(name.replace("clang++", "clang").replace("g++", "gcc") for name in commands)
    for name in commands:
        if name not in there:
            raise UsageError(f"there is no compiler {name!r}", f"There are {', '.join(there)}.")
    return tuple(there[name] for name in dict.fromkeys(commands))


def _places(
    spread: Spread,
    package: Package,
    compilers: Sequence[Compiler],
    levels: Sequence[str],
    named: Sequence[Compiler] = (),
) -> tuple[TargetCells, ...]:
    """Return the cells of a package: like its first configuration, compiled by all.

    Other targets than this machine have one compiler, or those `named` that can make their code.
    """
    return tuple(
        _spread(place, compilers, levels, plain=True)
        if place.target.is_native
        else _elsewhere(place, named, levels)
        for place in spread.places(package)
    )


def _first(place: TargetCells) -> Iterator[Recipe]:
    """Yield the first recipe of each variant."""
    first = {one.variant: one for one in reversed(place.recipes)}
    yield from (one for _, one in sorted(first.items()))


def _spread(
    place: TargetCells, compilers: Sequence[Compiler], levels: Sequence[str], *, plain: bool
) -> TargetCells:
    """Return the cells on this machine; with `plain` also those without options for it."""
    made = (compiled(one, compilers, levels, plain=plain) for one in _first(place))
    return replace(place, recipes=tuple(chain.from_iterable(made)))


def _elsewhere(
    place: TargetCells, named: Sequence[Compiler], levels: Sequence[str]
) -> TargetCells:
    """Return the cells on another target; UsageError if no compiler makes code for it."""
    made = tuple(
        each
        for one in _first(place)
        for each in (made_for_target(one, named) if named else ((one, one.compiler),))
    )
    if place.recipes and not made:
        called, cure = named[0].command, "Name gcc, or leave --compiler out."
        raise UsageError(f"{called} makes no code for {place.target.name}", cure)
    recipes = (compiled(one, (compiler,), levels) for one, compiler in made)
    return replace(place, recipes=tuple(chain.from_iterable(recipes)))


def _question(places: Sequence[Located], jail: Jail, engine: str) -> Iterator[str]:
    """Yield what the answer depends on, besides what the store looks at."""
    yield from ("ct", jail.mode.value, engine)
    for found, each in places:
        yield str(found.root)
        yield from (repr(place.target) for place in each)
        recipes = (one for place in each for one in place.recipes)
        yield from (f"{one.compiler.identity} {one.configuration.name}" for one in recipes)
