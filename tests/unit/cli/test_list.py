# SPDX-License-Identifier: MIT
"""`assay list`: packages of all APIs; those of operations are listed without being read."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.list import command

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clone be the tree."""
    monkeypatch.setenv("ASSAY_ROOT", str(ROOT))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a tree whose one implementation could not be loaded: its api.h is no text."""
    folder = tmp_path / "crypto_hash" / "toy" / "ref"
    folder.mkdir(parents=True)
    (folder / "api.h").write_bytes(b"\xff\x00")
    return tmp_path


def listed(*arguments: str) -> list[str]:
    """Give the lines that the command prints."""
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    return str(done.output).splitlines()


def test_without_names_packages_of_every_api_are_listed() -> None:
    """A stream cipher, a compact hash and an operation."""
    names = {line.split()[0] for line in listed()}
    assert {"salsa20/ref", "shabal/portable", "crypto_hash/sha256/ref"} <= names


def test_an_operation_lists_its_implementations_alone() -> None:
    """With their API and role."""
    lines = [line.split() for line in listed("crypto_verify")]
    assert ["crypto_verify/16/ref", "supercop", "operation"] in lines
    assert all(name.startswith("crypto_verify/") for name, _, _ in lines)


def test_a_name_of_another_api_lists_no_operation() -> None:
    """Salsa20 is a primitive of both: crypto_stream/salsa20 is the other's name."""
    assert {line.split()[1] for line in listed("salsa20")} == {"ecrypt-sync"}


def test_a_tree_is_listed_without_being_read(tree: Path) -> None:
    """What could not be loaded has a name all the same."""
    assert listed("--tree", str(tree)) == ["crypto_hash/toy/ref  supercop  operation"]


def test_json_takes_a_place_apart(tree: Path) -> None:
    """Into operation, primitive and implementation."""
    (entry,) = json.loads("\n".join(listed("crypto_hash/toy", "--tree", str(tree), "--json")))
    parts = [entry[name] for name in ("operation", "primitive", "implementation")]
    assert parts == ["crypto_hash", "toy", "ref"]
    assert entry["root"] == str(tree / "crypto_hash/toy/ref")


def test_the_list_has_every_format(tree: Path) -> None:
    """The same columns as on the terminal, with names."""
    lines = listed("--tree", str(tree), "--csv")
    assert lines == ["package,api,role,remarks", "crypto_hash/toy/ref,supercop,operation,"]
    assert lines == listed("--tree", str(tree), "--format", "csv")
    assert "crypto_hash/toy/ref" in "".join(listed("--tree", str(tree), "--format", "html"))
