# SPDX-License-Identifier: MIT
"""Options that several commands share, what they mean, and what shells complete in them."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from assay.campaign.roots import confined, packages_root
from assay.cli.applies import FOREIGN, NATIVE, OPERATION, option
from assay.errors import UsageError
from assay.execute.jail import Jail
from assay.model import BrokenPackage, Compiler, Configuration, Package, Target
from assay.model.packages import kind_at
from assay.package.places import FOLDERS, TREE
from assay.plan.choice import default_configuration, named_configuration
from assay.targets.catalogue import catalogue, choose, native, users_targets
from assay.toolchain.shortlist import supercop_configurations

PATIENCE = "assay.patience"  # in the context of the running command
MOST_PATIENCE_SECONDS = 7 * 24 * 3600
JAILS = click.Choice(["bubblewrap", "limits"])
FOLDER = "dir"  # what tells a shell to complete folders, too


def complete_packages(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return the packages below the user's clone whose names begin so, and folders."""
    del context, parameter
    found = [CompletionItem(name) for name in _names(begun) if name.startswith(begun)]
    return [*found, CompletionItem(begun, type=FOLDER)]


def _names(begun: str) -> Iterator[str]:
    """Yield names of packages, without reading any: of operations where one is begun."""
    root, levels = packages_root(), "*/*"
    folders = [root / folder for folder in FOLDERS]
    if kind_at(begun) is not None:
        folders, levels = [root / TREE], "*/*/*"
    with suppress(OSError):
        for folder in folders:
            for place in sorted(folder.glob(levels)):
                if place.is_dir() and "supercop" not in place.relative_to(folder).parts[:1]:
                    yield place.relative_to(folder).as_posix()


def complete_checks(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return the checks whose names begin so."""
    from assay.check.kinds import every_check  # noqa: PLC0415 - imports every kind

    del context, parameter
    return [CompletionItem(name) for name in every_check() if name.startswith(begun)]


class Finite(click.FloatRange):
    """A number within a range; no comparison holds for `nan`, which is in every range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it as a number."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no number.", param, ctx)
        return number


class Percent(Finite):
    """A percentage within a range, with its sign or without: `2%`, `0.5`."""

    name = "percentage"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it as a number."""
        text: Any = str(value).strip().removesuffix("%")
        return float(super().convert(text, param, ctx))


jail_option: Callable[[Any], Any] = click.option(
    "--jail",
    "jail_name",
    type=JAILS,
    default="bubblewrap",
    show_default=True,
    help="How to confine submitted code; `limits` is weaker, and every result says so.",
)
# Those that mean different things in different commands take what `Option` takes besides.
conf_option = partial(
    option,
    "--conf",
    refused={FOREIGN: NATIVE},
    multiple=True,
    metavar="NAME",
    help="A configuration of reports-$HOSTNAME/configs, repeatable; without it gcc (or the first "
    "compiler found) with -O2 -fomit-frame-pointer.",
)
target_option = partial(
    option,
    "--target",
    "target_names",
    multiple=True,
    metavar="NAME|all",
    help="Where to run the code (`assay targets` lists the names); repeatable, or `all`.",
)
targets_file_option = partial(
    option,
    "--targets-file",
    needs="target_names",
    metavar="FILE",
    help="A file of further targets: boards, machines over SSH (docs/reference/targets.md).",
)


tree_option = partial(
    option,
    "--tree",
    "trees",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, path_type=Path),
    help="A folder in SUPERCOP's layout (crypto_*/...), or a tree with an assay.toml, "
    "a description apart from one, or liboqs or libjade; repeatable. "
    "Default: submissions/supercop/.",
)
sample_option: Callable[[Any], Any] = option(
    "--sample",
    some=(OPERATION,),
    type=click.IntRange(1),
    metavar="N",
    help=("Take only N of the named packages, chosen by --seed."),
)
seed_option: Callable[[Any], Any] = option(
    "--seed",
    some=(OPERATION,),
    needs="sample",
    type=int,
    default=0,
    show_default=True,
    help="The seed by which --sample chooses packages.",
)
only_option: Callable[[Any], Any] = option(
    "--only",
    multiple=True,
    metavar="CHECK",
    excludes=("results", "watch"),
    shell_complete=complete_checks,
    help="Ask this check alone, or a family of them, such as buffers; repeatable.",
)


def results_option(text: str, *older: str, **applies: Any) -> Callable[[Any], Any]:
    """Return the option that names the results folder, described by `text`."""
    return option(
        "--results",
        "results",
        older=older,
        **applies,
        metavar="FOLDER",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(),
        help=f"{text.removesuffix('.')} [default: here].",
    )


def answers_option(text: str, *older: str, **applies: Any) -> Callable[[Any], Any]:
    """Return the option that names files of known answers or vectors, described by `text`."""
    return option(
        "--answers",
        "answers",
        older=older,
        **applies,
        multiple=True,
        metavar="FILE",
        type=click.Path(exists=True, path_type=Path),
        help=text,
    )


def _keep_patience(context: click.Context, _: click.Parameter, value: int | None) -> int | None:
    context.meta[PATIENCE] = value
    return value


patience_option: Callable[[Any], Any] = click.option(
    "--patience",
    type=click.IntRange(1, MOST_PATIENCE_SECONDS),
    metavar="SECONDS",
    expose_value=False,
    callback=_keep_patience,
    help="How long to wait for a package's answers in all [600; operations 3600, of "
    "many 60; 3 times as long with --deep, and on other targets].",
)


def known_targets(file: str | None) -> tuple[Target, ...]:
    """Return the targets of the catalogue, and those of the user's file."""
    return (*catalogue(), *(users_targets(Path(file)) if file else ()))


def chosen_targets(names: tuple[str, ...], file: str | None) -> tuple[Target, ...]:
    """Return the targets that the user named; this machine if none."""
    if not names and not file:
        return (native(),)
    known = known_targets(file)
    return choose(names, known) if names else known[:1]


def configuration(reports: Path, name: str | None) -> tuple[Configuration, Compiler]:
    """Return the configuration that the user named, or the default."""
    return named_configuration(reports, name) if name else default_configuration()


def operation_configuration() -> tuple[Configuration, Compiler]:
    """Return the configuration for packages of the SUPERCOP API, where none is named."""
    listed, compilers = supercop_configurations()
    return listed[0], compilers[listed[0].command]


def jail_for(name: str, *compilers: Compiler) -> Jail:
    """Return the jail asked for, with the patience that the running command was given."""
    context = click.get_current_context(silent=True)
    return confined(name, compilers, context.meta.get(PATIENCE) if context else None)


def named_package(name: str, trees: tuple[Path, ...]) -> Package:
    """Return the one package that a name means, in trees, too; UsageError if it is not one."""
    from assay.package.resolve import Trees, resolve  # noqa: PLC0415 - most look for none

    return only_package(resolve((name,), packages_root(), trees=Trees(trees)))


def only_package(found: tuple[Package | BrokenPackage, ...]) -> Package:
    """Take the one package meant; UsageError if there are several or it is broken."""
    if len(found) != 1:
        names = ", ".join(one.selector for one in found)
        raise UsageError(f"one package is needed, but these are meant: {names}", "Name one.")
    if isinstance(found[0], BrokenPackage):
        raise UsageError(found[0].reason, found[0].cure)
    return found[0]
