# SPDX-License-Identifier: MIT
"""`assay compare`: faster, slower, or no difference seen."""

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

import click
from rich.console import Console

from assay.cli import run
from assay.cli.main import EXIT_FAILED
from assay.errors import UsageError
from assay.report.compare.answers import Compared, answer
from assay.report.compare.page import write_comparison
from assay.report.compare.pairs import match
from assay.report.compare.sides import load_side, parse_side
from assay.report.compare.terminal import comparison_json, comparison_table

PIPE_COLUMNS = 220
LAUNCHES = 10


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where names without a folder are looked for [default: here].",
)
@click.option("--by", "measures", multiple=True, metavar="MEASURE", help="Such as 'packet/*'.")
@click.option("--all", "everything", is_flag=True, help="Every configuration, not the best alone.")
@click.option("--confidence", type=click.FloatRange(50, 99.99), default=95.0, show_default=True,
              metavar="PERCENT", help="Of the whole table.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0), metavar="PERCENT",
              help="Exit with 1 if B is slower than A by more than this.")  # fmt: skip
@click.option("--measure", is_flag=True, help="First measure both in turn, in one campaign.")
@click.option("--launches", type=click.IntRange(1), default=LAUNCHES, show_default=True,
              help="With --measure: processes per side.")  # fmt: skip
@click.option("--witness", metavar="TARGET",
              help="With --measure: count instructions there, too (qemu-amd64).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Write JSON instead of the table.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write a page, too.")  # fmt: skip
@click.pass_context
def command(
    context: click.Context,
    first: str,
    second: str,
    results: Path,
    measures: tuple[str, ...],
    everything: bool,
    confidence: float,
    threshold: float | None,
    measure: bool,
    launches: int,
    witness: str | None,
    as_json: bool,
    html: Path | None,
) -> int:
    """Compare B with A: faster, slower, or no difference seen, for every measure.

    A and B are implementations (salsa20/ref), configurations (@gcc_default_O3), both
    (salsa20/ref@gcc_default_O3), results folders, or imported machines; FOLDER:NAME
    looks in another folder. Exit codes: 0, or 1 if the threshold was exceeded.
    """
    if measure:
        # What the campaign prints is no part of a JSON document.
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            _measure(context, (first, second), results, launches, witness)
    elif witness:
        raise click.UsageError("--witness needs --measure")
    sides = [load_side(parse_side(text, results)) for text in (first, second)]
    matched = match(sides[0], sides[1], measures, everything=everything)
    compared = answer(
        sides[0],
        sides[1],
        matched,
        confidence=round(confidence / 100, 6),
        threshold_percent=threshold,
    )
    if html is not None:
        write_comparison(html, compared)
    if as_json:
        click.echo(comparison_json(compared), nl=False)
    else:
        _print(compared)
    return EXIT_FAILED if compared.failed else 0


def _print(compared: Compared) -> None:
    """Print the table, unbroken where nobody looks at a terminal's edge."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPE_COLUMNS)
    console.print(comparison_table(compared))


def _measure(
    context: click.Context,
    texts: tuple[str, str],
    folder: Path,
    launches: int,
    witness: str | None,
) -> None:
    """Measure two implementations in one campaign, their launches mixed."""
    names, configurations = [], []
    for text in texts:
        implementation, _, configuration = text.partition("@")
        if not implementation:
            raise UsageError(
                f"--measure needs implementations, not {text!r}",
                "Such as salsa20/ref, or salsa20/ref@gcc_default_O3.",
            )
        names.append(implementation)
        configurations += [configuration] if configuration else []
    if len(configurations) == 1:
        raise UsageError(
            f"{texts[0]} and {texts[1]}: one of them names a configuration",
            "Name one for both, or for none: then it is the shortlist's best.",
        )
    wanted = {"packages": tuple(dict.fromkeys(names)), "into": folder}
    context.invoke(
        run.command,
        **wanted,
        names=tuple(dict.fromkeys(configurations)),
        best=None if configurations else 1,
        launches=launches,
        race=False,
        everything=True,
    )
    if witness:
        context.invoke(run.command, **wanted, target_names=(witness,))
