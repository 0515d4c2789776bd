# SPDX-License-Identifier: MIT
"""A description is proposed by looking at a tree; nothing of it is run or changed."""

import json
from pathlib import Path

import pytest
from tests.package.described.test_described import contents

from assay.errors import UsageError
from assay.model import Package
from assay.package.described.find import known_descriptions
from assay.package.described.load import load_described
from assay.package.described.look import look_at
from assay.package.described.propose import write_proposal

API = """\
/* SPDX-License-Identifier: MIT */
#define CRYPTO_BYTES TOY_SIZE
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen);
"""
BUILD = """\
set(TOY_SIZES 4 8)
target_compile_definitions(toy PUBLIC TOY_FAST)
add_definitions(-DTOY_SIZE=${SIZE})
execute_process(COMMAND touch ${PROJECT_SOURCE_DIR}/ran)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Write a tree with two parameter sets, two alternatives, and programs beside them."""
    root = tmp_path / "toy"
    files = {
        "include/toy_4/api.h": API,
        "include/toy_8/api.h": API,
        "common/util.h": "int toy_step(int);\n",
        "lib/toy.c": '#include "util.h"\nint toy_all(void) { return toy_step(1); }\n',
        "lib/bench.c": "int main(void) { return 0; }\n",
        "lib/rng.c": "int randombytes(unsigned char *x, unsigned long long n) { return 0; }\n",
        "lib/ref/step.c": "int toy_step(int x) { return x; }\n",
        "lib/avx2/step.c": "int toy_step(int x) { return x; }\n",
        "test/test.c": "int main(void) { return 1; }\n",
        "KAT/PQCsignKAT_1.rsp": "count = 0\n",
        "CMakeLists.txt": BUILD,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_proposal_has_what_can_be_seen(toy: Path, tmp_path: Path) -> None:
    """Parameter sets by the folders of headers, alternatives by those of sources."""
    before = contents(toy)
    path, known = write_proposal(toy, tmp_path / "toy.toml")
    assert not known
    found = load_described(path)
    assert [one.place for one in found] == [
        "crypto_hash/toy4/avx2",
        "crypto_hash/toy4/ref",
        "crypto_hash/toy8/avx2",
        "crypto_hash/toy8/ref",
    ]
    first = found[0]
    assert isinstance(first, Package)
    assert first.sources == ("tree/lib/toy.c", "tree/lib/avx2/step.c")
    assert first.details is not None
    assert first.details.architectures == ("amd64",)
    text = path.read_text()
    assert "# [edit] macros that the build mentions: TOY_FAST, TOY_SIZE" in text
    assert "lib/bench.c, lib/rng.c" in text
    assert contents(toy) == before


def test_macros_that_all_compilations_have_are_taken(toy: Path) -> None:
    """From a compilation database, if there is one."""
    lines = [
        {"directory": "/", "file": "a.c", "command": "cc -DTOY_SIZE=4 -DONE a.c"},
        {"directory": "/", "file": "b.c", "arguments": ["cc", "-DTOY_SIZE=4", "b.c"]},
    ]
    (toy / "compile_commands.json").write_text(json.dumps(lines))
    assert look_at(toy).defines == ["TOY_SIZE=4"]
    (toy / "compile_commands.json").write_text('{"file": 1}')
    with pytest.raises(UsageError, match="no compilation database"):
        look_at(toy)


def test_a_file_that_is_there_is_never_overwritten(toy: Path, tmp_path: Path) -> None:
    """Nor followed, if it is a link to nothing."""
    (tmp_path / "toy.toml").symlink_to(tmp_path / "nothing")
    with pytest.raises(UsageError, match="is there already"):
        write_proposal(toy, tmp_path / "toy.toml")
    assert not (tmp_path / "nothing").exists()


def test_a_tree_without_an_operation_is_refused(tmp_path: Path) -> None:
    """Nothing is written."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no header in"):
        write_proposal(tmp_path / "empty", tmp_path / "empty.toml")
    assert not (tmp_path / "empty.toml").exists()


def test_a_known_tree_gets_the_description_that_is_shipped(tmp_path: Path) -> None:
    """With the way to the tree in front."""
    (one, *_) = known_descriptions()
    for mark in one.marks:
        (tmp_path / "it" / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "it" / mark).touch()
    path, known = write_proposal(tmp_path / "it", tmp_path / "it.toml")
    assert known
    assert path.read_text() == f'root = "it"\n{one.text}'
