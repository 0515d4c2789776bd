# SPDX-License-Identifier: MIT
"""Known answers against packages in C, through an agent: what Python's packages cannot show."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.check.answers.read import read_answers
from assay.check.answers.records import FileAgreement
from assay.check.answers.verify import verify
from assay.check.operation.session import OperationSession, describe
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.jail import AGENT_LIMITS, strongest_jail
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import hand_over, staged_folder
from assay.model import Compiler, Configuration, Package
from assay.package.supercop.load import load

SHIPPED = Path(__file__).resolve().parents[4] / "submissions/supercop"
FIRST = (  # what NIST's generator gives first, begun with 00 01 ... 2f
    "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7"
    "056A8C266F9EF97ED08541DBD2E1FFA1"
)
SECOND = (
    "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556A"
    "C81ADDE6AEEB4A5A875C3BFCADFA958F"
)
TOY_API = """\
#define CRYPTO_PUBLICKEYBYTES 48
#define CRYPTO_SECRETKEYBYTES 48
#define CRYPTO_CIPHERTEXTBYTES 48
#define CRYPTO_BYTES 48
"""
TOY = """\
#include "crypto_kem.h"
#include "randombytes.h"
#include <string.h>
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{
    REQUESTS
    memcpy(sk, pk, 48);
    return 0;
}
int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk)
{
    (void)pk;
    randombytes(c, 48);
    memcpy(k, c, 48);
    return 0;
}
int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk)
{
    (void)sk;
    memcpy(k, c, 48);
    return 0;
}
"""
Comparing = Callable[[Path, str, str], FileAgreement]


@contextmanager
def session_with(package: Package, folder: Path) -> Iterator[OperationSession]:
    """Build a package, and speak with it."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no gcc")
    jail = strongest_jail()
    options = Configuration("gcc", "gcc", "", "-O1", "gcc_default_O1", "gcc_default_O1")
    compiler = Compiler("gcc", "gcc", Path(gcc), "", "", "gcc")
    build = Builder(folder / "agents", jail).build(Recipe(package, 1, options, compiler))
    assert build.agent is not None, build.reason + build.diagnostics
    with staged_folder("assay-test-") as home:
        path = home / "agent"
        shutil.copyfile(build.agent, path)
        hand_over(path)
        with Agent(ProcessPipe([str(path)], home, jail, AGENT_LIMITS)) as agent:
            yield OperationSession(agent, describe(agent))


@pytest.fixture
def comparing(tmp_path: Path) -> Comparing:
    """Give what compares a package of a tree with a file."""

    def compare(tree: Path, place: str, text: str) -> FileAgreement:
        (tmp_path / "answers").write_text(text)
        package = load(tree, place)
        assert isinstance(package, Package), package
        with session_with(package, tmp_path) as session:
            return verify(session, read_answers(tmp_path / "answers"))

    return compare


@pytest.mark.parametrize(
    ("requests", "good"),
    [
        pytest.param("randombytes(pk, 48);", True, id="as when the file was made"),
        pytest.param("randombytes(pk, 16); randombytes(pk + 16, 32);", True, id="in pieces"),
        pytest.param(
            "unsigned char more[5]; randombytes(pk, 48);"
            " while (pk[0] != 6) { randombytes(more, 5); pk[0] = 6; }",
            True,
            id="more if the bytes are others",
        ),
        pytest.param("randombytes(pk, 48); pk[0] ^= 1;", False, id="wrong"),
    ],
)
def test_the_agent_logs_requests_and_supplies_the_generators_bytes(
    comparing: Comparing, tmp_path: Path, requests: str, good: bool
) -> None:
    """A KEM that shows its random bytes, and NIST's first 96."""
    root = tmp_path / "tree" / "crypto_kem" / "toy" / "ref"
    root.mkdir(parents=True)
    (root / "api.h").write_text(TOY_API)
    (root / "kem.c").write_text(TOY.replace("REQUESTS", requests))
    seed = bytes(range(48)).hex()
    keys = f"pk = {FIRST}\nsk = {FIRST}\nct = {SECOND}\nss = {SECOND}\n"
    found = comparing(tmp_path / "tree", "crypto_kem/toy/ref", f"count = 0\nseed = {seed}\n{keys}")
    assert (found.compared, found.good) == (1, good)


def test_ed25519_as_shipped_signs_as_rfc_8032_does(comparing: Comparing) -> None:
    """Section 7.1, tests 1 and 2, in the form of sign.input."""
    lines = (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a:"
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a::"
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b:\n"
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c:"
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c:72:"
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c0072:\n"
    )
    found = comparing(SHIPPED, "crypto_sign/ed25519/ref", lines)
    assert (found.passed, found.failed, found.good) == (4, 0, True)


def test_sha_256_as_shipped_follows_nists_chain(comparing: Comparing) -> None:
    """SHAVS 6.4: each message is the last three digests; computed here with hashlib."""
    seed = hashlib.sha256(b"abc").digest()
    three = [seed] * 3
    for _ in range(1000):
        three = [*three[1:], hashlib.sha256(b"".join(three)).digest()]
    text = f"Seed = {seed.hex()}\n\nCOUNT = 0\nMD = {three[2].hex()}\n"
    found = comparing(SHIPPED, "crypto_hash/sha256/ref", f"{text}\nCOUNT = 1\nMD = {'00' * 32}\n")
    assert (found.passed, found.failed) == (1, 1)
