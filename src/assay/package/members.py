# SPDX-License-Identifier: MIT
"""What an archive holds: one reader for zip, one for tar under any compression.

A tar file is decompressed by us and read as a stream that ends with an error
after a bound, since the library would believe a header that claims gigabytes.
Members are judged by our own rules: `tarfile.data_filter` (PEP 706) came with Python 3.11.4, and
Debian 12 has 3.11.2.
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
from functools import partial
from pathlib import Path
from typing import IO, NoReturn, cast

from msgspec import Struct

from assay.errors import PackageError

BAD_ARCHIVE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,  # encrypted zip files, methods that this Python lacks
    ValueError,
    OverflowError,
    LookupError,  # zipfile, for a member whose name is empty
    MemoryError,  # a header that asks for more than the machine has
)
"""What the libraries raise for damaged or unsupported archives."""

PACK = "Pack it again with GNU tar, or as .zip."
HEADER_BYTES = 64 << 10  # of one further header of a tar member: long names, and pax records
ALL_HEADERS_BYTES = 4 << 20
GLOBAL_HEADER_BYTES = 1 << 10  # git writes 52
_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_LINK_BYTES = 4096
_XZ_MEMORY_BYTES = 256 << 20
_XZ_CHUNK = 1 << 16
_END_OF_ZIP = b"PK\x05\x06"
_END_OF_ZIP64 = b"PK\x06\x07"
_END_OF_ZIP_BYTES = 22
_ZIP_COMMENT_BYTES = 1 << 16


class Member(Struct, frozen=True):
    """One entry: a file that can be opened, a link with a target, or a folder (neither).

    `link` is a path from the archive's root, `target` what a symbolic link says itself
    (None for a hard link). `size_bytes` is what the archive claims. Files must be read before
    the next member is asked for.
    """

    name: str
    open: Callable[[], IO[bytes]] | None = None
    link: str | None = None
    target: str | None = None
    size_bytes: int = 0


class OtherFormat(Struct, frozen=True):
    """A format that is not unpacked here: its name, and the command that unpacks it."""

    magic: bytes
    what: str
    command: str


_OTHER_FORMATS = (
    OtherFormat(b"Rar!\x1a\x07", "a .rar archive", "unar"),
    OtherFormat(b"7z\xbc\xaf\x27\x1c", "a .7z archive", "7z x"),
    OtherFormat(b"\x28\xb5\x2f\xfd", "compressed with zstd", "tar --zstd -xf"),
    OtherFormat(b"MSCF", "a cabinet of Windows", "cabextract"),
)


def other_format(path: Path) -> OtherFormat | None:
    """Name a format that is not unpacked, by the first bytes of a file; None for others."""
    with path.open("rb") as file:
        start = file.read(8)
    return next((one for one in _OTHER_FORMATS if start.startswith(one.magic)), None)


def is_archive(path: Path) -> bool:
    """Return whether the file looks like something to unpack, by its first bytes."""
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


def members(path: Path, limit_bytes: int, listed_bytes: int) -> Iterator[Member]:
    """List an archive, reading at most `limit_bytes` of tar or a list of zip's that long."""
    if zipfile.is_zipfile(path):
        return _zip_members(path, listed_bytes)
    return _tar_members(path, limit_bytes)


def _check_directory(path: Path, listed_bytes: int) -> None:
    """Refuse a zip file whose list of members alone would fill the memory.

    The library reads the list whole. Its length stands 12 bytes behind the mark of the
    end, four bytes, little-endian (PKWARE's APPNOTE, 4.3.16); the 64-bit form of the mark
    is for archives beyond any limit here (4.3.15).
    """
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - _END_OF_ZIP_BYTES - _ZIP_COMMENT_BYTES))
        tail = file.read()
    at = tail.rfind(_END_OF_ZIP)
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    if at >= 0 and (length > listed_bytes or tail[at - 20 : at - 16] == _END_OF_ZIP64):
        raise PackageError("the archive lists too many files", "Pack fewer files.")


