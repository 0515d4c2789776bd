# SPDX-License-Identifier: MIT
"""`assay export` and `assay import`: results for other programs, and others' results."""

import gzip
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar, cast

import click
from msgspec.structs import replace

from assay.cli.applies import option, refuse
from assay.cli.bundle import allowed_option
from assay.cli.main import EXIT_FAILED
from assay.cli.options import results_option
from assay.errors import UsageError
from assay.fleet.taken import take
from assay.imported.files import data_files, digest, has_lines, lines, opened, reader_for
from assay.imported.reader import LineTally
from assay.package.members import is_archive
from assay.report.cell_exports import csv_lines, json_lines
from assay.report.printable import printable
from assay.report.supercop import LineWriter, in_order
from assay.report.supercop.own import database_records
from assay.store import FILE_NAME, Store
from assay.store.published import ImportedRecords, PublishedFile, Put
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
    help="The format to write. supercop: database lines of operations; "
    "csv, json: every result, with all that is "
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
@click.option("--imported", is_flag=True, help="Write the imported results instead of one's own.")
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
        own = in_order(database_records(store))  # as a data base has them
        records = ImportedRecords(store).records() if imported else own
        what = "results of operations"
        return LineWriter(version).lines(_some(records, folder, what, imported=imported))
    series = imported_series(store) if imported else own_series(store)
    found = _some(series, folder, "results", imported=imported)
    return csv_lines(found) if form == "csv" else json_lines(found)


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
    """Write a file that takes its place when it is complete, compressed if its name says so."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"no folder {folder}", "Make it first, or name another file.")
    with named_file(path) as plain:
        if path.suffix != ".gz":
            yield plain
            return
        # Without name and time inside, the same lines give the same file.
        with gzip.GzipFile(filename="", fileobj=plain, mode="wb", mtime=0) as packed:
            yield cast("IO[bytes]", packed)


SHOWN_MACHINES = 20


@click.command(name="import")
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "--results",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    show_default=True,
    help="The results folder that gets them; it is made if need be.",
)
@allowed_option
def import_command(paths: tuple[Path, ...], folder: Path, allowed: Path | None) -> int:
    """Read others' results into a results folder: archives, database lines, tables.

    An archive is what `assay collect --archive` made on another machine, or `assay bundle`.
    Its results stay apart, in machines/, and `assay show` shows them beside the folder's own.
    A bundle is taken only if all agrees with what was signed (`assay verify`); signed results
    give way only to later ones that the same key signed.

    Other PATHS are files `data` or `data.gz` of SUPERCOP, pqm4's benchmarks.csv, NIST's
    BOARD-aead-summary.csv and BOARD-hash-summary.csv, compressed or not, or folders with such
    files. What was imported before is not imported again.

    Exit codes: 0 all lines were read, 1 some were bad, 2 there were none.
    """
    archives = [path for path in paths if is_archive(path)]
    for path in archives:
        place, what = take(path, folder, allowed)
        click.echo(f"{printable(str(path))}: {what}, in {place}")
    files = list(data_files([path for path in paths if path not in archives]))
    if archives and not files:
        click.echo(f"`assay show {folder}` shows them together.")
        return 0
    empty = [path for path in files if not has_lines(path)]
    for path in empty:
        click.echo(f"error: no database lines in {printable(str(path))}", err=True)
    if len(empty) == len(files):
        raise UsageError(
            "there was nothing to import",
            "Name files that SUPERCOP wrote: bench/HOST/data, or data.gz.",
        )
    with Store.create(folder) as store:
        published = ImportedRecords(store)
        bad = sum(_take(published, path) for path in files if path not in empty)
        _say_machines(published, folder)
    return EXIT_FAILED if bad or empty else 0


def _take(published: ImportedRecords, path: Path) -> int:
    """Import a file and say what came of it; give the number of bad lines."""
    name = printable(str(path))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    file = PublishedFile(digest(path), str(path.resolve()), now)
    if earlier := published.knows(file.digest):
        click.echo(f"{name}: imported before, as {printable(earlier.name)}")
        return 0
    reader = reader_for(path)
    with opened(path) as stream:
        put = published.put(file, reader.runs(lines(stream)))
    tally = reader.tally
    published.count(replace(file, lines=tally.lines, bad=tally.bad))
    click.echo(f"{name}: {', '.join(_counts(tally, put))}")
    for number, reason in tally.shown:
        click.echo(f"error: {name}:{number}: {reason}", err=True)
    if tally.bad > len(tally.shown):
        click.echo(f"  and {tally.bad - len(tally.shown)} more", err=True)
    return tally.bad


def _counts(tally: LineTally, put: Put) -> Iterator[str]:
    """Return how many lines there were, and what became of them."""
    yield f"{tally.lines} lines"
    yield f"{put.records} records"
    if put.known_runs:
        yield f"{put.known_runs} runs known from other files"
    if tally.log:
        yield f"{tally.log} lines of log"
    if tally.bad:
        yield f"{tally.bad} bad lines"


def _say_machines(published: ImportedRecords, folder: Path) -> None:
    """List what the folder now has."""
    sources = published.sources()
    click.echo(f"{folder / FILE_NAME} has results of")
    for source in islice(sources, SHOWN_MACHINES):
        words = f"{source.machine} ({source.abi}), {source.date}, version {source.version}"
        click.echo(f"  {printable(words)}")
    if len(sources) > SHOWN_MACHINES:
        click.echo(f"  and {len(sources) - SHOWN_MACHINES} more")
