# SPDX-License-Identifier: MIT
"""Options that several commands share, and what they mean."""

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.applies import FOREIGN, NATIVE, OPERATION, option
from assay.errors import UsageError
from assay.execute.jail import Jail, choose_jail
from assay.model import BrokenPackage, Compiler, Configuration, Package, Target
from assay.package.places import SUBMISSIONS, has_reports_only, shipped
from assay.plan.choice import default_configuration, named_configuration
from assay.store import FILE_NAME
from assay.targets.catalogue import catalogue, choose, native, users_targets
from assay.toolchain.supercop import supercop_configurations

PATIENCE = "assay.patience"  # in the context of the running command
MOST_PATIENCE_SECONDS = 7 * 24 * 3600
JAILS = click.Choice(["bubblewrap", "limits"])

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
    help=("Only N of the named packages, chosen by --seed."),
)
seed_option: Callable[[Any], Any] = option(
    "--seed",
    some=(OPERATION,),
    needs="sample",
    type=int,
    default=0,
    show_default=True,
    help="Seed that chooses the N packages.",
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
    """Return the jail asked for, with compilers outside /usr made visible in it.

    It has the patience that the running command was given.
    """
    outside = {
        path.parent.parent
        for compiler in compilers
        for path in (compiler.path, compiler.path.resolve())
        if not path.is_relative_to("/usr") and not path.parent.parent.samefile("/")
    }
    context = click.get_current_context(silent=True)
    seconds = context.meta.get(PATIENCE) if context else None
    return replace(choose_jail(name, tuple(sorted(outside))), patience_seconds=seconds)


def only_package(found: tuple[Package | BrokenPackage, ...]) -> Package:
    """Take the one package meant; UsageError if there are several or it is broken."""
    if len(found) != 1:
        names = ", ".join(one.selector for one in found)
        raise UsageError(f"one package is needed, but these are meant: {names}", "Name one.")
    if isinstance(found[0], BrokenPackage):
        raise UsageError(found[0].reason, found[0].cure)
    return found[0]


def repository_root() -> Path | None:
    """Find the clone in which the user works; None outside of one.

    `ASSAY_ROOT` (set by the scripts) wins; otherwise it is the working folder or
    its nearest ancestor that has a `submissions` folder. A results folder has one, too, with
    reports: it counts only if there is no other, and something else is in it.
    """
    named = os.environ.get("ASSAY_ROOT")
    if named:
        if not Path(named).is_dir():
            raise UsageError(f"ASSAY_ROOT names {named}, which is no folder", "Name a clone.")
        return Path(named).resolve()
    here = Path.cwd()
    having = [one for one in (here, *here.parents) if (one / SUBMISSIONS).is_dir()]
    clones = [one for one in having if not (one / FILE_NAME).is_file()]
    results = (one for one in having if not has_reports_only(one / SUBMISSIONS))
    return next(iter(clones or results), None)


def packages_root() -> Path:
    """Find the folder with submissions/ and benchmarks/: the clone's, or what Assay came with."""
    return repository_root() or shipped()


def reports_folder(root: Path | None) -> Path:
    """Name `reports-$HOSTNAME` below the root: compilers, configs/, shortlist live here.

    Outside of a clone it is the working folder or the nearest ancestor that is called so
    or has a folder called so, and at last the one to be made in the working folder.
    """
    name = f"reports-{os.environ.get('HOSTNAME') or socket.gethostname()}"
    if root is not None:
        return root / name
    here = Path.cwd()
    for folder in (here, *here.parents):
        if folder.name == name:
            return folder
        if (folder / name).is_dir():
            return folder / name
    return here / name
