# SPDX-License-Identifier: MIT
"""`assay export`: results in the form of other programs."""

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, TypeVar, cast

import click

from assay.cli.applies import option, refuse
from assay.cli.options import results_option
from assay.errors import UsageError
from assay.model.supercop import Record
from assay.report.cell_exports import csv_lines, json_lines
from assay.report.printable import printable
from assay.report.supercop import LineWriter, in_order
from assay.report.supercop.own import database_records
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.imported import imported_series
from assay.summary.series import own_series
from assay.writing import named_file

T = TypeVar("T")
SUPERCOP = "supercop"
FORMS = (SUPERCOP, "csv", "json")


@click.command(name="export")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@results_option("The results folder.", excludes=("folder",))
@option(
    "--format",
    "form",
    excludes=("supercop",),
    type=click.Choice(FORMS),
    help="supercop: database lines of operations; csv, json: every result, with all that is "
    "known of it.",
)
@click.option("--supercop", is_flag=True, hidden=True, help="The same as --format supercop.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there instead of to the terminal; compressed if the name ends in `.gz`.",
)
@click.option("--imported", is_flag=True, help="The imported results instead of one's own.")
@option(
    "--version-word",
    excludes=("imported",),
    metavar="WORD",
    help="Begin lines of one's own results with this word instead of `assay-VERSION`, for "
    "readers that need a number (20260330).",
)
def command(
    folder: Path | None,
    results: Path,
    form: str | None,
    supercop: bool,
    output: Path | None,
    imported: bool,
    version_word: str | None,
) -> None:
    """Write the results of a folder for other programs; it may also be named as FOLDER."""
    refuse()
    form = SUPERCOP if supercop else form
    if form is None:
        raise click.UsageError(f"say in which form: --format {', '.join(FORMS)}")
    if version_word and form != SUPERCOP:
        raise UsageError("--version-word applies to --format supercop only", "Leave it out.")
    place = folder or results
    with Store.open(place, read_only=True) as store:
        lines = _lines(store, place, form, version_word, imported=imported)
        if output is None:
            for line in lines:
                click.echo(printable(line) if sys.stdout.isatty() else line)
            return
        with _replaced(output) as file:
            count = 0
            for line in lines:
                file.write(f"{line}\n".encode())
                count += 1
    click.echo(f"{output}: {count} lines")


def _lines(
    store: Store, folder: Path, form: str, version: str | None, *, imported: bool
) -> Iterator[str]:
    """Yield what is written, line by line; UsageError if there are no results."""
    if form == SUPERCOP:
        records = ImportedRecords(store).records() if imported else _own(store)
        what = "results of operations"
        return LineWriter(version).lines(_some(records, folder, what, imported=imported))
    series = imported_series(store) if imported else own_series(store)
    found = _some(series, folder, "results", imported=imported)
    return csv_lines(found) if form == "csv" else json_lines(found)


def _own(store: Store) -> Iterable[Record]:
    """Return one's own results of operations, in the order of a data base."""
    return in_order(database_records(store))


def _some(records: Iterable[T], folder: Path, what: str, *, imported: bool) -> Iterator[T]:
    """Pass records on; UsageError if there are none."""
    found = False
    for record in records:
        found = True
        yield record
    if not found:
        raise UsageError(
            f"no {'imported' if imported else 'own'} {what} in {folder}",
            "Get some with `assay import`, or leave --imported away."
            if imported
            else "Get some with `assay run`, or add --imported to write imported ones.",
        )


@contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that takes its place when it is complete."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"no folder {folder}", "Make it first, or name another file.")
    with named_file(path) as plain, _packed(plain, path) as file:
        yield file


def _packed(plain: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes]]:
    """Compress what is written, if the file's name says so."""
    if path.suffix != ".gz":
        return nullcontext(plain)
    # Without name and time inside, the same lines give the same file.
    return cast(
        "AbstractContextManager[IO[bytes]]",
        gzip.GzipFile(filename="", fileobj=plain, mode="wb", mtime=0),
    )
