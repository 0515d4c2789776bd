# SPDX-License-Identifier: MIT
"""`assay targets`: list targets and what is installed for them."""

import json
from dataclasses import asdict

import click
from rich.table import Table

from assay.cli.applies import refuse
from assay.cli.console import console
from assay.cli.main import EXIT_FAILED
from assay.cli.options import json_option, known_targets, targets_file_option
from assay.targets.installed import Installed, install_line, look_for

HEADINGS = (
    "Target", "Architecture", "Bits", "Endian", "ABI", "Below the agent", "Exact counts",
)  # fmt: skip
WIDTH = 190  # whoever has a smaller terminal sees long lines, not broken ones


@click.command(name="targets")
@targets_file_option
@click.option(
    "--install-line", "line_only", is_flag=True, help=("Print only the packages to install.")
)
@click.option("--missing", is_flag=True, help="Only those that are not installed.")
@json_option
def command(targets_file: str | None, line_only: bool, missing: bool, as_json: bool) -> int:
    """List the targets, what of them is installed, and the line that installs the rest.

    The names are those that --target takes; the name of an architecture means the
    first target that has it. Exit code 1 with --missing if something is missing.
    """
    refuse()
    found = [look_for(one) for one in known_targets(targets_file)]
    if missing:
        found = [one for one in found if not one.ok]
    if as_json:
        click.echo(json.dumps([_record(one) for one in found], indent=1))
    elif line_only:
        click.echo(" ".join(sorted({p for one in found for p in one.target.packages})))
    else:
        _show(found)
    return EXIT_FAILED if missing and found else 0


def _record(one: Installed) -> dict[str, object]:
    """Return the fields of a target as JSON can hold them."""
    return {**asdict(one.target), "installed": one.ok, "missing": list(one.missing)}


def _show(found: list[Installed]) -> None:
    """Print the table, and how to get what is missing."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in HEADINGS:
        table.add_column(title, no_wrap=True)
    table.add_column("Installed")
    table.add_column("What it is")
    for one in found:
        target = one.target
        state = "[green]yes[/]" if one.ok else f"[yellow]no[/]: {', '.join(one.missing)}"
        table.add_row(
            target.name,
            target.architecture,
            str(target.bits),
            target.endian,
            target.abi,
            target.runtime.value,
            target.counts or "none",
            state,
            target.title,
        )
    console(WIDTH).print(table)
    line = install_line(found)
    if line:
        click.echo(f"\nTo install the rest, as root (or run ./scripts/start --targets):\n  {line}")
