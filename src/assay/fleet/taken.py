# SPDX-License-Identifier: MIT
"""Taking others' results into a folder: archives, and bundles with who signed them."""

import hashlib
import shutil
import tempfile
from pathlib import Path, PurePath

from msgspec import Struct

from assay.errors import AssayError, UsageError
from assay.fleet.archived import MACHINES, identity, plain_host
from assay.fleet.bundle import SEALS, STATEMENT, examined, signed_by, unpacked
from assay.fleet.signing import BadSignatureError, Signature
from assay.report.printable import printable
from assay.report.results import all_records
from assay.store import FILE_NAME, Store
from assay.summary.cells import load_all
from assay.writing import new_below, remove_below

_WHERE = "`assay collect --archive` makes such files; `assay add` takes archives of packages."


class _Sent(Struct, frozen=True):
    """What came: the results, as they are to be kept, and what seals them."""

    results: Path
    seals: tuple[Path, ...] = ()
    signature: Signature | None = None


def take(archive: Path, folder: Path, allowed: Path | None = None) -> tuple[Path, str]:
    """Take the results in an archive into a folder; return where they are, and what was done.

    The archive is read like a stranger's. Its results are opened only if their tables are
    Assay's, and taken only if all of them can be read; those of a bundle only if all agrees
    with what was signed, by one of those `allowed`. Those of one machine that are an earlier or
    a later state of results taken before are kept once, the newest; signed ones give way only
    to what the same key signed.
    """
    with tempfile.TemporaryDirectory(prefix="assay-import-") as scratch:
        sent, trial = _opened(archive, Path(scratch), allowed), Path(scratch, "trial")
        trial.mkdir()
        shutil.copyfile(sent.results / FILE_NAME, trial / FILE_NAME)
        host, begun, last = _read(archive, trial)
        digest = hashlib.sha256(f"{host}\n{begun}".encode(errors="replace")).hexdigest()[:8]
        inside = PurePath(MACHINES, f"{plain_host(host)}-{digest}")
        if _known(folder / inside, last, sent.signature):
            return folder / inside, "imported before"
        # What is signed stays as it was signed; other tables are brought up to date.
        _put(folder, inside, sent, sent.results if sent.seals else trial)
    days = dict.fromkeys((begun[:10], last[:10]))
    who = f", signed by {sent.signature}" if sent.signature else ""
    return folder / inside, f"results of {printable(host)}, {' to '.join(days)}{who}"


def _opened(archive: Path, scratch: Path, allowed: Path | None) -> _Sent:
    """Unpack what was sent, and compare what a bundle says of itself."""
    files = unpacked(archive, scratch / "raw")
    if STATEMENT in files:
        bundle = examined(archive, files, scratch, allowed)
        seals = tuple(files[name] for name in SEALS if name in files)
        return _Sent(bundle.results, seals, bundle.signature)
    if allowed is not None:
        raise BadSignatureError(f"{archive} is signed by nobody", "Ask for a signed bundle.")
    found = [path for name, path in files.items() if PurePath(name).name == FILE_NAME]
    if len(found) != 1:
        raise UsageError(f"{archive!s} holds {len(found) or 'no'} {FILE_NAME}", _WHERE)
    alone = scratch / "alone"
    alone.mkdir()
    found[0].rename(alone / FILE_NAME)  # without a log that may lie beside it
    return _Sent(alone)


def _known(place: Path, last: str, signature: Signature | None) -> bool:
    """Return whether a folder has these results or later ones; UsageError if it may not change."""
    if not (place / FILE_NAME).exists():
        return False
    with Store.open(place, read_only=True) as store:
        known = identity(store)[2]
    owner = signed_by(place)
    if last < known or (last == known and (owner or not signature)):
        return True
    if owner and (signature is None or signature.key != owner.key):
        raise UsageError(
            f"the results in {place} are signed by {owner}, and these by {signature or 'nobody'}",
            "Nothing was imported. If the new ones are right, remove that folder first.",
        )
    return False


def _put(folder: Path, inside: PurePath, sent: _Sent, source: Path) -> None:
    """Write results, and what seals them last: whatever happens, no seal is on other results."""
    if (folder / inside).exists():
        for name in SEALS:
            remove_below(folder, inside / name)
    for path in (source / FILE_NAME, *sent.seals):
        with new_below(folder, inside / path.name) as file, path.open("rb") as stream:
            shutil.copyfileobj(stream, file)


def _read(archive: Path, folder: Path) -> tuple[str, str, str]:
    """Read everything once, so that what is damaged is refused now; return whose it is."""
    try:
        with Store.open(folder) as store:  # for writing: that sees damage, and updates old tables
            load_all(store)
            all_records(store)
            return identity(store)
    except AssayError as error:
        raise UsageError(
            f"the results in {archive} cannot be read: {error}",
            "Nothing was imported. Ask for the archive again: `assay collect --archive`.",
        ) from error
