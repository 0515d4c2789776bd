# SPDX-License-Identifier: MIT
"""`assay import`: published results, SUPERCOP's database lines, beside one's own."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import click

from assay.cli.main import EXIT_FAILED
from assay.cli.verify import allowed_option
from assay.errors import UsageError
from assay.fleet.taken import take
from assay.imported.files import data_files, digest, has_lines, lines, opened
from assay.imported.reader import LineReader, LineTally
from assay.package.members import is_archive
from assay.report.printable import printable
from assay.store import FILE_NAME, Store
from assay.store.published import ImportedRecords, PublishedFile, Put

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
def command(paths: tuple[Path, ...], folder: Path, allowed: Path | None) -> int:
    """Read others' results into a results folder: archives, and SUPERCOP's database lines.

    An archive is what `assay collect --archive` made on another machine, or `assay bundle`.
    Its results stay apart, in machines/, and `assay show` shows them beside the folder's own.
    A bundle is taken only if all agrees with what was signed (`assay verify`); signed results
    give way only to later ones that the same key signed.

    Other PATHS are files `data` or `data.gz` of SUPERCOP, before or after version 20260214,
    compressed or not, or folders with such files: SUPERCOP's folder bench, or a
    collection of published files. What was imported before is not imported again.

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
    reader = LineReader()
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
