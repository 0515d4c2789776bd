# SPDX-License-Identifier: MIT
"""Plain C functions as packages."""

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay
from tests.unit.package.digest import SHA256, SIGNATURE, write_digest

from assay.campaign.gathering import second_side
from assay.model import CheckResult, Verdict
from assay.package.described.load import load_described
from assay.report.ci.verdict_forms import source_line
from assay.report.compare.verdicts import ComparedVerdicts

ROOT = Path(__file__).parents[3]


@pytest.fixture
def assay(assay: Assay) -> Assay:
    """Give a function that calls the command line beside a file with a function of SHA-256."""
    write_digest()
    return assay


def test_a_function_is_judged_where_it_stands(assay: Assay) -> None:
    """Its arguments have another order, and its checksums are known by the primitive's name."""
    done = assay("wrap", SIGNATURE, "digest.c", "--as", "crypto_hash/sha256")
    assert done.code == 0, done.err
    assert "input is in, length is inlen, output is out" in done.out
    done = assay("check", ".:sha256/digest")
    assert done.code == 0, done.out
    assert "pass checksum/small" in done.out
    again = assay("wrap", SIGNATURE, "digest.c", "--as", "crypto_hash/sha256")
    assert (again.code, "has digest already" in again.err) == (2, True)


def test_macros_and_sources_of_the_librarys_build_are_named(assay: Assay) -> None:
    """Without the source that has a function, the file is named, and where to name it."""
    Path("inner").mkdir()
    Path("inner/helper.c").write_text("int helper(void) { return HELPS; }\n")
    source = Path("digest.c")
    begin = f"{SIGNATURE}\n{{"
    text = source.read_text().replace(begin, f"{begin}\n    if (helper() != 3) return;")
    source.write_text(f"int helper(void);\n{text}")
    words = ("wrap", SIGNATURE, "digest.c", "--as", "crypto_hash/sha256", "--replace")
    assay(*words)
    checked = assay("check", ".:sha256/digest")
    assert "inner/helper.c has it, and is not compiled" in checked.out
    assert "Name it among the package's sources" in checked.out
    done = assay(*words, "inner/helper.c", "--define", "HELPS=3")
    assert done.code == 0, done.err
    assert assay("check", ".:sha256/digest", "--only", "checksum/small").code == 0


def _linked(assay: Assay) -> str:
    """Return the line below a table that names libraries with their versions."""
    lines = assay("show", "crypto_hash/sha256", "--results", "r").out.splitlines()
    (line,) = (one for one in lines if one.startswith("Linked libraries: "))
    assert "libdigest.a (SHA-256 " in line
    return line


@pytest.mark.slow
def test_a_library_is_linked_and_a_missing_one_named(assay: Assay) -> None:
    """The package is what is in the archive, as it was built: another one is measured again."""
    for line in (("gcc", "-c", "digest.c", "-fPIC"), ("ar", "rc", "libdigest.a", "digest.o")):
        subprocess.run(line, check=True)
    Path("digest.c").unlink()
    done = assay("wrap", SIGNATURE, "--library", "libdigest.a", "--as", "crypto_hash/sha256")
    assert done.code == 0, done.err
    done = assay("check", ".")
    assert "pass checksum/small" in done.out, done.out
    measured = ("run", ".", "--best", "1", "--launches", "1", "--samples", "9", "--results", "r")
    assert assay(*measured).code == 0
    before = _linked(assay)
    subprocess.run(("gcc", "-c", "more.cpp", "-fPIC"), check=True)
    subprocess.run(("ar", "r", "libdigest.a", "more.o"), check=True)
    assert assay(*measured).code == 0
    assert _linked(assay) != before
    Path("libdigest.a").unlink()
    assert "there is no library 'libdigest.a'" in assay("check", ".").out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--as", "crypto_hash"), "names no operation and primitive"),
        (("--as", "crypto_hash/mine"), "neither are its sizes"),
        (("--as", "crypto_hash/sha256", "--roles", "in,out"), "has 2 roles"),
        (("--as", "crypto_hash/sha256", "--roles", "in,inlen,?"), "it is unclear"),
        (("--as", "crypto_kem/mlkem768"), "crypto_kem"),
        (("more.cpp", "--as", "crypto_hash/sha256"), "compiled as one of them"),
        (("none.c", "--as", "crypto_hash/sha256"), "there is no file none.c"),
    ],
)
def test_what_cannot_be_wrapped_is_refused(
    assay: Assay, arguments: tuple[str, ...], reason: str
) -> None:
    """With the cure, and nothing is written."""
    done = assay("wrap", SIGNATURE, "digest.c", *arguments)
    assert done.code == 2
    assert reason in done.err or "nothing is given" in done.err
    assert not Path("assay.toml").exists()


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("tree/digest.c:7:3: error: none", ("digest.c", 7, 3)), ("wrong", ("digest.c", 1, None))],
)
def test_what_is_found_points_at_the_functions_own_file(
    assay: Assay, reason: str, expected: tuple[str, int, int | None]
) -> None:
    """And not at the wrapper, or at the folder, where a pull request shows nothing."""
    assert assay("wrap", SIGNATURE, "digest.c", "--as", "crypto_hash/sha256").code == 0
    (found,) = load_described(Path("assay.toml"))
    cell = second_side(".:sha256/digest", found, ComparedVerdicts({}, {}))
    line = source_line(cell, CheckResult("build/compiles", Verdict.FAIL, reason), Path())
    assert (line.path, line.line, line.column) == expected


