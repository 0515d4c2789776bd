# SPDX-License-Identifier: MIT
"""`assay collect` and `assay tabulate`: the HTML report of a results folder; the shortlist."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from assay.campaign.roots import reports_folder, repository_root
from assay.cli.applies import FOLDER, option, refuse
from assay.cli.lines import showing
from assay.cli.options import results_option
from assay.cli.site import told
from assay.errors import UsageError
from assay.fleet.archived import folders, pack
from assay.fleet.bundle import signers
from assay.model import Machine
from assay.report.files import write_cell
from assay.report.formats.html import html_text, table_html
from assay.report.table import Note, Report
from assay.report.tabulate import PREFIX, read_rows, text_rows_table
from assay.site.build import build_site
from assay.store import FILE_NAME, Store
from assay.summary.cells import load_all
from assay.summary.rows import winning_tags
from assay.summary.series import CellResult
from assay.toolchain.shortlist import SHORTLIST, load_shortlist, render_shortlist
from assay.writing import write_below

QUESTION = "Should I update the shortlist?"


@click.command(name="collect")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@results_option("The results folder.", excludes=("folder",))
@option(
    "--yes/--no-update",
    "update",
    refused={FOLDER: "Leave it out: operations have no shortlist."},
    excludes=("archived",),
    default=None,
    help="Answer the question about the shortlist; the default without a terminal is no.",
)
@click.option("--archive", "archived", is_flag=True,
              help="Instead make one file to send: results, and the text reports.")  # fmt: skip
@option("-o", "--output", needs="archived", metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="With --archive: the file to write, by default MACHINE-DATE.tar.gz.")  # fmt: skip
def command(
    folder: Path | None,
    results: Path,
    update: bool | None,
    archived: bool,
    output: Path | None,
) -> None:
    """Make the HTML report of a results folder, which may also be named as FOLDER.

    It is the site that `assay site` makes of several folders, in the results folder itself,
    with a text report of each cell of ciphers and hashes where the original puts it.

    Prints the path of index.html. Then it counts which configurations won and
    offers to raise them in the shortlist of the reports folder.

    With --archive it makes no pages, but one file for another machine, also while a
    campaign runs: `assay import` takes it there, and `assay show` compares the machines.
    """
    folder = (folder or results).resolve()
    if archived:
        refuse()
        archive, what = pack(folder, output)
        click.echo(f"{archive}: {what}; `assay import {archive.name}` takes it in elsewhere")
        return
    every = folders(folder)  # of other machines alone where nothing was measured here
    if not (every[0] / FILE_NAME).is_file():
        refuse()
        click.echo(_from_text(folder))
        return
    cells, machine = _own(folder) if folder in every else ([], None)
    if not cells:
        refuse({FOLDER: str(folder)})
    with showing(brief=True) as progress:
        progress.begin("writing the report", len(cells) + 1)
        for cell in cells:
            write_cell(folder, cell, machine)
            progress.advance(cell.package.selector)
        site = build_site(every, folder, anywhere=True, signed=signers(every))
        progress.advance("the site")
    told(site)
    if cells:
        _offer_shortlist(folder, cells, update)


def _own(folder: Path) -> tuple[list[CellResult], Machine | None]:
    """Return the cells of ciphers and hashes that were measured here, and the machine."""
    with Store.open(folder, read_only=True) as store:
        found = load_all(store)
    return [cell for each in found for cell in each.cells], found[0].machine


def _from_text(folder: Path) -> Path:
    """Make the page of a folder that holds text reports only (the original's, say)."""
    files = sorted(path for path in folder.rglob(f"{PREFIX}*") if path.is_file())
    if not files:
        raise UsageError(
            f"no results in {folder}",
            "Start `assay run` there first, or name the folder where it ran.",
        )
    table = text_rows_table(read_rows(files, folder))
    above = (Note("Read from text reports: what was checked is not known."),)
    return write_below(folder, "index.html", html_text(Report((table,), above)))


def _offer_shortlist(folder: Path, cells: Sequence[CellResult], update: bool | None) -> None:
    """Ask whether the winners should lead the shortlist, and write it."""
    wins = winning_tags(cells)
    reports = _reports(folder)
    if not wins or reports is None:
        return
    if update is None:
        update = sys.stdin.isatty() and click.confirm(QUESTION, default=True, prompt_suffix=" ")
    if update:
        # What did not win this time keeps its place behind: a run of one package
        # must not make the list forget the others.
        path = reports / SHORTLIST
        write_below(reports, SHORTLIST, render_shortlist({**load_shortlist(reports), **wins}))
        click.echo(f" * updating {path} ... done")


def _reports(folder: Path) -> Path | None:
    """Find the folder of the shortlist: the results folder itself, or the clone's."""
    if (folder / SHORTLIST).is_file() or (folder / "configs").is_dir():
        return folder
    reports = reports_folder(repository_root())
    return reports if reports.is_dir() else None


@click.command(name="tabulate")
@click.argument("files", type=click.Path(path_type=Path, dir_okay=False), nargs=-1, required=True)
def tabulate_command(files: tuple[Path, ...]) -> None:
    """Print the HTML table of the performance reports FILES, the fastest stream first."""
    click.echo(table_html(text_rows_table(read_rows(files, Path.cwd()))), nl=False)
