# SPDX-License-Identifier: MIT
"""Unpacking submitted archives.

Nothing is extracted by the libraries' own extractors. Names are checked, bytes
are counted as they come (headers lie), links become copies of the member that
they point to, and the files are created by us, new and without permissions
beyond reading and writing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from assay.errors import PackageError
from assay.package.members import BAD_ARCHIVE, Member, members

_CHUNK = 1 << 16
_HEADER_BYTES = 2048  # of tar, per member, rounded up
_LONGEST_NAME = 200
_LINK_HOPS = 8
_SMALLER = "Leave out what the implementation does not need."


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold. The largest genuine submission seen has 0.9 MB."""

    files: int = 2000
    total_bytes: int = 64 << 20
    depth: int = 12


def unpack(archive: Path, into: Path, limits: Limits | None = None) -> tuple[str, ...]:
    """Unpack an archive into a new or empty folder and name the files, sorted.

    Raises PackageError if a name is absolute, climbs by `..` or appears twice, a
    link leads out of the archive, a member is a device, or a limit is passed.
    What was written until then stays in `into`.
    """
    limits = limits or Limits()
    into.mkdir(parents=True, exist_ok=True)
    if any(into.iterdir()):
        raise PackageError(f"{into} is not empty", "Name a new folder to unpack into.")
    if archive.stat().st_size > limits.total_bytes:
        raise PackageError(f"{archive} is larger than {limits.total_bytes} bytes", _SMALLER)
    bound = 2 * (limits.total_bytes + _HEADER_BYTES * limits.files)
    try:
        return _write(members(archive, bound), into, limits)
    except BAD_ARCHIVE as error:
        raise PackageError(
            f"{archive} cannot be unpacked: {error}", "Pack it again as .zip or .tar.gz."
        ) from error


def _write(entries: Iterator[Member], into: Path, limits: Limits) -> tuple[str, ...]:
    """Write the files, then the copies that stand for links."""
    written: dict[str, Path] = {}
    links: dict[str, str] = {}
    room = limits.total_bytes
    for count, member in enumerate(entries):
        name = safe_name(member.name, limits.depth)
        if count >= limits.files * 2 or len(written) + len(links) > limits.files:
            raise PackageError(f"the archive has more than {limits.files} files", _SMALLER)
        if member.link is not None:
            links[_new(name, written, links)] = member.link
        elif member.open is not None:
            path = _place(into, _new(name, written, links))
            room -= _copy(member.open, path, room)
            written[name] = path
    for name in links:
        source = written[_target(name, links, written)]
        room -= _copy(partial(_reading, source), _place(into, name), room)
    return tuple(sorted({*written, *links}))


def safe_name(name: str, depth: int = 12) -> str:
    """Turn a member's name into a relative path, or raise a PackageError.

    Backslashes count as separators (DOS archives); `.` parts are dropped, and
    the root itself is ".".
    """
    plain = name.replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if not parts and not plain.startswith("/"):
        return "."
    if (
        plain.startswith("/")
        or ".." in parts
        or not name.isprintable()
        or parts[0][1:2] == ":"
        or len(parts) > depth
        or any(len(part.encode()) > _LONGEST_NAME for part in parts)
    ):
        raise PackageError(
            f"the archive has a file with an unsafe name: {name[:_LONGEST_NAME]!a}",
            "Pack it again with plain relative names.",
        )
    return "/".join(parts)


def _new(name: str, written: dict[str, Path], links: dict[str, str]) -> str:
    """Refuse a second member of a name."""
    if name in written or name in links:
        raise PackageError(f"the archive has {name!a} twice", "Pack it again.")
    return name


def _place(into: Path, name: str) -> Path:
    """Make the folders above a member; what is in the way is an error."""
    path = into / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        in_the_way = path.exists()
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
                raise PackageError("the archive unpacks to too many bytes", _SMALLER)
            target.write(chunk)
    return total


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
