# SPDX-License-Identifier: MIT
"""`assay doctor`: how far timings on this machine can be trusted, and how to improve that."""

import json
from dataclasses import asdict

import click
from rich.table import Table
from rich.text import Text

from assay.cli.console import console
from assay.cli.main import EXIT_FAILED
from assay.cli.options import json_option
from assay.execute.groups import stated
from assay.machine import describe
from assay.model import Machine, Trust

STYLES = {Trust.GOOD: "green", Trust.UNKNOWN: "dim", Trust.COSTS: "yellow", Trust.BADLY: "red"}


@click.command(name="doctor")
@json_option
def command(as_json: bool) -> int:
    """Look for sources of noise in timings on this machine, with their cost and cure.

    Class A: nothing reduces trust. Class B: something does. Class C: something does severely,
    and the exit code is 1. The verdict is stored with every campaign and shown with its
    figures.
    """
    machine = describe()
    if as_json:
        click.echo(json.dumps(_record(machine), indent=1))
    else:
        _show(machine)
    return EXIT_FAILED if machine.trust_class == "C" else 0


def _record(machine: Machine) -> dict[str, object]:
    """Return the verdict as JSON can hold it."""
    return {
        "machine": machine.host,
        "cpu": machine.cpu,
        "class": machine.trust_class,
        "diagnosis": machine.diagnosis,
        "findings": [asdict(one) for one in machine.findings],
        "control_groups": stated(),
    }


def _show(machine: Machine) -> None:
    """Print one row per topic, the cure below what costs trust."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("Topic", "Verdict", "Found"):
        table.add_column(title, no_wrap=title != "Found")
    for one in machine.findings:
        said = Text(one.state)
        costly = one.trust in {Trust.COSTS, Trust.BADLY}
        if one.cost:
            said.append(f"\n{one.cost}", style="dim")
        if costly and one.cure:
            said.append(f"\n{one.cure}", style="bold")
        table.add_row(one.topic, Text(one.trust.value, style=STYLES[one.trust]), said)
    screen = console()
    screen.print(table)
    screen.print(f"\n{machine.host}, {machine.cpu}: {machine.diagnosis}")
    screen.print(f"Control groups: {stated()} (docs/reference/jail.md).")
