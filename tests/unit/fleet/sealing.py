# SPDX-License-Identifier: MIT
"""Bundles of toys for tests: made, unpacked, changed, and signed by ssh-keygen alone."""

import io
import sqlite3
import subprocess
import tarfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tests.unit.cli.calling import Assay
from tests.unit.cli.test_archived import measured

from assay.store import FILE_NAME

STATEMENT = "statement.json"
Members = dict[str, bytes]


def new_key(name: str, phrase: str = "") -> Path:
    """Make a key with ssh-keygen."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-C", name, "-f", name]
    subprocess.run(words, check=True)
    return Path(name)


def allow(name: str, *keys: Path) -> Path:
    """Write a list of allowed signers with one name."""
    lines = [f"{name} {Path(f'{key}.pub').read_text()}" for key in keys]
    Path("allowed").write_text("".join(lines))
    return Path("allowed")


def bundled(assay: Assay, host: str = "alpha", *options: str) -> Path:
    """Make the bundle of a machine."""
    measured(Path(host), host).close()
    done = assay("bundle", host, "-o", f"{host}.tar.gz", *options)
    assert (done.code, done.err) == (0, "")
    return Path(f"{host}.tar.gz")


def members(bundle: Path) -> Members:
    """Read what a bundle holds, by names without its folder."""
    with tarfile.open(bundle) as tar:
        files = ((one.name.partition("/")[2], tar.extractfile(one)) for one in tar)
        return {name: file.read() for name, file in files if file}


def repacked(path: str, files: Mapping[str, bytes]) -> Path:
    """Write a bundle with the library alone."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"alpha/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return Path(path)


def signed_again(files: Members, key: Path) -> Members:
    """Sign the statement of a bundle with ssh-keygen alone."""
    Path("again.json").write_bytes(files[STATEMENT])
    Path("again.json.sig").unlink(missing_ok=True)
    words = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", "assay-bundle", "again.json"]
    subprocess.run(words, check=True)
    return {**files, f"{STATEMENT}.sig": Path("again.json.sig").read_bytes()}


def sped_up(files: Members) -> Members:
    """Make the figures of a bundle better, and leave its statement."""
    Path("changed").write_bytes(files[FILE_NAME])
    with closing(sqlite3.connect("changed")) as file:
        file.execute("UPDATE build SET object_hash = 'ff'")
        file.commit()
    return {**files, FILE_NAME: Path("changed").read_bytes()}


def told_otherwise(files: Members) -> Members:
    """Change a word of the statement of a bundle."""
    return {**files, STATEMENT: files[STATEMENT].replace(b'"alpha"', b'"omega"')}
