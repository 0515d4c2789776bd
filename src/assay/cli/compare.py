# SPDX-License-Identifier: MIT
"""`assay compare`: faster, slower, or no difference seen."""

import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from assay.cli import run
from assay.cli.applies import OPERATION, kinds_of, option, refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import (
    chosen_targets,
    only_package,
    packages_root,
    results_option,
    tree_option,
)
from assay.errors import UsageError
from assay.model import Package
from assay.package.resolve import Trees, resolve
from assay.report.compare.answers import answer
from assay.report.compare.pairs import match
from assay.report.compare.sides import load_side, parse_side
from assay.report.compare.table import comparison_report
from assay.report.formats.forms import WRITERS
from assay.report.formats.names import TERMINAL
from assay.store import FILE_NAME
from assay.writing import named_file

LAUNCHES = 10


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What the command line says; the fields are called like the options."""

    first: str
    second: str
    results: Path
    metrics: tuple[str, ...]
    everything: bool
    confidence: float
    threshold: float | None
    measure: bool
    launches: int
    witness: str | None
    trees: tuple[Path, ...]
    form: str
    html: Path | None


@click.command(name="compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@results_option("Where names without a folder are looked for.")
@option("--metric", "metrics", older=("--by",), multiple=True,
        metavar="PATTERN", help="Such as 'packet/*'; several times.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Every configuration, not the best alone.")
@click.option("--confidence", type=click.FloatRange(50, 99.99), default=95.0, show_default=True,
              metavar="PERCENT", help="Of the whole table.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0), metavar="PERCENT",
              help="Exit with 1 if B is slower than A by more than this.")  # fmt: skip
@click.option("--measure", is_flag=True, help="First measure both in turn, in one campaign.")
@click.option("--launches", type=click.IntRange(1), default=LAUNCHES, show_default=True,
              help="With --measure: processes per side.")  # fmt: skip
@option("--witness", metavar="TARGET",
        refused={OPERATION: "Leave it out: operations are timed, on this machine only."},
        help="With --measure: count instructions there, too (qemu-amd64).")  # fmt: skip
@tree_option()
@formats_option(*SHORT)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write a page, too.")  # fmt: skip
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Compare B with A: faster, slower, or no difference seen, for every measure.

    A and B are implementations (salsa20/ref), configurations (@gcc_default_O3), both
    (salsa20/ref@gcc_default_O3), results folders, or imported machines; FOLDER:NAME
    looks in another folder. An implementation can be named by its folder, too, and
    with --measure it is all that `run` takes. The same command without --measure compares
    again what was measured. Exit codes: 0; 1: the threshold was exceeded; 3: only disturbed
    launches say that it was.
    """
    wanted = CompareOptions(**given)
    texts = _sides(context, wanted)
    first, second = (load_side(parse_side(text, wanted.results)) for text in texts)
    compared = answer(
        first,
        second,
        match(first, second, wanted.metrics, everything=wanted.everything),
        confidence=round(wanted.confidence / 100, 6),
        threshold_percent=wanted.threshold,
    )
    report = comparison_report(compared)
    if wanted.html is not None:
        with named_file(wanted.html) as file:
            file.write(WRITERS["html"](report).encode("utf-8", "replace"))
    print_report(report, wanted.form)
    return EXIT_FAILED if compared.failed else EXIT_OPEN if compared.undecided else 0


def _sides(context: click.Context, wanted: CompareOptions) -> tuple[str, str]:
    """Return the names of both sides in results, which are measured first if that is wanted."""
    texts = (wanted.first, wanted.second)
    if not wanted.measure:
        refuse()
        first, second = (_without_path(text, wanted.trees) for text in texts)
        return first, second
    found = _packages(texts, wanted.trees)
    refuse(kinds_of(found))
    names = _measurable(texts, found, wanted.witness)
    # What the campaign prints is no part of what programs read.
    with redirect_stdout(sys.stderr) if wanted.form != TERMINAL else nullcontext():
        _measure(context, wanted)
    return names


def _packages(texts: tuple[str, str], trees: tuple[Path, ...]) -> tuple[Package, Package]:
    """Load the implementations of both sides; UsageError for what is none, or several."""
    names = [text.partition("@")[0] for text in texts]
    for text, name in zip(texts, names, strict=True):
        if not name:
            raise UsageError(
                f"--measure needs implementations, not {text!r}",
                "Such as salsa20/ref, or salsa20/ref@gcc_default_O3.",
            )
    root = packages_root()
    first, second = (only_package(resolve((one,), root, trees=Trees(trees))) for one in names)
    resolve(names, root, trees=Trees(trees))  # two folders under one name are refused
    return first, second


def _measurable(
    texts: tuple[str, str], packages: tuple[Package, Package], witness: str | None
) -> tuple[str, str]:
    """Return the names under which both sides will be found in the results.

    UsageError for what could not be compared after it was measured.
    """
    configurations = [text.partition("@")[2] for text in texts]
    if len([one for one in configurations if one]) == 1:
        raise UsageError(
            f"{texts[0]} and {texts[1]}: one of them names a configuration",
            "Name one for both, or for none: then it is the shortlist's best.",
        )
    first, second = packages
    sorts = [one.place.split("/")[0] if one.kind == OPERATION else one.kind for one in packages]
    if sorts[0] != sorts[1]:
        raise UsageError(
            f"{first.selector} and {second.selector} have no measure in common: "
            f"{sorts[0]} and {sorts[1]}",
            "Compare two ciphers, two hashes, or two packages of one operation.",
        )
    if witness:
        chosen_targets((witness,), None)
    names = zip((first, second), configurations, strict=True)
    before, after = (f"{one.selector}@{conf}" if conf else one.selector for one, conf in names)
    return before, after


def _without_path(text: str, trees: tuple[Path, ...]) -> str:
    """Return the name in results of a package whose folder is named; other words as they are."""
    name, at, configuration = text.partition("@")
    folder = Path(name)
    if not folder.is_dir() or (folder / FILE_NAME).exists():
        return text
    try:
        package = only_package(resolve((name,), packages_root(), trees=Trees(trees)))
    except UsageError:
        return text
    return f"{package.selector}{at}{configuration}"


def _measure(context: click.Context, options: CompareOptions) -> None:
    """Measure two implementations in one campaign, their launches mixed."""
    sides = [text.partition("@") for text in (options.first, options.second)]
    configurations = tuple(dict.fromkeys(conf for _, _, conf in sides if conf))
    names = tuple(dict.fromkeys(name for name, _, _ in sides))
    wanted = {"packages": names, "results": options.results, "trees": options.trees}
    context.invoke(
        run.command,
        **wanted,
        names=configurations,
        best=None if configurations else 1,
        launches=options.launches,
        race=False,
        everything=True,
    )
    if options.witness:
        context.invoke(run.command, **wanted, target_names=(options.witness,))
