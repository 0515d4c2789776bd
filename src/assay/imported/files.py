# SPDX-License-Identifier: MIT
"""Files of results: database lines and published tables, plain or compressed, in folders."""

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from assay.errors import UsageError
from assay.imported.reader import LineReader
from assay.imported.tables import TableReader, table_reader
from assay.imported.values import BadLine

GZIP = b"\x1f\x8b"
# SUPERCOP's longest lines have some 2,000 characters; Assay's own have a number for every
# timing of every launch, which may be some hundred thousand.
RESULTS = "results.sqlite"  # the file that makes a folder one of Assay's (assay.store)
LINE_BYTES = 1 << 22
# SUPERCOP's names for the data base of a machine; what lies below such a file went into it.
DATA = ("data", "data.gz")
LOOK_LINES = 200


def opened(path: Path) -> BinaryIO:
    """Open a file of lines, compressed or not, whatever it is called."""
    with path.open("rb") as plain:
        compressed = plain.read(len(GZIP)) == GZIP
    return cast("BinaryIO", gzip.open(path)) if compressed else path.open("rb")


def lines(stream: BinaryIO) -> Iterator[str | None]:
    r"""Yield the lines of a stream without their ends; None for one that is too long.

    A byte that is not UTF-8 is kept as the four characters `\xNN`. BadLine where a
    compressed file is damaged or cut short, after all lines before.
    """
    try:
        while line := stream.readline(LINE_BYTES):
            if len(line) == LINE_BYTES and not line.endswith(b"\n"):
                while (part := stream.readline(LINE_BYTES)) and not part.endswith(b"\n"):
                    pass
                yield None
            else:
                yield line.removesuffix(b"\n").decode("utf-8", "backslashreplace")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadLine(f"the compressed file is damaged here: {error}") from error


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's lines, the same whether it is compressed or not."""
    found = hashlib.sha256()
    with opened(path) as stream:
        try:
            while part := stream.read(1 << 20):
                found.update(part)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            found.update(b"damaged")
    return found.hexdigest()


def data_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files meant: those named, and those below named folders that hold lines.

    A folder with a file `data` or `data.gz` is one machine's: what lies deeper there was
    collected in that file. UsageError for a name that is nothing, or a folder without any.
    """
    for path in paths:
        if path.is_dir():
            found = list(_below(path))
            if not found and (path / RESULTS).is_file():
                raise UsageError(
                    f"{path} is a results folder of Assay",
                    "Name it beside others (`assay show A B`, `assay site A B`), or import the "
                    f"archive that `assay collect {path} --archive` makes of it.",
                )
            if not found:
                raise UsageError(
                    f"no database lines in {path}",
                    "Name a file `data` or `data.gz` of SUPERCOP's folder bench, or that folder.",
                )
            yield from found
        elif path.is_file():
            yield path
        else:
            what = "is no file" if path.exists() else "does not exist"
            raise UsageError(f"{path} {what}", "Name a file or folder that is there.")


def reader_for(path: Path) -> LineReader | TableReader:
    """Return what reads a file, by its first line: database lines, or a published table.

    A table has no day in it; that of the file stands for it.
    """
    with opened(path) as stream:
        try:
            first = next(lines(stream), None)
        except BadLine:
            first = None
    day = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y%m%d")
    return table_reader(path.name, first or "", day) or LineReader()


def has_lines(path: Path, look: int | None = None) -> bool:
    """Return whether there is a result in a file, or in its first `look` lines."""
    reader = reader_for(path)
    with opened(path) as stream:
        return any(run.records for run in reader.runs(islice(lines(stream), look)))


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files with lines at and below a folder, in the order of their names."""
    entries = sorted(folder.iterdir())
    files = [path for path in entries if path.is_file() and not path.is_symlink()]
    data = [path for path in files if path.name in DATA and has_lines(path, LOOK_LINES)]
    if data:
        yield from data
        return
    yield from (path for path in files if has_lines(path, LOOK_LINES))
    for path in entries:
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
