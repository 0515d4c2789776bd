# SPDX-License-Identifier: MIT
"""The broken packages of tests/whole/corpus/ as folders that `assay check` is given.

Nothing here uses the rooms that check: what is frozen has to outlive them.
"""

import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.objects import Entry

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests" / "whole" / "corpus"
SHIPPED = ROOT / "submissions" / "supercop"
ASSAY = ROOT / "scripts" / "assay"
VECTORS = "verified.test-vectors"


def write_streams(folder: Path) -> Iterator[Path]:
    """Write toys of ciphers; their vectors are those of the honest ones."""
    entries = entries_of("defects.toml")
    for base in sorted({entry["base"] for entry in entries}):
        honest = folder / "honest" / base
        shutil.copytree(CORPUS / base, honest)
        verified = folder / f"{base}.test-vectors"
        subprocess.run([ASSAY, "vectors", "-o", verified, honest], cwd=folder, check=True)
        for entry in (one for one in entries if one["base"] == base):
            root = _copied(CORPUS / base, folder / entry["name"])
            _edit(root, entry["edits"])
            shutil.copy(verified, root / VECTORS)
            yield root


def write_hashes(folder: Path) -> Iterator[Path]:
    """Write toys of hashes that run on this machine, with the toy's digests."""
    from tests.whole.corpus.hashes import vectors  # noqa: PLC0415 - from the toy's description

    verified = "\n".join(vectors())
    for entry in entries_of("compact.toml") + entries_of("sha3.toml"):
        base = entry["base"]
        if entry.get("target") or base not in {"c", "nist"}:
            continue
        source = CORPUS / ("sha3" if base == "nist" else "compact") / base
        root = _copied(source, folder / "compact" / entry["name"] / base)
        if base == "c":
            shutil.copy(CORPUS / "compact" / "toy.h", root)
        names = [one.name for one in root.iterdir() if one.suffix == ".c"]
        if entry.get("header"):
            names = [one.name for one in root.glob("*.h")]
        _edit(root, [(names[0], old, new) for old, new in entry["edits"]])
        (root / "verified.vectors").write_text(verified)
        yield root


def write_operation(entry: Entry, folder: Path) -> tuple[Path, str]:
    """Write a tree with one broken package of an operation; return the tree and its name."""
    base = entry["base"]
    origin = SHIPPED if (SHIPPED / base).is_dir() else CORPUS / "pqclean"
    tree = folder / entry["name"]
    shutil.copytree(origin, tree, symlinks=True)
    first = next(iter(sorted((tree / base).glob("*.c"))), Path()).name
    _edit(tree / base, [(file or first, old, new) for file, old, new in entry["edits"]])
    return tree, base


def entries_of(name: str) -> list[Entry]:
    """Return the rows of a file of the corpus."""
    return list(tomllib.loads((CORPUS / name).read_text())["defect"])


def _copied(source: Path, root: Path) -> Path:
    shutil.copytree(source, root)
    return root


def _edit(root: Path, edits: list[tuple[str, str, str]]) -> None:
    """Make the changes of an entry, each of which must fit once; in place of nothing is a file."""
    for file, old, new in edits:
        text = (root / file).read_text() if old else ""
        assert not old or text.count(old) == 1, f"{root / file} has not one {old!r}"
        (root / file).write_text(text.replace(old, new))