@pytest.mark.parametrize(
    ("result", "success"), [("bool", "1"), ("int", "0"), ("unsigned char *", "!")]
)
def test_success_is_told_by_what_a_function_returns(
    assay: Assay, result: str, success: str
) -> None:
    """In the wrapper that calls it."""
    signature = SIGNATURE.replace("void", result, 1)
    assert assay("wrap", signature, "digest.c", "--as", "crypto_hash/sha256").code == 0
    text = Path("assay_digest.c").read_text()
    assert ("failed = !digest(" if success == "!" else f") != {success};") in text


def test_a_length_that_is_returned_is_asked_about(assay: Assay) -> None:
    """Nobody can tell whether 32 is an error; nothing is written before it is said."""
    arguments = (SIGNATURE.replace("void", "size_t", 1), "digest.c", "--as", "crypto_hash/sha256")
    refused = assay("wrap", *arguments)
    assert (refused.code, "digest returns size_t" in refused.err) == (2, True)
    assert not Path("assay.toml").exists()
    done = assay("wrap", *arguments, "--success", "CRYPTO_BYTES")
    assert (done.code, "it returns CRYPTO_BYTES if all" in done.out) == (0, True), done.err


def test_functions_that_follow_from_another_are_added(assay: Assay, tmp_path: Path) -> None:
    """The verification of a MAC, and a keystream from encryption; others are asked for."""
    shutil.copy(SHA256, tmp_path / "mac.c")
    mac = "int mac(uint8_t *out, const uint8_t *in, size_t n, const uint8_t *key)"
    assert assay("wrap", mac, "mac.c", "--as", "crypto_auth/hmacsha256").code == 0
    (one,) = load_described(tmp_path / "assay.toml")
    assert one.place == "crypto_auth/hmacsha256/mac"
    assert "wrapped_mac_verify(" in (tmp_path / "assay_mac.c").read_text()
    pair = "int pair(uint8_t *pk, uint8_t *sk)"
    done = assay("wrap", pair, "mac.c", "--as", "crypto_kem/mlkem768")
    assert (done.code, "needs a function for crypto_kem_enc" in done.err) == (2, True)


TAG = """
#include <string.h>
#include "digest.h"

static void tag(unsigned char out[32], const unsigned char *pk, const unsigned char *m, size_t l)
{
    unsigned char both[64];
    memcpy(both, pk, 32);
    digest(m, l, both + 32);
    digest(both, 64, out);
}
"""
APART = """
void pair(unsigned char sk[64], unsigned char pk[32], unsigned char seed[32])
{
    memcpy(sk, seed, 32);
    digest(seed, 32, pk);
    memcpy(sk + 32, pk, 32);
}

void sign(unsigned char signature[32], const unsigned char *sk, const unsigned char *m, size_t l)
{
    tag(signature, sk + 32, m, l);
}

int check(const unsigned char sig[32], const unsigned char *pk, const unsigned char *m, size_t l)
{
    unsigned char own[32];
    tag(own, pk, m, l);
    return memcmp(own, sig, 32) ? -1 : 0;
}
"""