def _zip_members(path: Path, listed_bytes: int) -> Iterator[Member]:
    _check_directory(path, listed_bytes)
    with zipfile.ZipFile(path) as file:
        for info in file.infolist():
            if "\0" in info.orig_filename:  # the library cuts it there
                raise PackageError(
                    f"the archive has a file with an unsafe name: {info.orig_filename!a}",
                    "Pack it again with plain relative names.",
                )
            mode = info.external_attr >> 16
            if info.is_dir():
                yield Member(info.filename)
            elif stat.S_ISLNK(mode):
                with file.open(info) as member:
                    target = member.read(_LINK_BYTES).decode("utf-8", "replace")
                yield Member(info.filename, link=_beside(info.filename, target), target=target)
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                opener = partial(file.open, info)
                yield Member(info.filename, open=opener, size_bytes=info.file_size)
            else:
                _refuse_special(info.filename)


def _tar_members(path: Path, limit_bytes: int) -> Iterator[Member]:
    """List a tar file. A hard link names its target from the archive's root."""
    with _decompressed(path) as raw:
        bounded = _Bounded(raw, limit_bytes)
        yield from _listed(bounded)
        if bounded.tail.strip(b"\0"):
            raise EOFError("the end of the archive is missing")


def _listed(bounded: "_Bounded") -> Iterator[Member]:
    """List the members; the library takes the end of the file for the end of the archive."""
    fileobj = cast("IO[bytes]", bounded)
    with tarfile.open(fileobj=fileobj, mode="r|", tarinfo=_budget()) as file:
        for info in file:
            if info.isdir():
                yield Member(info.name)
            elif info.issym():
                target = info.linkname
                yield Member(info.name, link=_beside(info.name, target), target=target)
            elif info.islnk():
                yield Member(info.name, link=posixpath.normpath(info.linkname))
            elif info.isfile():
                opener, size = partial(_extract, file, info), info.size
                yield Member(info.name, open=opener, size_bytes=size)
            else:
                _refuse_special(info.name)


def _budget() -> type[tarfile.TarInfo]:
    """Return a class of members of one archive, whose further headers have limits.

    The library reads such a header whole, and copies what global ones say to every member.
    """
    left = {False: ALL_HEADERS_BYTES, True: GLOBAL_HEADER_BYTES}

    class Bounded(tarfile.TarInfo):
        def _proc_member(self, file: tarfile.TarFile) -> tarfile.TarInfo | None:
            if self.size < 0:
                what = f"the archive says that {self.name!a} has {self.size} bytes"
                raise PackageError(what, PACK)
            if self.type == tarfile.GNUTYPE_SPARSE:
                raise PackageError(f"the archive has a sparse file: {self.name!a}", PACK)
            if self.type in _HEADERS:
                everywhere = self.type == tarfile.XGLTYPE
                left[everywhere] -= self.size
                if self.size > HEADER_BYTES or left[everywhere] < 0:
                    what = f"the archive has headers of {self.size} bytes or more"
                    raise PackageError(what, PACK)
            return super()._proc_member(file)  # type: ignore[misc, no-any-return]

    return Bounded


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
        return cast("IO[bytes]", _Xz(path))
    return path.open("rb")


class _Xz:
    """The reading half of an xz file, with a limit of memory.

    The library's file class has none, and a header may claim a dictionary of 4 GiB.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._decoder = self._fresh()

    @staticmethod
    def _fresh() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)

    def __enter__(self) -> "_Xz":
        return self

    def __exit__(self, *reason: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; fewer at the end only."""
        parts, left = [], size
        while left and (part := self._some(left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _some(self, most: int) -> bytes:
        """Decompress a little; nothing at the end, EOFError where the file is cut short."""
        while True:
            raw = b""
            if self._decoder.eof:
                raw = self._decoder.unused_data.lstrip(b"\0") or self._file.read(_XZ_CHUNK)
                if not raw.strip(b"\0"):
                    return b""
                self._decoder = self._fresh()
            elif self._decoder.needs_input:
                raw = self._file.read(_XZ_CHUNK)
                if not raw:
                    raise EOFError("the compressed file is cut short")
            if found := self._decoder.decompress(raw, most):
                return found


class _Bounded:
    """The reading half of a file, up to a number of bytes, and the last block of it."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file = file
        self._left = limit
        self.tail = b"?"

    def read(self, size: int) -> bytes:
        """Read, or raise a PackageError after the last permitted byte."""
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise PackageError("the archive unpacks to too many bytes", "Leave out large files.")
        self.tail = (self.tail + data[-tarfile.BLOCKSIZE :])[-tarfile.BLOCKSIZE :]
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
