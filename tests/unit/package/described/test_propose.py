# SPDX-License-Identifier: MIT
"""A description is proposed by looking at a tree; nothing of it is run or changed."""

import json
from pathlib import Path

import pytest
from tests.unit.package.described.test_described import contents

from assay.errors import UsageError
from assay.model import Package
from assay.package.described.load import known_descriptions, load_described
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


SIGN = """\
#define CRYPTO_PUBLICKEYBYTES 1
#define CRYPTO_SECRETKEYBYTES 1
#define CRYPTO_BYTES 1
int crypto_sign_keypair(unsigned char *pk, unsigned char *sk);
int crypto_sign(unsigned char *sm, size_t *smlen, const unsigned char *m, size_t mlen,
                const unsigned char *sk);
int crypto_sign_open(unsigned char *m, size_t *mlen, const unsigned char *sm, size_t smlen,
                     const unsigned char *pk);
"""


def proposed(tmp_path: Path, files: dict[str, str]) -> str:
    """Write a tree and return what is proposed for it."""
    for name, text in files.items():
        (tmp_path / "it" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "it" / name).write_text(text)
    path, _ = write_proposal(tmp_path / "it", tmp_path / "it.toml")
    assert load_described(path)
    return path.read_text()


def test_a_macro_with_several_values_makes_parameter_sets(tmp_path: Path) -> None:
    """Dilithium's Makefile has DILITHIUM_MODE=2, 3 and 5, and a header for each alternative."""
    text = proposed(
        tmp_path,
        {
            "ref/sign.h": SIGN,
            "ref/sign.c": "",
            "avx2/sign.h": SIGN,
            "avx2/sign.c": "",
            "ref/Makefile": "a:\n\t$(CC) -DTOY_MODE=2 -DFAST\nb:\n\t$(CC) -DTOY_MODE=10 -DFAST\n",
            "avx2/more.cmake": "add_compile_options(-DCMAKE_OWN=1 -DCMAKE_OWN=2 -DROUNDS=3)\n",
        },
    )
    assert '[set.toy2]\ndefines = ["TOY_MODE=2"]' in text
    assert text.index("[set.toy2]") < text.index("[set.toy10]")
    assert "# [edit] macros that the build mentions: FAST, ROUNDS\n" in text
    assert '[implementation.ref]\nheader = "ref/sign.h"' in text
    assert 'header = "avx2/sign.h"' in text
    assert 'lengths = "size_t"' in text
    assert [one.place for one in load_described(tmp_path / "it.toml")] == [
        f"crypto_sign/toy{number}/{one}" for number in (2, 10) for one in ("avx2", "ref")
    ]


def test_only_numbers_of_parameter_sets_are_replaced(tmp_path: Path) -> None:
    """`fips202` is no parameter set, and a plus sign stands in quotes."""
    text = proposed(
        tmp_path,
        {f"NTRU+{n}/{name}": API for n in (768, 864) for name in ("api.h", "fips202/sha.c")},
    )
    assert 'header = "NTRU+{n}/api.h"' in text
    assert 'sources = ["NTRU+{n}/fips202/*.c"]' in text
    assert '[set."NTRU+768"]\nwords = { n = "768" }' in text


def test_sets_that_differ_in_two_numbers_are_told_apart_by_their_names(tmp_path: Path) -> None:
    """SDitH has a category and a field in each."""
    names = ("cat1_gf256", "cat1_gf251", "cat3_gf256")
    text = proposed(tmp_path, {f"{one}/{name}": API for one in names for name in ("api.h", "a.c")})
    assert 'sources = ["{n}/*.c"]' in text
    assert '[set.cat1gf256]\nwords = { n = "cat1_gf256" }' in text
    assert text.count("[set.") == len(names)


def test_parameters_that_the_api_lacks_are_given_as_zero(tmp_path: Path) -> None:
    """ML-DSA's functions take a context, whose length may be 0."""
    longer = SIGN.replace("size_t mlen,", "size_t mlen, const unsigned char ctx[2], size_t n,", 1)
    text = proposed(tmp_path, {"sign.h": longer, "sign.c": ""})
    call = 'crypto_sign = "crypto_sign(sm, smlen, m, mlen, 0, 0, sk)"'
    assert f"\n[functions]\n{call}  # [edit] 0 for ctx, n\n" in text
    assert "crypto_sign_open =" not in text
