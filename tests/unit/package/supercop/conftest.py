# SPDX-License-Identifier: MIT
"""A tree in SUPERCOP's layout, written by the test that needs it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from assay.model import BrokenPackage, Package
from assay.package.supercop.load import load

HASH = {
    "api.h": "#define CRYPTO_BYTES 32\n",
    "hash.c": '#include "crypto_hash.h"\nint crypto_hash() { return 0; }\n',
}

Write = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give the folder that crypto_... stand in."""
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def write(tree: Path) -> Write:
    """Give the function that writes an implementation, a hash by default, into the tree."""

    def written(place: str, files: Mapping[str, str] = HASH, **more: str) -> Path:
        folder = tree / place
        for name, text in {**files, **more}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    return written


@pytest.fixture
def loaded(tree: Path) -> Callable[[str], Package]:
    """Give the function that loads an implementation of the tree which is not broken."""

    def package(place: str) -> Package:
        found = load(tree, place)
        assert isinstance(found, Package), found
        return found

    return package


@pytest.fixture
def broken(tree: Path) -> Callable[[str], BrokenPackage]:
    """Give the function that loads a broken implementation of the tree."""

    def package(place: str) -> BrokenPackage:
        found = load(tree, place)
        assert isinstance(found, BrokenPackage), found
        assert found.cure
        return found

    return package
