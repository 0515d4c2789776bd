# SPDX-License-Identifier: MIT
"""Bundles: an archive of results with a statement on them, which their maker signed.

The statement is a file of its own in the archive, and the signature is one of that file, so
that `ssh-keygen -Y verify` alone can say whether it holds.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError, PackageError, UsageError
from assay.fleet.archived import LIMITS, digest_of, gathered, write_archive
from assay.fleet.signing import ENDS, BadSignatureError, Signature, sign, verify
from assay.fleet.statement import (
    LARGEST_BYTES,
    StatementError,
    difference,
    maker,
    only_files,
    read_statement,
    statement_of,
    statement_on,
    written,
)
from assay.package.archive import unpack
from assay.report.printable import printable
from assay.store import FILE_NAME, Store
from assay.writing import new_below

STATEMENT = "statement.json"
SEALS = (STATEMENT, *(STATEMENT + end for end in ENDS))
ASK_AGAIN = "Do not use it, and ask its sender for it again (`assay bundle`)."
UNSIGNED = "not signed: `--key KEY` does, with a key of ssh or minisign"


class TamperedError(AssayError):
    """A bundle whose files, statement and signature do not agree; the message says where."""


class Bundle(Struct, frozen=True):
    """A bundle that was unpacked and agrees with itself.

    `results` is a folder with the results alone. `signature` is None where nobody signed.
    """

    results: Path
    statement: dict[str, Any]
    signature: Signature | None

    @property
    def host(self) -> str:
        """Return the machine that the results name."""
        return printable(str(self.statement["predicate"].get("machine", {}).get("host", "")))


def make_bundle(folder: Path, key: Path | None, output: Path | None = None) -> tuple[Path, str]:
    """Make a bundle of a results folder, signed with a key if one is named.

    Return its path, and what is in it. Without `output` it is MACHINE-DATE.bundle.tar.gz here.
    """
    with gathered(folder) as found:
        statement = found.scratch / STATEMENT
        with Store.open(found.scratch, read_only=True) as store:
            files = {name: digest_of(found.scratch / name) for name in found.files}
            moment = datetime.now(UTC).isoformat(timespec="seconds")
            said = written(statement_of(store, files, maker(moment)))
        with new_below(found.scratch, STATEMENT) as file:
            file.write(said)
        first = [STATEMENT]
        if key is not None:
            first.append(sign(statement, key).name)
        place = output or Path(f"{found.name}.bundle.tar.gz")
        write_archive(found, place, first)
    return place, f"{found.says}, {f'signed with {key}' if key else UNSIGNED}"


def open_bundle(path: Path, into: Path, allowed: Path | None = None) -> Bundle:
    """Unpack a stranger's bundle into a new folder, and compare all that it says of itself.

    TamperedError names the first thing that differs, BadSignatureError says why a signature
    does not hold or is none of those `allowed`, and other errors that it cannot be read.
    """
    return examined(path, unpacked(path, into / "raw"), into, allowed)


def examined(path: Path, files: Mapping[str, Path], into: Path, allowed: Path | None) -> Bundle:
    """Compare all that a bundle says of itself; its `files` are unpacked, by their names."""
    if STATEMENT not in files:
        raise UsageError(
            f"{path} has no {STATEMENT}",
            "It is no bundle; `assay import` takes archives of `assay collect --archive`.",
        )
    signature = _signature(path, files, allowed)
    statement = _statement(files[STATEMENT])
    digests = {name: digest_of(one) for name, one in files.items() if name not in SEALS}
    _agree(path, only_files(statement), only_files(statement_on(digests)))
    if FILE_NAME not in files:
        raise UsageError(f"{path} holds no {FILE_NAME}", ASK_AGAIN)
    results = into / "results"
    results.mkdir()
    files[FILE_NAME].rename(results / FILE_NAME)
    with Store.open(results, read_only=True) as store:
        _agree(path, statement, statement_of(store, digests))
    return Bundle(results, statement, signature)


def signed_by(folder: Path, allowed: Path | None = None) -> Signature | None:
    """Return who signed the results in a folder into which a bundle was taken; None for nobody.

    BadSignatureError or TamperedError if what seals them does not hold for them as they are.
    """
    found = {name: folder / name for name in SEALS if _is_file(folder / name)}
    if STATEMENT not in found or len(found) == 1:
        return None
    signature = _signature(folder, found, allowed)
    signed = only_files(_statement(found[STATEMENT]))["subject"]
    stated = {one["name"]: one["digest"]["sha256"] for one in signed}.get(FILE_NAME)
    if stated != digest_of(folder / FILE_NAME):
        raise TamperedError(f"the results in {folder} are not those that were signed", ASK_AGAIN)
    return signature


def signers(folders: Sequence[Path], allowed: Path | None = None) -> dict[Path, str]:
    """Return in words who signed the results of folders; those that nobody signed are left out."""
    found = {}
    for folder in folders:
        try:
            signature = signed_by(folder, allowed)
        except AssayError as error:
            found[folder] = f"nobody: {printable(str(error))}"
        else:
            if signature is not None:
                found[folder] = str(signature)
    return found


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def unpacked(path: Path, raw: Path) -> dict[str, Path]:
    """Unpack a bundle; return its files by their names beside the statement."""
    try:
        names = unpack(path, raw, LIMITS)
    except PackageError as error:
        raise UsageError(str(error), ASK_AGAIN) from error
    tops = [one.removesuffix(STATEMENT) for one in names if one.endswith(f"/{STATEMENT}")]
    top = tops[0] if len(tops) == 1 else ""
    return {name.removeprefix(top): raw / name for name in names}


def _signature(path: Path, files: Mapping[str, Path], allowed: Path | None) -> Signature | None:
    """Return who signed the statement; BadSignatureError if it does not hold."""
    found = [
        verify(files[STATEMENT], files[STATEMENT + end], allowed)
        for end in ENDS
        if STATEMENT + end in files
    ]
    if allowed is not None and not found:
        raise BadSignatureError(f"{path} is signed by nobody", "Ask for one that is signed.")
    return found[0] if found else None


def _statement(file: Path) -> dict[str, Any]:
    if file.stat().st_size > LARGEST_BYTES:
        raise StatementError(f"its statement has more than {LARGEST_BYTES >> 20} MiB", ASK_AGAIN)
    return read_statement(file.read_bytes())


def _agree(path: Path, signed: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    said = difference(signed, found)
    if said:
        raise TamperedError(f"{path}: {said}", ASK_AGAIN)
