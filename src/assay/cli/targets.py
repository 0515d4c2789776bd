# SPDX-License-Identifier: MIT
"""`assay targets`: list targets and what is installed for them."""

import click

from assay.cli.applies import option, refuse
from assay.cli.console import print_report
from assay.cli.formats import PARAMETERS, SHORT, formats_option
from assay.cli.listings import targets_report
from assay.cli.main import EXIT_FAILED
from assay.cli.options import known_targets, targets_file_option
from assay.report.formats.names import TERMINAL
from assay.targets.installed import install_line, look_for

INSTALL = "To install the rest, as root (or run ./scripts/start --targets):"
WIDTH = 190  # whoever has a smaller terminal sees long lines, not broken ones


@click.command(name="targets")
@targets_file_option(needs="")
@option("--install-line", "line_only", excludes=PARAMETERS, is_flag=True,
        help="Print only the packages to install.")  # fmt: skip
@click.option("--missing", is_flag=True, help="Only those that are not installed.")
@formats_option(*SHORT)
def command(targets_file: str | None, line_only: bool, missing: bool, form: str) -> int:
    """List the targets, what of them is installed, and the line that installs the rest.

    The names are those that --target takes; the name of an architecture means the
    first target that has it. Exit code 1 with --missing if something is missing.
    """
    refuse()
    found = [look_for(one) for one in known_targets(targets_file)]
    if missing:
        found = [one for one in found if not one.ok]
    if line_only:
        click.echo(" ".join(sorted({p for one in found for p in one.target.packages})))
    else:
        print_report(targets_report(found), form, WIDTH)
        line = install_line(found) if form == TERMINAL else ""
        if line:
            click.echo(f"\n{INSTALL}\n  {line}")
    return EXIT_FAILED if missing and found else 0
