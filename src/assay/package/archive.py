# SPDX-License-Identifier: MIT
"""Unpacking submitted archives.

Nothing is extracted by the libraries' own extractors. Names are checked, bytes
are counted as they come (headers lie), links become copies of the member that
they point to, or are made last of all, and the files are created by us, new and
without permissions beyond reading and writing.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO
from unicodedata import normalize

from msgspec import Struct, field

from assay.errors import PackageError
from assay.package.members import BAD_ARCHIVE, Member, members

_CHUNK = 1 << 16
_HEADER_BYTES = 2048  # of tar, per member, rounded up
_LISTED_BYTES = 1024  # of zip's list, per member, rounded up
_LONGEST_NAME = 200
_SLASHES = frozenset("\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c")  # that look so
_LONGEST_LINK = 1000
_LINK_HOPS = 8
_SMALLER = "Leave out unneeded files; `assay add --large` accepts ten times as much."
_PLAIN_NAMES = "Pack it again with plain relative names."


class ArchiveLimits(Struct, frozen=True):
    """How much an archive may hold. The largest genuine submission seen has 0.9 MB.

    `ratio` bounds the unpacked bytes by those of the archive, beyond `free_bytes`, which
    any archive may have: texts pack to a tenth, tables of numbers to a fiftieth.
    """

    files: int = 2000
    total_bytes: int = 64 << 20
    depth: int = 12
    ratio: int = 200
    free_bytes: int = 4 << 20


def unpack(
    archive: Path, into: Path, limits: ArchiveLimits | None = None, *, keep_links: bool = False
) -> tuple[str, ...]:
    """Unpack an archive into a new or empty folder and name the files and links, sorted.

    With `keep_links` symbolic links stay links, folders and missing files may be their
    targets, and the caller must see where they lead (`assay.package.arrival`); otherwise
    they become copies of files. Raises PackageError if a name is absolute, climbs by `..`,
    begins with a dash or appears twice, a link leads out of the archive, a member is a
    device, or a limit is passed. What was written until then stays in `into`.
    """
    limits = limits or ArchiveLimits()
    into.mkdir(parents=True, exist_ok=True)
    if any(into.iterdir()):
        raise PackageError(f"{into} is not empty", "Name a new folder to unpack into.")
    packed = archive.stat().st_size
    if packed > limits.total_bytes:
        raise PackageError(f"{archive} is larger than {limits.total_bytes} bytes", _SMALLER)
    bound = 2 * (limits.total_bytes + _HEADER_BYTES * limits.files)
    room = min(limits.total_bytes, limits.free_bytes + limits.ratio * packed)
    try:
        work = _Unpacking(into, limits, room, keep_links=keep_links)
        for member in members(archive, bound, _LISTED_BYTES * limits.files):
            work.take(member)
        return work.finish()
    except BAD_ARCHIVE as error:
        says = str(error) or type(error).__name__
        raise PackageError(
            f"{archive} cannot be unpacked: {says}", "Pack it again as .zip or .tar.gz."
        ) from error


class _Unpacking(Struct):
    """An archive on its way into a folder: what came, and how many bytes may still come."""

    into: Path
    limits: ArchiveLimits
    room: int
    keep_links: bool
    count: int = 0
    written: dict[str, Path] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def take(self, member: Member) -> None:
        """Write a member, or remember a link until all files are there."""
        name = safe_name(member.name, self.limits.depth)
        self.count += 1
        many = self.limits.files
        if self.count > many * 2 or len(self.names) > many:
            raise PackageError(f"the archive has more than {many} files", _SMALLER)
        if member.link is None and member.open is None:
            return
        self._new(name)
        if member.link is not None and member.target is not None and self.keep_links:
            self.kept[name] = _decent_target(name, member.target)
        elif member.link is not None:
            self.links[name] = member.link
        elif member.open is not None:
            self.written[name] = self._write(name, member.open, member.size_bytes)

    def finish(self) -> tuple[str, ...]:
        """Write the copies that stand for links, then the links that stay."""
        for name in self.links:
            source = self.written[_target(name, self.links, self.written)]
            self._write(name, partial(_reading, source), 0)
        places = {name: _place(self.into, name) for name in self.kept}
        for name, place in places.items():
            _place(self.into, name)  # another link may have taken a folder's place
            place.symlink_to(self.kept[name])
        return tuple(sorted({*self.written, *self.links, *self.kept}))

    def _new(self, name: str) -> None:
        """Refuse a second member of a name, also if only accents are written otherwise."""
        plain = normalize("NFKC", name)
        if plain in self.names:
            raise PackageError(f"the archive has {name!a} twice", "Pack it again.")
        self.names.add(plain)

    def _write(self, name: str, opener: Callable[[], IO[bytes]], claimed: int) -> Path:
        """Write a file of at most as many bytes as there is room for."""
        if claimed > self.room:
            raise _too_many()
        path = _place(self.into, name)
        self.room -= _copy(opener, path, self.room)
        return path


def safe_name(name: str, depth: int = 12) -> str:
    """Turn a member's name into a relative path, or raise a PackageError.

    Backslashes count as separators (DOS archives); `.` parts are dropped, and
    the root itself is ".". A name that begins with a dash would be an option to some
    compiler.
    """
    plain = name.replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if not parts and not plain.startswith("/"):
        return "."
    if (
        plain.startswith("/")
        or ".." in parts
        or not name.isprintable()
        or _is_ambiguous(name)
        or parts[0][1:2] == ":"
        or len(parts) > depth
        or any(part.startswith("-") or len(part.encode()) > _LONGEST_NAME for part in parts)
    ):
        raise PackageError(
            f"the archive has a file with an unsafe name: {name[:_LONGEST_NAME]!a}", _PLAIN_NAMES
        )
    return "/".join(parts)


def _is_ambiguous(name: str) -> bool:
    """Return whether another program may see separators or dots where there are none.

    Some systems normalise names (Unicode, Annex 15): then U+FF0E twice is `..`.
    """
    plain = normalize("NFKC", name)
    changed = any(plain.count(one) != name.count(one) for one in "/\\.:")
    return changed or not _SLASHES.isdisjoint(name)


def _decent_target(name: str, target: str) -> str:
    """Refuse what no link inside a package says; where it leads is seen later."""
    plain = target.isprintable() and "\\" not in target and not target.startswith("/")
    if target and plain and len(target.encode()) <= _LONGEST_LINK:
        return target
    raise PackageError(
        f"the archive has a link {name!a} to {target[:_LONGEST_NAME]!a}",
        "Put the file itself in the archive.",
    )


def _place(into: Path, name: str) -> Path:
    """Make the folders above a member; what is in the way is an error.

    Links are made after all files and folders, and nothing is ever written through one.
    """
    path = into / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        above = (one for one in path.parents if one != into and one.is_relative_to(into))
        in_the_way = path.exists() or path.is_symlink() or any(one.is_symlink() for one in above)
    except (FileExistsError, NotADirectoryError):
        in_the_way = True
    if in_the_way:
        raise PackageError(
            f"the archive uses {name!a} as a file and as a folder", "Pack it again."
        )
    return path


def _copy(opener: Callable[[], IO[bytes]], path: Path, room: int) -> int:
    """Write at most `room` bytes and return how many there were."""
    total = 0
    with opener() as source, path.open("xb") as target:
        while chunk := source.read(_CHUNK):
            total += len(chunk)
            if total > room:
                raise _too_many()
            target.write(chunk)
    return total


def _too_many() -> PackageError:
    return PackageError("the archive unpacks to too many bytes", _SMALLER)


def _reading(path: Path) -> IO[bytes]:
    """Open for reading."""
    return path.open("rb")


def _target(name: str, links: dict[str, str], written: dict[str, Path]) -> str:
    """Follow a link by name through the archive, to a file of the archive."""
    current = name
    for _ in range(_LINK_HOPS):
        if current not in links:
            break
        current = links[current]
    if current in written:
        return current
    raise PackageError(
        f"the archive has a link {name!a} to {links[name]!a}, which is no file in it",
        "Put the file itself in the archive.",
    )
