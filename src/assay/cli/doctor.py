# SPDX-License-Identifier: MIT
"""`assay doctor`: how far timings on this machine can be trusted, and how to improve that."""

from dataclasses import asdict

import click

from assay.cli.applies import refuse
from assay.cli.console import print_report
from assay.cli.formats import SHORT, formats_option
from assay.cli.main import EXIT_FAILED
from assay.execute.groups import stated
from assay.execute.jail import strongest_stated
from assay.machine.describe import describe
from assay.model import Machine
from assay.report.machine_tables import findings_table
from assay.report.table import Note, Report, Style


@click.command(name="doctor")
@formats_option(*SHORT)
def command(form: str) -> int:
    """Look for sources of noise in timings on this machine, with their cost and cure.

    Class A: nothing reduces trust. Class B: something does. Class C: something does severely,
    and the exit code is 1. The verdict is stored with every campaign and shown with its
    figures.
    """
    refuse()
    machine = describe()
    print_report(_report(machine), form)
    return EXIT_FAILED if machine.trust_class == "C" else 0


def _report(machine: Machine) -> Report:
    """Make a table with a row for each topic, and the verdict below."""
    groups, jail = stated(), strongest_stated()
    facts = {
        "machine": machine.host,
        "cpu": machine.cpu,
        "class": machine.trust_class,
        "diagnosis": machine.diagnosis,
        "findings": [asdict(one) for one in machine.findings],
        "control_groups": groups,
        "jail": jail,
    }
    below = (
        f"{machine.host}, {machine.cpu}: {machine.diagnosis}",
        f"Jail: {jail} (docs/reference/jail.md).",
        f"Control groups: {groups} (docs/reference/jail.md).",
    )
    notes = tuple(Note(line, Style.PLAIN) for line in below)
    return Report((findings_table(machine.findings),), (), notes, facts)
