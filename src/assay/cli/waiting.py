# SPDX-License-Identifier: MIT
"""Saying on standard error that a command waits for the machine, and for whom."""

from datetime import datetime

import click

from assay.execute.lock import Waiting
from assay.report.printable import printable


def say(what: Waiting | float) -> None:
    """Print what is waited for, or for how many seconds it was."""
    click.echo(f" * {_line(what)}", err=True)


def _line(what: Waiting | float) -> str:
    if isinstance(what, float):
        return f"waited {what:.0f} s for the machine"
    owner = what.owner
    if owner.process is None:
        return "waiting for the machine: another program has it"
    work = "measuring" if what.measuring else "compiling or checking"
    doing = f"is {work}"
    if owner.since is not None:
        began = datetime.fromtimestamp(owner.since).astimezone()
        doing = f"has been {work} since {began:%H:%M:%S}"
    queue = f"; {what.before} commands are ahead" if what.before > 1 else ""
    who = f"`{printable(owner.command)}` (process {owner.process})"
    return f"waiting for the machine: {who} {doing}{queue}"
