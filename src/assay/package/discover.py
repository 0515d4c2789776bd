# SPDX-License-Identifier: MIT
"""Finding the packages of a tree."""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from assay.errors import PackageError, UsageError
from assay.model import BrokenPackage, Package
from assay.model.apis import COMPACT, SHA3_NIST, STREAMS
from assay.package.builds.makefile import parse_makefile
from assay.package.estream import load_estream
from assay.package.hashes import load_compact, load_sha3_nist
from assay.package.places import FOLDERS, TREE, is_folder
from assay.package.records import Loading, name_package
from assay.package.text import read_text
from assay.package.tree import IGNORED_FOLDERS, LIMIT_DEPTH, api_of

LIMIT_FOLDERS = 20_000
"""Below one that somebody names; a tree of SUPERCOP has half as many."""

Found = Package | BrokenPackage


def discover(root: Path) -> tuple[Found, ...]:
    """Load every package below the folders of packages, in the order of their places.

    What cannot be loaded is a BrokenPackage. Of two packages with one selector
    the one in benchmarks/ is called by its place.
    """
    found = [one for part in FOLDERS for one in load_below(root / part, root)]
    found.sort(key=lambda one: one.place)
    taken = {one.selector for one in found if one.place.startswith("submissions/")}
    return tuple(
        replace(one, selector=one.place)
        if one.place.startswith("benchmarks/") and one.selector in taken
        else one
        for one in found
    )


def load_below(folder: Path, root: Path, prefix: str = "") -> tuple[Found, ...]:
    """Load every package in `folder` or below it; places are paths below `root`.

    `prefix` is put before each place. Links to folders are followed below `root`.
    """
    limit = root.resolve()
    found: list[Found] = []
    for place in _folders(folder, limit):
        relative = place.relative_to(root) if place.is_relative_to(root) else Path(place.name)
        named = "/".join(part for part in (prefix, relative.as_posix()) if part not in ("", "."))
        found += load_all(place, limit, named or folder.name)
    return tuple(found)


def is_package(folder: Path) -> bool:
    """Return whether a folder has a header of one of the APIs."""
    return api_of(folder) is not None


def load_or_explain(folder: Path, tree_root: Path, place: str) -> Found:
    """Load the one package of a folder, or say why that is impossible."""
    return load_all(folder, tree_root, place)[0]


def load_all(folder: Path, tree_root: Path, place: str) -> tuple[Found, ...]:
    """Load the packages of a folder, by the API whose header it has; or say why not."""

    def read() -> tuple[Found, ...]:
        api = api_of(folder)
        load = LOADERS[api.name] if api else _load_cipher
        return load(folder, tree_root=tree_root, place=place)

    selector = name_package(place).selector
    loading = Loading(
        folder, place, tree_root, lambda error: f"{folder}: {error}", selector=selector
    )
    found = loading.load(read)
    return (found,) if isinstance(found, BrokenPackage) else found


def _load_cipher(folder: Path, *, tree_root: Path, place: str) -> tuple[Package, ...]:
    """Load a stream cipher; a folder without any header is told so by this loader."""
    return (load_estream(folder, tree_root=tree_root, place=place),)


LOADERS = {
    **dict.fromkeys(STREAMS, _load_cipher),
    COMPACT.name: load_compact,
    SHA3_NIST.name: load_sha3_nist,
}
"""What makes packages of a folder, by API."""


def _folders(folder: Path, limit: Path) -> Iterator[Path]:
    """Walk folders in order, yielding those that are, or are meant to be, packages.

    The shipped tree in SUPERCOP's layout is passed over. Raises UsageError where there are
    too many folders: somebody named `/`, say.
    """
    todo: list[tuple[Path, tuple[Path, ...]]] = [(folder, ())]
    tree = limit / TREE
    seen = 0
    while todo:
        place, chain = todo.pop()
        real = place.resolve()
        if real in chain or len(chain) > LIMIT_DEPTH or not real.is_relative_to(limit):
            continue
        if real == tree:
            continue
        seen += 1
        if seen > LIMIT_FOLDERS:
            raise UsageError(
                f"{folder} has more than {LIMIT_FOLDERS} folders", "Name the package's own folder."
            )
        wanted, below = _looked_into(place)
        if wanted:
            yield place
        todo += [(place / name, (*chain, real)) for name in reversed(below)]


def _looked_into(folder: Path) -> tuple[bool, list[str]]:
    """Return whether a folder is meant to be a package, and name the folders in it.

    What cannot be read is no package and has none.
    """
    try:
        entries = sorted(entry.name for entry in folder.iterdir())
        wanted = is_package(folder) or _wants_header(folder, entries)
    except OSError:
        return False, []
    below = [name for name in entries if name.lower() not in IGNORED_FOLDERS]
    return wanted, [name for name in below if is_folder(folder / name)]


def _wants_header(folder: Path, entries: list[str]) -> bool:
    """Return whether a folder without a header has a package's Makefile."""
    if "Makefile" not in entries:
        return False
    try:
        settings = parse_makefile(read_text(folder / "Makefile"))
    except PackageError:
        return False
    return settings.name is not None and settings.type is not None
