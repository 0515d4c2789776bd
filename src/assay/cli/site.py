# SPDX-License-Identifier: MIT
"""`assay site`: one static site from any number of results folders."""

import re
import sys
from pathlib import Path
from typing import Any

import click

from assay.cli.bundle import allowed_option
from assay.cli.main import EXIT_FAILED
from assay.errors import UsageError
from assay.fleet.archived import folders as with_machines
from assay.fleet.bundle import signers
from assay.report.printable import printable
from assay.site.build import MadeSite, build_site


class PageLink(click.ParamType[tuple[str, str]]):
    """What a link is called, and where it leads: to a page of the same server, or by http(s)."""

    name = "NAME=ADDRESS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Divide it; a script is no address."""
        name, _, address = str(value).partition("=")
        if not name.strip() or not re.match(r"https?://\S|/(?!/)", address):
            self.fail(
                f"{value!r} is no name with an address, such as Submissions=/submissions",
                param,
                ctx,
            )
        return name.strip(), address


@click.command(name="site")
@click.argument(
    "folders", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FOLDER..."
)
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    default="site",
    show_default=True,
    metavar="DIR",
    help="Where the site is made: a new folder, an empty one, or one that holds a site.",
)
@click.option(
    "--link",
    "links",
    type=PageLink(),
    multiple=True,
    help="A further link in the head of each page, as to the service or the institution that"
    " shows the site (repeatable).",
)
@click.option(
    "--lines/--no-lines",
    default=True,
    show_default=True,
    help="Write one's own results of operations as SUPERCOP's database lines, too, with every"
    " timing, which takes a sixth of the time.",
)
@allowed_option
def command(
    folders: tuple[Path, ...],
    to: Path,
    links: tuple[tuple[str, str], ...],
    allowed: Path | None,
    *,
    lines: bool,
) -> int:
    """Make one static site from the results folders FOLDER...

    They may be of any machines and times, and hold ciphers, hashes, operations and imported
    results, and archives of other machines (`assay import`). The pages need no server and no
    network.
    Made again, only pages whose results changed are written.
    The page of a machine says who signed its results (`assay bundle`).
    A folder that cannot be read is named, the others are shown, and the exit code is 1.
    """
    missing = [one for one in folders if not one.exists()]
    if missing:
        raise UsageError(f"there is no folder {missing[0]}", "Name folders where `assay run` ran.")
    every = tuple(dict.fromkeys(each for one in folders for each in with_machines(one)))
    who = signers(every, allowed)
    found = build_site(every, to, lines=lines, signed=who, links=dict(links))
    return told(found)


def told(found: MadeSite) -> int:
    """Print what came of it, and return the exit code."""
    for text in (*found.errors, *found.warnings):
        click.echo(f"warning: {printable(text)}", err=True)
    if found.errors and not found.primitives:
        raise UsageError("no folder has results that can be read", "See the warnings above.")
    click.echo(found.page)
    click.echo(f"{found.pages} files, {found.renewed} of them new or changed", file=sys.stderr)
    return EXIT_FAILED if found.errors else 0
