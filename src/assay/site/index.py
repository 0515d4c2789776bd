# SPDX-License-Identifier: MIT
"""The index: what was read of each folder, kept in the user's cache until the folder changes.

A folder's cells lie in one file, primitive by primitive; a second file says where, with a digest
of each block. So a page's inputs are known without reading them, and a primitive is read alone.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.machine.cache import cache_folder
from assay.site.cells import Folder, SiteCell, SiteMachine, digest
from assay.site.imported import imported_folders
from assay.site.names import Key
from assay.site.reading import PlaceCells, own_folders, places_of, readable
from assay.store import FILE_NAME
from assay.writing import write_below

FOLDER = "site"
CELLS = msgspec.json.Decoder(tuple[SiteCell, ...])
Reader = Callable[[Path], Iterable[Folder]]


@dataclass(frozen=True, slots=True)
class IndexBlock:
    """The cells of a primitive at a place of a folder, and where they lie in the index."""

    source: str
    machine: str
    start: int
    length: int
    digest: str
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """A folder as the index has it: machines, and their blocks by primitive."""

    folder: Path
    machines: tuple[SiteMachine, ...]
    blocks: tuple[tuple[Key, IndexBlock], ...]
    warnings: tuple[str, ...] = ()
    error: str = ""


def place_of(folder: Path) -> Path:
    """Return where the index of a folder lies in the user's cache."""
    return cache_folder() / FOLDER / digest(str(folder.resolve()), length=32)


def stamp_of(folder: Path, maker: str) -> str:
    """State what a folder's results are, by the looks of the files, and what reads them."""
    found = [maker]
    for end in ("", "-wal"):
        path = folder / f"{FILE_NAME}{end}"
        if path.is_file():
            known = path.stat()
            found.append(f"{known.st_size} {known.st_mtime_ns} {known.st_ino}")
    return digest(*found, length=32)


def shard_of(folder: Path, maker: str) -> Shard:
    """Return the index of a folder, made anew where the folder or what reads it changed.

    What is wrong with a folder is in the shard, and no error: other folders are shown.
    """
    try:
        stamp, place = stamp_of(folder, maker), place_of(folder)
        known = _known(folder, place, stamp)
        if known is not None:
            return known
        with readable(folder) as store:
            places = places_of(folder, store, _places(place, maker))
            found = [*own_folders(store, places), *imported_folders(store)]
        _write(place, stamp, maker, places, found)
    except (AssayError, OSError) as why:
        return Shard(folder, (), (), error=str(why))
    return _known(folder, place, stamp) or Shard(folder, (), (), error="its index is damaged")


def cells_at(block: IndexBlock) -> tuple[SiteCell, ...]:
    """Read the cells of a block."""
    with Path(f"{block.source}.cells").open("rb") as file:
        file.seek(block.start)
        return CELLS.decode(file.read(block.length))


def _known(folder: Path, place: Path, stamp: str) -> Shard | None:
    """Read an index that is there and fits; one that was cut off is made again."""
    try:
        found = json.loads(Path(f"{place}.json").read_text("utf-8"))
        if found["stamp"] != stamp or found["bytes"] != Path(f"{place}.cells").stat().st_size:
            return None
        blocks = tuple(
            (
                (one[0], one[1]),
                IndexBlock(str(place), one[2], one[3], one[4], one[5], tuple(one[6])),
            )
            for one in found["blocks"]
        )
        machines = msgspec.convert(found["machines"], tuple[SiteMachine, ...])
        return Shard(folder, machines, blocks, tuple(found["warnings"]))
    except (OSError, ValueError, LookupError, TypeError, msgspec.MsgspecError):
        return None


def _places(place: Path, maker: str) -> dict[str, PlaceCells]:
    """Return what an older index of the folder has by place; nothing if it is damaged."""
    try:
        head = json.loads(Path(f"{place}.json").read_text("utf-8"))
        if head["maker"] != maker:
            return {}
        cells: dict[str, list[SiteCell]] = {}
        for one in head["blocks"]:
            block = IndexBlock(str(place), one[2], one[3], one[4], one[5], tuple(one[6]))
            for cell in cells_at(block):
                own = cell if cell.began else replace(cell, ended="")
                cells.setdefault(cell.place, []).append(own)
        return {
            name: PlaceCells(stamp, tuple(cells.get(name, ())), tuple(warnings))
            for name, (stamp, warnings) in head["places"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, msgspec.MsgspecError):
        return {}


def _write(
    place: Path,
    stamp: str,
    maker: str,
    places: Mapping[str, PlaceCells],
    found: Iterable[Folder],
) -> None:
    """Write the index of a folder: blocks first, then where they lie."""
    texts: list[str] = []
    blocks: list[list[Any]] = []
    start = 0
    known = tuple(found)
    for one in known:
        for key, cells in _by_primitive(one.cells).items():
            data = msgspec.json.encode(cells)
            text = data.decode()
            versions = sorted({cell.version for cell in cells if cell.version})
            where = [*key, one.machine.identity, start, len(data), digest(text), versions]
            blocks.append(where)
            texts.append(text)
            start += len(data)
    head = {
        "stamp": stamp,
        "maker": maker,
        "bytes": start,
        "places": {name: (one.stamp, one.warnings) for name, one in places.items()},
        "machines": [one.machine for one in known],
        "blocks": blocks,
        "warnings": list(dict.fromkeys(text for one in known for text in one.warnings)),
    }
    write_below(place.parent, f"{place.name}.cells", "".join(texts))
    write_below(place.parent, f"{place.name}.json", msgspec.json.encode(head).decode())


def _by_primitive(cells: Iterable[SiteCell]) -> dict[Key, list[SiteCell]]:
    found: dict[Key, list[SiteCell]] = {}
    for cell in cells:
        found.setdefault(cell.key, []).append(cell)
    return found
