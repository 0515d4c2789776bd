# SPDX-License-Identifier: MIT
"""Results folders as one file each: `collect --archive` makes it, and `import` takes it in."""

import hashlib
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.package.archive import ArchiveLimits, unpack
from assay.package.places import REPORTS
from assay.report.printable import printable
from assay.report.results import all_records
from assay.store import FILE_NAME, Store
from assay.store.database import copy_store
from assay.summary.cells import load_all
from assay.writing import new_below

MACHINES = "machines"  # in a results folder: those of other machines, a folder each
LIMITS = ArchiveLimits(files=20_000, total_bytes=2 << 30)
MOST_REPORTS = 10_000
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_WHERE = "`assay collect --archive` makes such files; `assay add` takes archives of packages."


def pack(folder: Path, archive: Path | None) -> tuple[Path, str]:
    """Make one file of a results folder; return its path, and what is in it.

    It holds the results as they are at one moment, though a campaign may be at work, and the
    text reports beside them; nothing else, whatever the folder holds.
    """
    with tempfile.TemporaryDirectory(prefix="assay-archive-") as scratch:
        copy = Path(scratch) / FILE_NAME
        copy_store(folder, copy)
        with Store.open(copy.parent, read_only=True) as store:
            host, _, last = _identity(store)
            cells = len(store.cells())
        name = f"{_plain(host)}-{last[:10].replace('-', '') or 'empty'}"
        place = archive or Path(f"{name}.tar.gz")
        reports = tuple(_reports(folder))
        with (
            new_below(place.absolute().parent, place.name) as file,
            tarfile.open(fileobj=file, mode="w:gz") as tar,
        ):
            for path, inside in ((copy, FILE_NAME), *reports):
                tar.add(path, f"{name}/{inside}", recursive=False, filter=_anonymous)
    says = f"results of {cells} cells on {printable(host)}, and {len(reports)} text reports"
    return place, says


def take(archive: Path, folder: Path) -> tuple[Path, str]:
    """Take the results in an archive into a folder; return where they are, and what was done.

    The archive is read like a stranger's. Its results are opened only if their tables are
    Assay's, and taken only if all of them can be read. Those of one machine that are an
    earlier or a later state of results taken before are kept once, the newest.
    """
    with tempfile.TemporaryDirectory(prefix="assay-import-") as scratch:
        raw, alone = Path(scratch, "raw"), Path(scratch, "alone")
        found = [one for one in unpack(archive, raw, LIMITS) if Path(one).name == FILE_NAME]
        if len(found) != 1:
            raise UsageError(f"{archive!s} holds {len(found) or 'no'} {FILE_NAME}", _WHERE)
        alone.mkdir()
        (raw / found[0]).rename(alone / FILE_NAME)  # without a log that may lie beside it
        host, begun, last = _read(archive, alone)
        digest = hashlib.sha256(f"{host}\n{begun}".encode(errors="replace")).hexdigest()[:8]
        inside = Path(MACHINES, f"{_plain(host)}-{digest}")
        if (folder / inside / FILE_NAME).exists():
            with Store.open(folder / inside, read_only=True) as store:
                known = _identity(store)[2]
            if last <= known:
                return folder / inside, "imported before"
        with (
            new_below(folder, inside / FILE_NAME) as file,
            (alone / FILE_NAME).open("rb") as source,
        ):
            shutil.copyfileobj(source, file)
    days = dict.fromkeys((begun[:10], last[:10]))
    return folder / inside, f"results of {printable(host)}, {' to '.join(days)}"


def folders(results: Path) -> tuple[Path, ...]:
    """Return a results folder, and those of other machines that were imported into it."""
    below = results / MACHINES
    others = () if below.is_symlink() else sorted(below.glob(f"*/{FILE_NAME}"))
    found = [one.parent for one in others if not one.parent.is_symlink()]
    own = (results,) if (results / FILE_NAME).exists() or not found else ()
    return (*own, *found)


def _read(archive: Path, folder: Path) -> tuple[str, str, str]:
    """Read everything once, so that what is damaged is refused now; return whose it is."""
    try:
        with Store.open(folder) as store:  # for writing: that sees damage, and updates old tables
            load_all(store)
            all_records(store)
            return _identity(store)
    except AssayError as error:
        raise UsageError(
            f"the results in {archive} cannot be read: {error}",
            "Nothing was imported. Ask for the archive again: `assay collect --archive`.",
        ) from error


def _identity(store: Store) -> tuple[str, str, str]:
    """Return machine, and when its first campaign began and the last launch was made."""
    machine, campaigns = store.machine(), store.campaigns()
    if machine is None or not campaigns:
        raise UsageError("there are no results of a campaign", "Start `assay run` there first.")
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


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who packed it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


def _plain(host: str) -> str:
    """Return a machine's name as the name of a file."""
    return _ODD.sub("_", host).strip("_-")[:40] or "machine"
