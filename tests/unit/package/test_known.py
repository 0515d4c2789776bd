# SPDX-License-Identifier: MIT
"""What Assay knows of primitives by their names stands in for what a tree does not have."""

import shutil
from pathlib import Path

import pytest

from assay.errors import PackageError
from assay.model import Package
from assay.package import known, shipped
from assay.package.discover import load_all
from assay.package.hashes import load_compact
from assay.package.known import CHECKSUMS, table_of
from assay.package.supercop.load import load

ROOT = Path(__file__).resolve().parents[3]
SMALL = (ROOT / "submissions/supercop/crypto_hash/sha256/checksumsmall").read_text().strip()


def loaded(tree: Path, place: str) -> Package:
    """Copy an implementation of SHA-256 to a place in an empty tree, and load it."""
    shutil.copytree(ROOT / "submissions/supercop/crypto_hash/sha256/small", tree / place)
    package = load(tree, place)
    assert isinstance(package, Package)
    return package


def test_the_installed_checksums_are_those_of_the_shipped_tree() -> None:
    """`python -m assay.package.known ebacs > src/assay/package/checksums.txt` writes them."""
    text = (ROOT / "src" / "assay" / "package" / CHECKSUMS).read_text()
    assert text == table_of(ROOT / "submissions/supercop")
    assert f"crypto_hash/sha256 {SMALL} " in text


def test_a_known_name_in_a_tree_without_checksums_gets_the_shipped_ones(tmp_path: Path) -> None:
    """And says where they are from."""
    package = loaded(tmp_path, "crypto_hash/sha256/mine")
    assert package.details is not None
    assert package.details.checksum_small == SMALL
    assert package.reference == "submissions/supercop/crypto_hash/sha256"


def test_checksums_of_ones_own_tree_count_first(tmp_path: Path) -> None:
    """A tree is another version of SUPERCOP, perhaps: it knows better."""
    (tmp_path / "crypto_hash" / "sha256").mkdir(parents=True)
    (tmp_path / "crypto_hash" / "sha256" / "checksumsmall").write_text("0" * 64)
    package = loaded(tmp_path, "crypto_hash/sha256/mine")
    assert package.details is not None
    assert (package.details.checksum_small, package.reference) == ("0" * 64, "")