def test_a_signature_that_stands_apart_is_put_before_its_message(
    assay: Assay, tmp_path: Path
) -> None:
    """In outputs that may overlap the inputs, with a seed that is drawn, and its header found."""
    (tmp_path / "lib/inner").mkdir(parents=True)
    source = tmp_path / "lib/sign.c"
    source.write_text(TAG + APART)
    shutil.move(tmp_path / "digest.c", tmp_path / "lib/digest.c")
    (tmp_path / "lib/inner/digest.h").write_text(
        f"#include <stddef.h>\n#include <stdint.h>\n{SIGNATURE};\n"
    )
    heads = [line for line in APART.splitlines() if line.startswith(("void", "int"))]
    sizes = ("BYTES=32", "PUBLICKEYBYTES=32", "SECRETKEYBYTES=64")
    constants = [one for size in sizes for one in ("--constant", size)]
    files = ("lib/sign.c", "lib/digest.c")
    done = assay("wrap", *heads, *files, "--as", "crypto_sign/mine", "--name", "own", *constants)
    assert done.code == 0, done.err
    assert "digest.h is taken from lib/inner" in done.out
    assert "sk is sk, pk is pk, seed is random(32)" in done.out
    assert "message" not in done.err
    judged = assay("check", "lib:mine")
    assert "FAIL" not in judged.out, judged.out
    assert "supercop/" not in judged.out.replace("OPEN", ""), judged.out


BESIDE = """
void pair(const unsigned char *sk, unsigned char *pk)
{
    digest(sk, 32, pk);
}

void sign(unsigned char signature[32], const unsigned char *m, size_t l,
          const unsigned char *sk, const unsigned char *pk)
{
    (void)sk;
    tag(signature, pk, m, l);
}

int check(const unsigned char *m, size_t l, const unsigned char *pk, const unsigned char RS[32])
{
    unsigned char own[32];
    tag(own, pk, m, l);
    return memcmp(own, RS, 32) ? -1 : 0;
}
"""


def test_a_public_key_that_signing_takes_is_kept_behind_the_secret_one(
    assay: Assay, tmp_path: Path
) -> None:
    """And a secret key that is only read is drawn, where the roles say so."""
    (tmp_path / "sign.c").write_text(TAG + BESIDE)
    (tmp_path / "digest.h").write_text(f"#include <stddef.h>\n#include <stdint.h>\n{SIGNATURE};\n")
    signs = "void sign(unsigned char signature[32], const unsigned char *m, size_t l, "
    checks = "int check(const unsigned char *m, size_t l, const unsigned char *pk, "
    heads = [
        "void pair(const unsigned char *sk, unsigned char *pk)",
        f"{signs}const unsigned char *sk, const unsigned char *pk)",
        f"{checks}const unsigned char RS[32])",
    ]
    sizes = ("BYTES=32", "PUBLICKEYBYTES=32", "SECRETKEYBYTES=64")
    constants = [one for size in sizes for one in ("--constant", size)]
    call = ("wrap", *heads, "sign.c", "digest.c", "--as", "crypto_sign/mine", "--name", "own")
    done = assay(*call, *constants)
    assert (done.code, "sk=random(32)" in done.err) == (2, True)
    done = assay(*call, *constants, "--roles", "sk=random(32),pk")
    assert done.code == 0, done.err
    assert "pk is sk+CRYPTO_SECRETKEYBYTES-CRYPTO_PUBLICKEYBYTES" in done.out
    judged = assay("check", ".:mine", "--only", "supercop", "--only", "buffers", "--all")
    assert "FAIL" not in judged.out, judged.out
    assert "pass supercop/returns" in judged.out


