# SPDX-License-Identifier: MIT
"""The index: what was read of each folder, kept in the user's cache until the folder changes.

A folder's cells lie in one file, primitive by primitive; a second file says where, with a digest
of each block. So a page's inputs are known without reading them, and a primitive is read alone.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.errors import AssayError
from assay.grouped import grouped
from assay.machine.cache import cache_folder
from assay.site.cells import Folder, SiteCell, SiteMachine, digest, digest_of
from assay.site.names import Key
from assay.site.reading import imported_folders, own_folders, readable
from assay.stats.comparison import SIMULATED, Draws
from assay.store import FILE_NAME
from assay.writing import write_below

FOLDER = "site"
CELLS = msgspec.json.Decoder(tuple[SiteCell, ...])


class IndexBlock(Struct, frozen=True):
    """The cells of a primitive at a place of a folder, and where they lie in the index."""

    source: str
    machine: str
    start: int
    length: int
    digest: str
    versions: tuple[str, ...]


class Shard(Struct, frozen=True):
    """A folder as the second file has it: machines, and their blocks by primitive."""

    folder: str
    stamp: str = ""
    bytes: int = 0
    machines: tuple[SiteMachine, ...] = ()
    blocks: tuple[tuple[Key, IndexBlock], ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""


SHARD = msgspec.json.Decoder(Shard)
DRAWS = msgspec.json.Decoder(list[tuple[Draws, tuple[float, float]]])
DRAWN = "draws.json"


def recall_draws() -> None:
    """Take over what other processes simulated of comparisons: NumPy takes long to begin."""
    with suppress(OSError, msgspec.MsgspecError):
        SIMULATED.update(DRAWS.decode((cache_folder() / FOLDER / DRAWN).read_bytes()))


def keep_draws() -> None:
    """Keep what was simulated for other processes."""
    write_below(cache_folder() / FOLDER, DRAWN, msgspec.json.encode(list(SIMULATED.items())))


def place_of(folder: Path) -> Path:
    """Return where the index of a folder lies in the user's cache."""
    return cache_folder() / FOLDER / digest(str(folder.resolve()), length=32)


def stamp_of(folder: Path, place: Path, maker: str) -> str:
    """State what a folder's results are, by the looks of the files, and what reads them."""
    found = [maker, str(place)]
    for end in ("", "-wal"):
        path = folder / f"{FILE_NAME}{end}"
        if path.is_file():
            known = path.stat()
            found.append(f"{known.st_size} {known.st_mtime_ns} {known.st_ino}")
    return digest(*found, length=32)


def known_shard(folder: Path, maker: str) -> Shard | None:
    """Return the index of a folder if it is as it was, and None if it must be read."""
    place = place_of(folder)
    try:
        found = SHARD.decode(Path(f"{place}.json").read_bytes())
        there = Path(f"{place}.cells").stat().st_size
    except (OSError, msgspec.MsgspecError):
        return None
    as_it_was = (found.stamp, found.bytes) == (stamp_of(folder, place, maker), there)
    return replace(found, folder=str(folder)) if as_it_was else None


def shard_of(folder: Path, maker: str, *, lines: bool = False) -> Shard:
    """Read a folder, and return its index, which is kept.

    With SUPERCOP's `lines`, of which `maker` must tell, too. What is wrong with a folder is in
    the shard, and no error: other folders are shown.
    """
    try:
        place = place_of(folder)
        stamp = stamp_of(folder, place, maker)
        with readable(folder) as store:
            found = [*own_folders(folder, store, lines=lines), *imported_folders(store)]
        _write(place, stamp, found)
    except (AssayError, OSError) as why:
        return Shard(str(folder), error=str(why))
    return known_shard(folder, maker) or Shard(str(folder), error="its index is damaged")


def cells_at(block: IndexBlock) -> tuple[SiteCell, ...]:
    """Read the cells of a block."""
    with Path(f"{block.source}.cells").open("rb") as file:
        file.seek(block.start)
        return CELLS.decode(file.read(block.length))


def _write(place: Path, stamp: str, found: Sequence[Folder]) -> None:
    """Write the index of a folder: blocks first, then where they lie."""
    written: list[bytes] = []
    blocks: list[tuple[Key, IndexBlock]] = []
    start = 0
    for one in found:
        for key, cells in grouped((cell.key, cell) for cell in one.cells).items():
            data = msgspec.json.encode(cells)
            versions = tuple(sorted({cell.version for cell in cells if cell.version}))
            blocks.append((key, IndexBlock(str(place), one.machine.identity, start, len(data),
                                           digest_of(data), versions)))  # fmt: skip
            written.append(data)
            start += len(data)
    warnings = dict.fromkeys(text for one in found for text in one.warnings)
    machines = tuple(one.machine for one in found)
    head = Shard("", stamp, start, machines, tuple(blocks), tuple(warnings))
    write_below(place.parent, f"{place.name}.cells", b"".join(written))
    write_below(place.parent, f"{place.name}.json", msgspec.json.encode(head))