def test_a_new_shipped_checksum_asks_for_verdicts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later Assay may know a primitive better."""
    before = loaded(tmp_path, "crypto_hash/sha256/mine")
    monkeypatch.setattr(known, "_checksums", lambda: {"crypto_hash/sha256": ("0" * 64, None)})
    after = load(tmp_path, "crypto_hash/sha256/mine")
    assert isinstance(after, Package)
    assert after.content_hash == before.content_hash
    assert after.identity != before.identity


def test_a_compact_hash_is_judged_by_its_vectors(tmp_path: Path) -> None:
    """Its own, or those that Assay knows by its name."""
    folder = header(tmp_path / "mine", "")
    (unknown,) = load_compact(folder, tree_root=folder, place="mine")
    (known_one,) = load_compact(folder, tree_root=folder, place="sha256")
    (folder / "verified.vectors").write_text("out=256 len=0 msg=- md=00\n")
    (own,) = load_compact(folder, tree_root=folder, place="sha256")
    assert len({unknown.identity, known_one.identity, own.identity}) == 3


def test_a_new_name_knows_nothing(tmp_path: Path) -> None:
    """Nothing is guessed."""
    package = loaded(tmp_path, "crypto_hash/mine/first")
    assert package.details is not None
    assert (package.details.checksum_small, package.reference) == (None, "")


PLACES = ("salsa20", "salsa20/mine", "salsa20/reduced/8-rounds", "mine", "a/b/c/mine")
NAMES = {
    "Salsa20": "salsa20",
    "SALSA 20": "salsa20",
    "Salsa20/8": "salsa20-8",
    "Grain v1": "grain-v1",
    "MICKEY-128 2.0": "mickey-128-v2",
    "HC128": "hc-128",
    "MICKEY": None,  # another version of MICKEY-v2
    "Grain": None,
    "F-FCSR-H v2": None,
    "Salsa20/16": None,
}


@pytest.mark.parametrize("called", NAMES)
@pytest.mark.parametrize("place", PLACES)
def test_a_cipher_is_known_by_its_ecrypt_name_wherever_it_lies(
    tmp_path: Path, place: str, called: str
) -> None:
    """Case and punctuation do not matter; versions and rounds do."""
    folder = tmp_path / place
    shutil.copytree(ROOT / "submissions" / "salsa20" / "ref", folder)
    text = (folder / "ecrypt-sync.h").read_text()
    (folder / "ecrypt-sync.h").write_text(text.replace('"Salsa20"', f'"{called}"'))
    (package,) = load_all(folder, tmp_path, place)
    assert isinstance(package, Package)
    primitive = NAMES[called]
    expected = f"submissions/{primitive}/verified.test-vectors" if primitive else ""
    assert package.reference == expected
    assert any(one.name == "quirk/no-vectors" for one in package.quirks) == (not primitive)
    (alone,) = load_all(folder, folder, folder.name)
    assert isinstance(alone, Package)
    assert alone.reference == expected


def test_vectors_above_are_found_however_a_package_is_named(tmp_path: Path) -> None:
    """By itself, by the folder above, and from within: the verdict is the same."""
    folder = tmp_path / "trees" / "good"
    shutil.copytree(ROOT / "submissions" / "sha256" / "portable", folder)
    file = tmp_path / "trees" / "verified.vectors"
    file.write_text("out=256 len=0 msg=- md=00\n")
    for root, place in ((folder, "good"), (folder.parent, "good"), (tmp_path, "trees/good")):
        (package,) = load_all(folder, root, place)
        assert isinstance(package, Package)
        assert package.vectors == file


def test_the_list_of_shipped_packages_is_that_of_the_clone() -> None:
    """`python -m assay.package.shipped . > src/assay/package/shipped.txt` writes it."""
    text = (ROOT / "src" / "assay" / "package" / "shipped.txt").read_text()
    assert text == shipped.table_of(ROOT)


def test_only_what_came_with_assay_is_compared_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a folder that somebody added nor an edited copy of a shipped one is a reference."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "submissions/trivium", clone / "submissions/trivium")
    added = clone / "submissions/trivium/added"
    shutil.copytree(clone / "submissions/trivium/fast", added)
    for module in (known, shipped):
        monkeypatch.setattr(module, "shipped", lambda: clone, raising=False)

    def others() -> str | None:
        (package,) = load_all(added, clone, "submissions/trivium/added")
        assert isinstance(package, Package)
        found = shipped.counterpart(package)
        return found.place if found else None

    assert others() == "submissions/trivium/ref"
    for name in ("ref", "fast"):
        header = clone / "submissions/trivium" / name / "ecrypt-sync.h"
        header.write_text(header.read_text() + "\n")
    assert others() is None


def header(folder: Path, line: str) -> Path:
    """Copy the shipped SHA-256 with a line before the end of its header."""
    shutil.copytree(ROOT / "submissions" / "sha256" / "portable", folder)
    path = folder / "sha256.h"
    head, _, _ = path.read_text().rpartition("#endif")
    path.write_text(f"{head}{line}\n#endif\n")
    return folder


def test_a_header_states_its_digest_sizes(tmp_path: Path) -> None:
    """The API has no other place for them."""
    folder = header(tmp_path / "mine", "#define sha256_SIZES 256, 224 /* bits */")
    (package,) = load_compact(folder, tree_root=folder, place="mine")
    assert package.sizes == (224, 256)


@pytest.mark.parametrize("text", ["none", "0", "250", "2048", "256, 256", "256 224", ""])
def test_sizes_that_are_none_are_refused_with_a_cure(tmp_path: Path, text: str) -> None:
    """A multiple of eight bits, and each once."""
    folder = header(tmp_path / "mine", f"#define sha256_SIZES {text}")
    with pytest.raises(PackageError, match="sha256_SIZES") as caught:
        load_compact(folder, tree_root=folder, place="mine")
    assert "multiples of 8" in caught.value.cure
