# SPDX-License-Identifier: MIT
"""`assay doctor`: how far timings on this machine can be trusted, and how to improve that."""

from collections.abc import Iterator

import click
from msgspec.structs import asdict

from assay.cli.applies import refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.main import EXIT_FAILED
from assay.execute.groups import stated
from assay.execute.jail import strongest_stated
from assay.machine.data_timing import data_timing
from assay.machine.describe import describe, hypervisor
from assay.machine.sources import LINUX
from assay.model import Compiler, Machine
from assay.report.machines import findings_table
from assay.report.table import Note, Report, Style
from assay.toolchain.remembered import examine, richest
from assay.toolchain.shortlist import COMMANDS


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
    groups, jail, compilers = stated(), strongest_stated(), "; ".join(_compilers())
    timing = data_timing(hypervisor(LINUX))
    facts = {
        "machine": machine.host,
        "cpu": machine.cpu,
        "class": machine.trust_class,
        "diagnosis": machine.diagnosis,
        "findings": [asdict(one) for one in machine.findings],
        "control_groups": groups,
        "jail": jail,
        "compilers": compilers,
        "data_independent_timing": asdict(timing),
    }
    below = (
        f"{machine.host}, {machine.cpu}: {machine.diagnosis}",
        f"Jail: {jail} (docs/reference/jail.md).",
        f"Control groups: {groups} (docs/reference/jail.md).",
        f"Compilers use most of this processor with: {compilers}.",
        f"Instructions that take the same time whatever the data: {timing}.",
    )
    notes = tuple(Note(line, Style.PLAIN) for line in below)
    return Report((findings_table(machine.findings),), (), notes, facts)


def _compilers() -> Iterator[str]:
    """Yield each compiler with the options for this processor, and what they leave out."""
    for command in COMMANDS:
        compiler = examine(command)
        if isinstance(compiler, Compiler):
            found = richest(compiler)
            why = f" ({found.reason})" if found.reason else ""
            yield f"{command} {found.usable or 'without an option'}{why}"
