# SPDX-License-Identifier: MIT
"""`assay ct`: what leaks in which configuration, whether or not a package declares a goal."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from platform import machine

import pytest
from tests.caches import new_cache
from tests.unit.cli.calling import Assay, calling

from assay.errors import MachineError
from assay.execute import valgrind

ROOT = Path(__file__).parents[3]


@pytest.fixture
def assay(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line on a tree with RC4."""
    shutil.copytree(ROOT / "benchmarks/rc4/ref", tmp_path / "submissions/rc4/ref")
    monkeypatch.setenv("ASSAY_ROOT", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    return calling(monkeypatch, capsys)


# One lookup a message: under valgrind each one of a cipher's costs more than what it looks up.
LOOKS_UP = """#include "api.h"
static const unsigned char table[256] = {1, 2, 3};
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned long long i;

    for (i = 0; i < CRYPTO_BYTES; i++)
        out[i] = (unsigned char)i;
    for (i = 0; i < inlen; i++)
        out[i % CRYPTO_BYTES] ^= in[i];
    out[0] = table[out[0]];
    return 0;
}
"""


def toy(tmp_path: Path, code: str) -> Path:
    """Write a package of a hash into a tree of its own."""
    package = tmp_path / "tree/crypto_hash/toy/ref"
    package.mkdir(parents=True)
    (package / "api.h").write_text("#define CRYPTO_BYTES 32\n")
    (package / "hash.c").write_text(code)
    return package


def test_a_table_lookup_is_found_without_a_declaration_and_fails_with_one(
    assay: Assay, tmp_path: Path
) -> None:
    """A byte that depends on the message is looked up; it is found in the line that does so."""
    if not shutil.which("gcc") or not shutil.which("valgrind"):
        pytest.skip("no gcc or no valgrind")
    package = toy(tmp_path, LOOKS_UP)
    line = (
        "ct", "crypto_hash/toy/ref", "--tree", str(tmp_path / "tree"),
        "--compiler", "gcc", "--level", "-O1", "--no-cures", "--json",
    )  # fmt: skip
    found = assay(*line)
    assert found.code == 0
    matrix, places = json.loads(found.out)["tables"]
    assert {row["-O1"] for row in matrix["rows"]} == {"1 place"}
    (place,) = places["rows"]
    at = 1 + LOOKS_UP.splitlines().index("    out[0] = table[out[0]];")
    assert (place["kind"], place["configurations"]) == ("address", "all")
    assert place["place"] == f"crypto_hash (hash.c:{at})"
    assert "(" in place["instruction"]
    (package / "goal-constindex").touch()
    assert assay(*line).code == 1


def test_a_compiler_that_is_not_there_is_an_error_with_those_that_are(assay: Assay) -> None:
    """Nothing is compiled."""
    done = assay("ct", "rc4/ref", "--compiler", "gcc-1")
    assert done.code == 2
    assert "there is no compiler 'gcc-1'" in done.err
    assert "There are gcc" in done.err


def test_a_target_whose_emulator_is_missing_is_named(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what installs it; `assay check --ct` asks the same, and has no other options then."""
    for program in ("gcc", "arm-linux-gnueabi-gcc"):
        if not shutil.which(program):
            pytest.skip(f"no {program}")
    monkeypatch.setattr(shutil, "which", _without("qemu-arm"))
    line = ("crypto_hash/toy/ref", "--tree", str(tmp_path / "tree"), "--target", "qemu-armv4")
    toy(tmp_path, LOOKS_UP)
    for command in (("ct",), ("check", "--ct")):
        done = assay(*command, *line)
        assert "on qemu-armv4: not examined: not installed: qemu-arm" in done.out
        assert done.code == 3
    assert assay("check", "--ct", "--deep", *line).code == 2


@pytest.mark.slow
def test_an_emulated_target_is_asked_by_traces_that_differ_in_secrets_alone(
    assay: Assay, tmp_path: Path
) -> None:
    """RC4's lookups are found on Arm, where there is no valgrind."""
    if not shutil.which("qemu-arm") or not shutil.which("arm-linux-gnueabi-gcc"):
        pytest.skip("no qemu-arm or no arm-linux-gnueabi-gcc")
    done = assay("ct", "rc4/ref", "--target", "qemu-armv4", "--level", "-O2", "--json")
    assert done.code == 0
    _, places = json.loads(done.out)["tables"]
    source = (tmp_path / "submissions/rc4/ref/rc4.c").read_text().splitlines()
    swapped = f"swap (rc4.c:{1 + source.index('    *a = *b;')})"
    assert swapped in {row["place"] for row in places["rows"] if row["kind"] == "address"}
    assert {row["kind"] for row in places["rows"]} == {"address"}


@pytest.mark.slow
def test_a_key_encapsulation_is_followed_on_emulated_machines(
    assay: Assay, tmp_path: Path
) -> None:
    """A comparison that ends early is found in decapsulating, and nothing in code that has none.

    What the package declares public, the seed of the matrix, is no secret there either. That it
    multiplies secrets is so in both: an ARM7TDMI takes longer for large ones.
    """
    if not shutil.which("qemu-arm") or not shutil.which("arm-linux-gnueabi-gcc"):
        pytest.skip("no qemu-arm or no arm-linux-gnueabi-gcc")
    home = tmp_path / "tree/crypto_kem/mlkem768"
    for name in ("honest", "early"):
        shutil.copytree(ROOT / "submissions/supercop/crypto_kem/mlkem768/ref", home / name)
    code = (home / "early/kem.c").read_text()
    constant = "wrong = differ(again, c, C);"
    assert code.count(constant) == 1
    early = code.replace(constant, "wrong = memcmp(again, c, C) ? 0xff : 0;")
    (home / "early/kem.c").write_text("#include <string.h>\n" + early)
    line = ("--tree", str(tmp_path / "tree"), "--target", "qemu-armv4", "--level", "-O2", "--json")
    honest = assay("ct", "crypto_kem/mlkem768/honest", *line)
    _, places = json.loads(honest.out)["tables"]
    assert {one["kind"] for one in places["rows"]} == {"multiplication"}
    found = assay("ct", "crypto_kem/mlkem768/early", *line)
    kinds = {one["kind"]: one for one in json.loads(found.out)["tables"][1]["rows"]}
    assert kinds.keys() == {"branch", "multiplication"}
    place = kinds["branch"]
    assert re.match(r"memcmp.*, from crypto_kem_\w+_dec \(kem.c:\d+\)$", place["place"])


MAC = """#include <stddef.h>
#include "crypto_auth.h"
int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                const unsigned char *k)
{
    for (size_t at = 0; at < 16; ++at)
        out[at] = k[at];
    for (unsigned long long at = 0; at < inlen; ++at)
        out[at % 16] = (unsigned char)((out[at % 16] ^ in[at]) + 2 * out[(at + 1) % 16]);
    return 0;
}
int crypto_auth_verify(const unsigned char *h, const unsigned char *in, unsigned long long inlen,
                       const unsigned char *k)
{
    unsigned char own[16], all = 0;
    crypto_auth(own, in, inlen, k);
    for (size_t at = 0; at < 16; ++at)
        COMPARE
    return all ? -1 : 0;
}
"""


@pytest.mark.parametrize(
    ("compare", "found"),
    [
        ("if (h[at] != own[at]) return -1;", ["branch"]),
        pytest.param("all |= h[at] ^ own[at];", [], marks=pytest.mark.slow),
    ],
)
def test_a_tag_whose_comparison_ends_early_is_found_on_emulated_machines(
    assay: Assay, tmp_path: Path, compare: str, found: list[str]
) -> None:
    """A forged tag that is right up to its last byte for one of two keys parts the two."""
    if not shutil.which("qemu-x86_64") or machine() != "x86_64":
        pytest.skip("no qemu-x86_64, or not on x86-64")
    package = tmp_path / "tree/crypto_auth/toy/ref"
    package.mkdir(parents=True)
    (package / "api.h").write_text("#define CRYPTO_BYTES 16\n#define CRYPTO_KEYBYTES 16\n")
    (package / "auth.c").write_text(MAC.replace("COMPARE", compare))
    tree = ("--tree", str(tmp_path / "tree"), "--target", "qemu-amd64", "--level", "-O1")
    done = assay("ct", "toy/ref", *tree, "--compiler", "g++", "--json")
    assert done.code == 0, done.err
    tables = json.loads(done.out)["tables"]
    assert [row["kind"] for table in tables[1:] for row in table["rows"]] == found


def _without(missing: str) -> Callable[[str], str | None]:
    found = shutil.which
    return lambda name, *more: None if name == missing else found(name, *more)


STRINGS = """#include "crypto_verify.h"
int crypto_verify(const unsigned char *x, const unsigned char *y)
{
    unsigned int all = 0, at;
    for (at = 0; at < crypto_verify_BYTES; at++)
        COMPARE
    return (int)(1 & ((all - 1) >> 8)) - 1;
}
"""


@pytest.mark.parametrize(
    ("compare", "found"),
    [
        pytest.param("if (x[at] != y[at]) return -1;", ["branch"], marks=pytest.mark.slow),
        ("all |= x[at] ^ y[at];", []),
    ],
)
def test_a_comparison_of_strings_that_ends_early_is_found_on_emulated_machines(
    assay: Assay, tmp_path: Path, compare: str, found: list[str]
) -> None:
    """Two that are not equal at their last byte take another way than two at their first."""
    if not shutil.which("qemu-x86_64") or machine() != "x86_64":
        pytest.skip("no qemu-x86_64, or not on x86-64")
    package = tmp_path / "tree/crypto_verify/16/early"
    package.mkdir(parents=True)
    (package / "api.h").write_text("#define CRYPTO_BYTES 16\n")
    (package / "verify.c").write_text(STRINGS.replace("COMPARE", compare))
    tree = ("--tree", str(tmp_path / "tree"), "--target", "qemu-amd64", "--level", "-O1")
    done = assay("ct", "16/early", *tree, "--json")
    assert done.code == 0, done.err
    tables = json.loads(done.out)["tables"]
    assert [row["kind"] for table in tables[1:] for row in table["rows"]] == found


ALLOCATES = """#include <stdlib.h>
#include <string.h>
#include "api.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char *state = aligned_alloc(64, 320), *other = aligned_alloc(32, 320);
    unsigned long long i;

    for (i = 0; i < TURNS; i++) {
        memset(state, 0, 320);
        __asm__ volatile("" : : "r"(state) : "memory");
    }
    for (i = 0; i < inlen; i++)
        state[i % 32] ^= in[i];
    memcpy(out, state, CRYPTO_BYTES);
    free(state);
    free(other);
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("turns", [1, 600_000])
def test_memory_and_clocks_make_no_two_runs_different(
    assay: Assay, tmp_path: Path, turns: int
) -> None:
    """Glibc has aligned memory elsewhere each time, and agents' clocks ticked in long calls.

    The long ones have more instructions than there is room for; the rest is the same in all runs.
    """
    if not shutil.which("qemu-x86_64") or machine() != "x86_64":
        pytest.skip("no qemu-x86_64, or not on x86-64")
    toy(tmp_path, ALLOCATES.replace("TURNS", str(turns)))
    tree = ("--tree", str(tmp_path / "tree"), "--target", "qemu-amd64", "--level", "-O2")
    done = assay("ct", "crypto_hash/toy/ref", *tree, "--compiler", "gcc")
    assert re.search(r"^gcc .* clean$", done.out.replace(" \n", "\n"), re.MULTILINE), done.out


@pytest.mark.slow
def test_no_option_is_tried_against_what_is_left_in_memory(assay: Assay, tmp_path: Path) -> None:
    """Options that are known here are about branches and addresses."""
    if not shutil.which("gcc") or not shutil.which("valgrind"):
        pytest.skip("no gcc or no valgrind")
    shutil.copytree(ROOT / "submissions/chacha20/ref", tmp_path / "submissions/chacha20/ref")
    levels = ("--level", "-O0", "--level", "-O2", "--no-price")
    found = assay("ct", "chacha20/ref", "--compiler", "gcc", *levels, "--left-behind", "--json")
    _, places, *cures = json.loads(found.out)["tables"]
    assert {row["kind"] for row in places["rows"]} == {"left behind"}
    assert cures == []


@pytest.mark.slow
def test_memory_sanitizer_takes_over_where_there_is_no_valgrind(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lookups are found all the same, and who found them is said."""
    if not shutil.which("clang") or machine() != "x86_64":
        pytest.skip("no clang on x86-64")

    def missing() -> str:
        raise MachineError("valgrind is not installed", "apt-get install valgrind")

    monkeypatch.setattr(valgrind, "valgrind", missing)
    line = ("ct", "rc4/ref", "--compiler", "clang", "--level", "-O2", "--no-cures", "--json")
    done = assay(*line)
    assert not done.code, done.err
    matrix, places = json.loads(done.out)["tables"]
    assert "not examined" not in matrix["rows"][0]["-O2"]
    assert {row["kind"] for row in places["rows"]} == {"address"}
    assert {row["place"].partition(" ")[0] for row in places["rows"]} == {"swap"}
    assert "msan in place of valgrind in 1 of its configurations" in done.out
    alone = assay(*line, "--engine", "valgrind")
    assert "valgrind is not installed" in alone.out