def test_a_result_that_says_nothing_is_not_looked_at(assay: Assay) -> None:
    """And a counter is asked about, as it is no length."""
    signature = SIGNATURE.replace("void", "uint64_t", 1)
    done = assay("wrap", signature, "digest.c", "--as", "crypto_hash/sha256", "--success", "any")
    assert (done.code, "it returns" in done.out) == (0, False), done.err
    assert "    digest(" in Path("assay_digest.c").read_text()


def test_a_description_that_cannot_be_written_leaves_nothing_behind(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next try finds the folder as it was."""
    once = ("wrap", SIGNATURE, "digest.c", "--as", "crypto_hash/sha256", "--name")
    assert assay(*once, "first").code == 0
    before = {one: one.read_bytes() for one in tmp_path.iterdir()}
    write_text = Path.write_text

    def full(path: Path, text: str) -> int:
        if path.name == "assay.toml":
            write_text(path, text[:9])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_text(path, text)

    monkeypatch.setattr(Path, "write_text", full)
    done = assay(*once, "second")
    assert done.code == 2
    assert "No space left" in done.err or "disk is full" in done.err
    assert {one: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_what_an_earlier_call_wrote_is_replaced_only_if_wanted(assay: Assay) -> None:
    """Roles that were wrong are given again; other functions of the description stay."""
    once = ("wrap", SIGNATURE, "digest.c", "--as", "crypto_hash/sha256", "--name")
    for name in ("first", "second"):
        assert assay(*once, name, "--success", "any").code == 0
    before = Path("assay.toml").read_text()
    refused = assay(*once, "first", "--roles", "out,in,inlen + 0")
    assert refused.code == 2
    assert "Give --replace" in refused.err
    done = assay(*once, "first", "--roles", "out,in,inlen + 0", "--replace")
    assert done.code == 0, done.err
    assert "inlen + 0" in Path("assay_first.c").read_text()
    assert sorted(Path("assay.toml").read_text().split()) == sorted(before.split())
    Path("assay_first.c").rename("elsewhere.c")
    Path("assay_first.c").symlink_to("elsewhere.c")
    assert "is there already" in assay(*once, "first", "--replace").err
    Path("assay.toml").write_text(before.replace('sets = ["sha256"]', '"sets" = ["sha256"]'))
    by_hand = assay(*once, "first", "--replace")
    assert by_hand.code == 2
    assert "changed by hand" in by_hand.err


def test_an_aead_whose_tag_stands_apart_is_wrapped_by_its_roles(
    assay: Assay, tmp_path: Path
) -> None:
    """As Monocypher's: no secret number, and the tag where the operation has its end."""
    text = (
        "uint8_t *mac, uint8_t *c, const uint8_t *k, const uint8_t *n, const uint8_t *m, size_t l"
    )
    (tmp_path / "aead.c").write_text("/* both functions */\n")
    sizes = [one for name in ("KEY", "NPUB", "A") for one in ("--constant", f"{name}BYTES=16")]
    roles = (
        "--roles",
        "c+mlen,c,k,npub,m,mlen,ad,adlen",
        "--roles",
        "c+clen-16,m,k,npub,c,clen-16,ad,adlen",
    )
    more = ", const uint8_t *ad, size_t adlen)"
    both = (f"void lock({text}{more}", f"int unlock({text}{more}")
    done = assay("wrap", *both, "aead.c", "--as", "crypto_aead/mine", *roles, *sizes)
    assert done.code == 0, done.err
    assert "(void)(nsec);" in (tmp_path / "assay_lock.c").read_text()


def test_the_function_that_is_nearest_is_asked_about(assay: Assay) -> None:
    """A key pair from a seed without a size is one in which the seed alone is unclear."""
    made = "void make_keys(uint8_t *public_key, uint8_t *private_key, const uint8_t *seed)"
    done = assay("wrap", made, "digest.c", "--as", "crypto_sign/ed25519")
    assert done.code == 2
    assert "unclear what const uint8_t *seed is" in done.err
    assert '--roles "pk,sk,?"' in done.err
