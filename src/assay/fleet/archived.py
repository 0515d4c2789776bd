# SPDX-License-Identifier: MIT
"""Results folders as one file each, files by their SHA-256, and folders with others' results.

Archives and bundles lie below a folder of the server; what came from other machines goes into a
folder of results for each.
"""

import hashlib
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from msgspec import Struct

from assay.errors import UsageError
from assay.fleet.queue import QueueError
from assay.package.archive import ArchiveLimits
from assay.package.places import REPORTS
from assay.report.printable import printable
from assay.store import FILE_NAME, Store
from assay.store.database import copy_store
from assay.writing import named_file, new_below, remove_below

MACHINES = "machines"  # in a results folder: those of other machines, a folder each
LIMITS = ArchiveLimits(files=20_000, total_bytes=2 << 30)
MOST_REPORTS = 10_000
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
PART = 1 << 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Gathered(Struct, frozen=True):
    """What an archive of results holds: copies in a scratch folder, and their names inside."""

    name: str
    host: str
    cells: int
    scratch: Path
    files: tuple[str, ...]  # below the scratch folder and in the archive; the results first

    @property
    def says(self) -> str:
        """State what is in it, in words."""
        reports = len(self.files) - 1
        cells = f"{self.cells} cell{'s' * (self.cells != 1)}"
        return f"results of {cells} on {printable(self.host)}, and {reports} text reports"


@contextmanager
def gathered(folder: Path) -> Iterator[Gathered]:
    """Lend the results of a folder as they are at one moment, and the text reports beside them.

    A campaign may be at work. Nothing else is in it, whatever the folder holds.
    """
    with tempfile.TemporaryDirectory(prefix="assay-archive-") as place:
        scratch = Path(place)
        copy_store(folder, scratch / FILE_NAME)
        with Store.open(scratch, read_only=True) as store:
            host, _, last = identity(store)
            cells = len(store.cells())
        name = f"{plain_host(host)}-{last[:10].replace('-', '') or 'empty'}"
        reports = []
        for path, inside in _reports(folder):
            (scratch / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, scratch / inside, follow_symlinks=False)
            reports.append(inside)
        yield Gathered(name, host, cells, scratch, (FILE_NAME, *reports))


def write_archive(found: Gathered, archive: Path, first: Sequence[str] = ()) -> None:
    """Write what was gathered into one file, behind further files of the scratch folder."""
    with (
        new_below(archive.absolute().parent, archive.name) as file,
        tarfile.open(fileobj=file, mode="w:gz") as tar,
    ):
        for inside in (*first, *found.files):
            path = found.scratch / inside
            member = anonymous(tar.gettarinfo(path, f"{found.name}/{inside}"))
            member.mode = 0o644
            with path.open("rb") as stream:
                tar.addfile(member, stream)


def pack(folder: Path, archive: Path | None) -> tuple[Path, str]:
    """Make one file of a results folder; return its path, and what is in it."""
    with gathered(folder) as found:
        place = archive or Path(f"{found.name}.tar.gz")
        write_archive(found, place)
    return place, found.says


def folders(results: Path) -> tuple[Path, ...]:
    """Return a results folder, and those of other machines that were imported into it."""
    below = results / MACHINES
    others = () if below.is_symlink() else sorted(below.glob(f"*/{FILE_NAME}"))
    found = [one.parent for one in others if not one.parent.is_symlink()]
    own = (results,) if (results / FILE_NAME).exists() or not found else ()
    return (*own, *found)


def identity(store: Store) -> tuple[str, str, str]:
    """Return machine, and when its first campaign began and the last launch was made."""
    machine, campaigns = store.machine(), store.campaigns()
    if machine is None or not campaigns:
        raise UsageError(
            "there are no results of a campaign",
            "Start `assay run` there first; of imported lines, send the file that was imported.",
        )
    last = max((one.started_at for one in store.launch_heads()), default=campaigns[-1].started_at)
    return machine.host, campaigns[0].started_at, last


def _reports(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the text reports below a folder and their names there; no links, nothing hidden."""
    count = 0
    for place, below, files in os.walk(folder):
        below[:] = sorted(one for one in below if not one.startswith(".") and one != MACHINES)
        for name in sorted(files):
            path = Path(place, name)
            if name.startswith(REPORTS) and path.is_file() and not path.is_symlink():
                count += 1
                if count > MOST_REPORTS:
                    return
                yield path, str(path.relative_to(folder))


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who packed it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def plain_host(host: str) -> str:
    """Return a machine's name as the name of a file."""
    return _ODD.sub("_", host).strip("_-")[:40] or "machine"


def check_digest(digest: str) -> str:
    """Return a digest; QueueError if it is none, and might be a path."""
    if not _DIGEST.fullmatch(digest):
        raise QueueError(f"{digest!r:.80} is no SHA-256 in hexadecimal")
    return digest


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_checked(source: IO[bytes], target: IO[bytes], digest: str) -> None:
    """Copy a file to the disk; QueueError if it has another digest than was said."""
    found = hashlib.sha256()
    while part := source.read(PART):
        found.update(part)
        target.write(part)
    if found.hexdigest() != digest:
        raise QueueError(
            f"a file of the queue has the SHA-256 {found.hexdigest()}, not {digest}",
            "It was damaged or changed; submit it again.",
        )
    target.flush()
    os.fsync(target.fileno())


class KeptFiles:
    """Files that are kept by their digest."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that is there."""
        self._folder = folder

    def keep(self, path: Path) -> str:
        """Keep a file; return its SHA-256."""
        digest = digest_of(path)
        if not (self._folder / digest).is_file():
            with path.open("rb") as source, new_below(self._folder, digest) as target:
                copy_checked(source, target, digest)
        return digest

    def write(self, digest: str, path: Path) -> None:
        """Write a kept file to a path, where it appears when its digest was compared."""
        try:
            source = (self._folder / check_digest(digest)).open("rb")
        except FileNotFoundError:
            raise QueueError(f"the queue has no file {digest}") from None
        with source, named_file(path) as target:
            copy_checked(source, target, digest)

    def forget(self, digest: str) -> None:
        """Remove a kept file, if it is there."""
        remove_below(self._folder, check_digest(digest))
