# SPDX-License-Identifier: MIT
"""Which files a package consists of, and their hash.

Links are followed only as far as they stay below a named folder. Folders that
are packages themselves belong to nobody else.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field

from assay.errors import PackageError
from assay.model.api import STEM, Api
from assay.model.apis import PACKAGED, STREAM_HEADERS, STREAMS
from assay.package.text import code_of, open_regular, read_text

LIMIT_FILES = 2000
LIMIT_BYTES = 64 << 20
LIMIT_DEPTH = 12
COMPILED = (".c", ".h", ".S", ".s", ".inc", ".cc", ".cpp", ".hpp", ".rs")
IGNORED_FOLDERS = frozenset({".git", ".svn", ".hg", "cvs", "__macosx", "unused"})


class Contents(Struct, frozen=True):
    """The files of a package: relative names and where their bytes really are.

    `odd` names what is there and is no file: sockets, devices, FIFOs, dangling links.
    """

    folder: Path
    files: Mapping[str, Path]
    odd: tuple[str, ...]
    _texts: dict[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Read a file of the package as text."""
        if name not in self._texts:
            self._texts[name] = read_text(self.files[name])
        return self._texts[name]

    def code(self, name: str) -> str:
        """Read a file of the package without its comments."""
        return code_of(self.text(name))

    def top(self, *suffixes: str) -> tuple[str, ...]:
        """Name the files directly in the folder that end so."""
        return tuple(n for n in self.files if "/" not in n and n.endswith(suffixes))

    def spelled(self, name: str) -> str | None:
        """Find a file directly in the folder whatever the case of its letters."""
        if name in self.files:
            return name
        same = (n for n in self.files if n.lower() == name.lower())
        return next(same, None)


def readable(names: Iterable[str], read: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of what a compiler may read, but not what is too large."""
    for name in names:
        if name.endswith(COMPILED):
            with suppress(PackageError):
                yield name, read(name)


def is_vector_file(name: str) -> bool:
    """Return whether the name is that of a vector file, verified or not."""
    return name.endswith(".test-vectors")


def has_header(folder: Path) -> bool:
    """Return whether a folder is the package of a stream cipher: whether it has such a header."""
    try:
        return any(entry.name.lower() in STREAM_HEADERS for entry in folder.iterdir())
    except OSError:
        return False


def read_contents(folder: Path, limit_root: Path) -> Contents:
    """List a package's files, refusing links out of `limit_root` and oversized packages."""
    files: dict[str, Path] = {}
    odd: list[str] = []
    total = 0
    for name, path in _walk(folder, "", limit_root.resolve(), (folder.resolve(),)):
        mode = path.stat() if path.exists() else None
        if mode is None or not stat.S_ISREG(mode.st_mode):
            odd.append(name)
        elif not is_vector_file(name):
            files[name] = path
            total += mode.st_size
        if len(files) + len(odd) > LIMIT_FILES or total > LIMIT_BYTES:
            raise PackageError(
                f"{folder} has more than {LIMIT_FILES} files or {LIMIT_BYTES >> 20} MB",
                "Remove what the implementation does not need.",
            )
    return Contents(folder, dict(sorted(files.items())), tuple(sorted(odd)))


def _walk(
    folder: Path, prefix: str, limit: Path, chain: tuple[Path, ...]
) -> Iterator[tuple[str, Path]]:
    """Yield names relative to the package and real places, folders opened up."""
    for entry in _listed(folder):
        name = prefix + _decent(entry, folder)
        path = confined(folder / entry, limit)
        if not path.is_dir():
            yield name, path
        elif not (entry.lower() in IGNORED_FOLDERS or path in chain or has_header(path)):
            if len(chain) > LIMIT_DEPTH:
                raise PackageError(f"{path} is nested too deep", "Put the files in one folder.")
            yield from _walk(path, f"{name}/", limit, (*chain, path))


def _listed(folder: Path) -> list[str]:
    """List a folder in a fixed order."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise PackageError(
            f"{folder} cannot be listed: {error.strerror}", "Give read permission on the folder."
        ) from error


def _decent(name: str, folder: Path) -> str:
    """Refuse names that no report or Makefile could write down."""
    if name.isprintable():
        return name
    raise PackageError(
        f"{folder} has a file with an unprintable name: {name!a}",
        "Rename it; letters, digits, dots and dashes are enough.",
    )


def confined(path: Path, limit: Path) -> Path:
    """Follow a link, as far as it stays below `limit` (a resolved folder).

    What is no link is returned as it is; a dangling link as its missing target.
    """
    if not path.is_symlink():
        return path
    try:
        target = path.resolve()
    except (OSError, RuntimeError):  # a loop
        return path
    if target.is_relative_to(limit):
        return target
    raise PackageError(
        f"{path} is a link to {path.readlink()}, outside of {limit}",
        "Put the file itself in the package.",
    )


def content_hash(folder: Path, files: Iterable[str]) -> str:
    """Digest the names and bytes of a package's files (SHA-256, hexadecimal)."""
    return digest_of((name, _file_digest(folder / name)) for name in sorted(files))


def digest_with(digest: str, text: str) -> str:
    """Digest files and what else decides what they become; the same digest without that."""
    return hashlib.sha256(f"{digest} {text}".encode()).hexdigest() if text else digest


def _file_digest(path: Path) -> bytes:
    with os.fdopen(open_regular(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def digest_of(files: Iterable[tuple[str, bytes]]) -> str:
    """Digest names with the SHA-256 of each content; files come in the order of their names.

    Each name is preceded by its length, so that no two different packages have the same
    input.
    """
    total = hashlib.sha256()
    for name, digest in files:
        encoded = os.fsencode(name)
        total.update(len(encoded).to_bytes(8, "big") + encoded + digest)
    return total.hexdigest()


def api_of(folder: Path) -> Api | None:
    """Return the API of the package that a folder holds; None if it is no package.

    Where a stream cipher has several headers, its loader decides.
    """
    others = (one for one in PACKAGED.values() if one.name not in STREAMS)
    stream = next(iter(STREAMS.values())) if has_header(folder) else None
    return stream or next((one for one in others if header_of(folder, one)), None)


def header_of(folder: Path, api: Api) -> str | None:
    """Name the header in a folder that is one of the API; None if there is none."""
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".h"))
        other = any((folder / name).exists() for name in api.marks.unless)
    except OSError:
        return None
    if other:
        return None
    named = (name for name in api.marks.headers if name in names)
    declaring = (name for name in names if _declares(folder / name, api.marks.declares))
    return next(named, None) or next(declaring, None)


def _declares(path: Path, patterns: tuple[str, ...]) -> bool:
    """Return whether a header is that of an API, by what it says; it may break every rule."""
    name = path.stem
    if not patterns or not name.isidentifier() or not name.isascii() or not path.is_file():
        return False
    try:
        code = code_of(read_text(path))
    except PackageError:
        return False
    return all(re.search(one.replace(STEM, name), code) for one in patterns)
