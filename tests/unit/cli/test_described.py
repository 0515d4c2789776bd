# SPDX-License-Identifier: MIT
"""`assay check` of trees with an `assay.toml`."""

import json
from pathlib import Path

from tests.unit.cli.calling import Assay
from tests.unit.package.described.conftest import DESCRIPTION, tree

__all__ = ["tree"]


def test_every_package_of_a_description_is_built_and_compared(assay: Assay, tree: Path) -> None:
    """Names of functions, lengths, macros and answers are those that the description gives."""
    (tree / "assay.toml").write_text(DESCRIPTION)
    done = assay("check", str(tree), "--json")
    assert done.code == 0, done.out + done.err
    found = {
        record["package"]: [
            one["reason"].partition(": ")[2]
            for one in record["checks"]
            if one["check"] == "answers/verified"
        ]
        for record in json.loads(done.out)
    }
    names = ("fnv64/plain", "fnv64/other", "fnv32/plain")
    assert found == {f"crypto_hash/{one}": ["3 of 3 answers right"] for one in names}


def test_a_wrong_implementation_is_found(assay: Assay, tree: Path) -> None:
    """By the answers, and by comparison with the other one."""
    (tree / "assay.toml").write_text(DESCRIPTION)
    step = tree / "src/other/step.c"
    step.write_text(step.read_text().replace("FNV_PRIME;", "FNV_PRIME + (byte == 0x77);"))
    one, other = (f"{tree}:fnv64/{name}" for name in ("other", "plain"))
    done = assay("check", one, "--against", other, "--json")
    assert done.code == 1
    (record,) = json.loads(done.out)
    failed = {one["check"] for one in record["checks"] if one["verdict"] == "fail"}
    assert failed == {"answers/verified", "against/given"}


def test_init_proposes_and_says_what_comes_next(assay: Assay, tree: Path, tmp_path: Path) -> None:
    """A known tree or not, the file is named; a second call is refused."""
    header = tree / "include/fnv.h"
    header.write_text(
        header.read_text()
        + "int crypto_hash(unsigned char *o, const unsigned char *i, unsigned long long n);\n"
    )
    into = tmp_path / "mine.toml"
    done = assay("init", str(tree), "--into", str(into))
    assert done.code == 0, done.out + done.err
    assert done.out.startswith(f"{into}: a proposal\n")
    assert done.out.endswith(f"Next: assay check {into}\n")
    again = assay("init", str(tree), "--into", str(into))
    assert again.code == 2
    assert "is there already" in again.err


def test_init_says_what_a_tree_is_without_a_description(assay: Assay, tmp_path: Path) -> None:
    """Folders that each have an api.h and their sources are packages as they are."""
    for name in ("toy128", "toy256"):
        folder = tmp_path / "it" / name
        folder.mkdir(parents=True)
        (folder / "api.h").write_text(
            "#define CRYPTO_BYTES 8\n"
            "int crypto_hash(unsigned char *o, const unsigned char *i, unsigned long long n);\n"
        )
        (folder / "hash.c").write_text('#include "api.h"\n')
    done = assay("init", str(tmp_path / "it"), "--into", str(tmp_path / "it.toml"))
    assert done.code == 0, done.out + done.err
    assert "Without a description Assay finds 2 in the tree: `assay check " in done.out
