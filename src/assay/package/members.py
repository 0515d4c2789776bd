# SPDX-License-Identifier: MIT
"""What an archive holds: one reader for zip, one for tar under any compression.

A tar file is decompressed by us and read as a stream that ends with an error
after a bound, since the library would believe a header that claims gigabytes.
"""

import bz2
import gzip
import lzma
import posixpath
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, NoReturn, cast

from assay.errors import PackageError

BAD_ARCHIVE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,  # encrypted zip files
    ValueError,
)
"""What the libraries raise for damaged or unsupported archives."""

_LINK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Member:
    """One entry: a file that can be opened, a link with a target, or a folder (neither).

    `link` is a path from the archive's root. Files must be read before the next
    member is asked for.
    """

    name: str
    open: Callable[[], IO[bytes]] | None = None
    link: str | None = None


def is_archive(path: Path) -> bool:
    """Whether the file looks like something to unpack, by its first bytes."""
    try:
        if not path.is_file():
            return False
        if zipfile.is_zipfile(path):
            return True
        with _decompressed(path) as file:
            tarfile.TarInfo.frombuf(file.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
    except BAD_ARCHIVE:
        return False
    return True


def members(path: Path, limit_bytes: int) -> Iterator[Member]:
    """List an archive, reading at most `limit_bytes` of decompressed tar."""
    return _zip_members(path) if zipfile.is_zipfile(path) else _tar_members(path, limit_bytes)


def _zip_members(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as file:
        for info in file.infolist():
            mode = info.external_attr >> 16
            if info.is_dir():
                yield Member(info.filename)
            elif stat.S_ISLNK(mode):
                with file.open(info) as member:
                    target = member.read(_LINK_BYTES).decode("utf-8", "replace")
                yield Member(info.filename, link=_beside(info.filename, target))
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                yield Member(info.filename, open=partial(file.open, info))
            else:
                _refuse_special(info.filename)


def _tar_members(path: Path, limit_bytes: int) -> Iterator[Member]:
    """List a tar file. A hard link names its target from the archive's root."""
    with (
        _decompressed(path) as raw,
        tarfile.open(fileobj=cast("IO[bytes]", _Bounded(raw, limit_bytes)), mode="r|") as file,
    ):
        for info in file:
            if info.isdir():
                yield Member(info.name)
            elif info.issym():
                yield Member(info.name, link=_beside(info.name, info.linkname))
            elif info.islnk():
                yield Member(info.name, link=posixpath.normpath(info.linkname))
            elif info.isfile():
                yield Member(info.name, open=partial(_extract, file, info))
            else:
                _refuse_special(info.name)


def _extract(file: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    """Open a regular member of a tar file."""
    stream = file.extractfile(info)
    if stream is None:
        _refuse_special(info.name)
    return stream


def _decompressed(path: Path) -> IO[bytes]:
    """Open a file behind its compression, told by its first bytes."""
    with path.open("rb") as file:
        magic = file.read(6)
    if magic.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(path))
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(path)
    if magic.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(path)
    return path.open("rb")


class _Bounded:
    """The reading half of a file, up to a number of bytes."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file = file
        self._left = limit

    def read(self, size: int) -> bytes:
        """Read, or raise a PackageError after the last permitted byte."""
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise PackageError("the archive unpacks to too many bytes", "Leave out large files.")
        return data


def _beside(name: str, target: str) -> str:
    """Write a link's target as a path from the archive's root."""
    folder = posixpath.dirname(posixpath.normpath(name))
    return posixpath.normpath(posixpath.join(folder, target))


def _refuse_special(name: str) -> NoReturn:
    """Raise: devices, FIFOs and sockets have no place in a package."""
    raise PackageError(
        f"the archive has a special file: {name!a}", "Pack regular files and folders only."
    )
