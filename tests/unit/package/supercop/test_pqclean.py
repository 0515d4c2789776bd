# SPDX-License-Identifier: MIT
"""Packages as PQClean lays them out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write

from assay.model import Package
from assay.model.packages import OperationDetails
from assay.package.supercop.load import load

API = """
#define PQCLEAN_FOO_CLEAN_CRYPTO_PUBLICKEYBYTES 32
#define PQCLEAN_FOO_CLEAN_CRYPTO_SECRETKEYBYTES 64
#define PQCLEAN_FOO_CLEAN_CRYPTO_CIPHERTEXTBYTES 32
#define PQCLEAN_FOO_CLEAN_CRYPTO_BYTES 16
#define PQCLEAN_FOO_CLEAN_CRYPTO_ALGNAME "Foo"
int PQCLEAN_FOO_CLEAN_crypto_kem_keypair(uint8_t *pk, uint8_t *sk);
int PQCLEAN_FOO_CLEAN_crypto_kem_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk);
int PQCLEAN_FOO_CLEAN_crypto_kem_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
"""
META = """\
name: Foo
type: kem
nistkat-sha256: 5352
principal-submitters:
  - Ada One
auxiliary-submitters:
  - Bob Two
implementations:
    - name: clean
      version: one
    - name: avx2
      version: two
      supported_platforms:
        - architecture: x86_64
          required_flags:
              - avx2
    - name: neon
      supported_platforms:
        - architecture: arm_8
"""
COMMON = {
    "fips202.h": "",
    "fips202.c": '#include "fips202.h"\n#include "compat.h"\n',
    "compat.h": "",
    "aes.h": "",
    "aes.c": "",
    "seed.h": '#include "aes.h"\n',
    "seed.c": "",
    "randombytes.h": "#define randombytes PQCLEAN_randombytes\n",
    "randombytes.c": "",
    "crypto_declassify.h": "",
    "keccak4x/k.h": "",
    "keccak4x/k.c": "",
    "keccak4x/k.macros": "",
}
SOURCE = '#include "fips202.h"\n#include "randombytes.h"\n#include "crypto_declassify.h"\n'
CLEAN = "crypto_kem/foo/clean"
Loaded = Callable[[str], Package]


def details(package: Package) -> OperationDetails:
    """Give what a package of an operation always has."""
    assert package.details is not None
    return package.details


@pytest.fixture
def pqclean(write: Write) -> Write:
    """Give the function that writes a package, beside the files that all share."""
    write("common", COMMON)
    write("crypto_kem/foo", {"META.yml": META})

    def written(place: str = CLEAN, **more: str) -> Path:
        return write(place, {"api.h": API, "kem.c": SOURCE}, **more)

    return written


def test_names_have_a_prefix(pqclean: Write, loaded: Loaded) -> None:
    """Constants are known without it."""
    pqclean()
    found = details(loaded(CLEAN))
    assert found.layout == "pqclean"
    assert found.prefix == "PQCLEAN_FOO_CLEAN_"
    assert dict(found.constants)["SECRETKEYBYTES"] == "64"


def test_shared_sources_are_linked_where_their_header_is_included(
    pqclean: Write, loaded: Loaded, tree: Path
) -> None:
    """Headers follow, as far as they are needed; random bytes are ours."""
    pqclean()
    package = loaded(CLEAN)
    assert package.sources == ("kem.c", "common/fips202.c")
    assert package.files == ("api.h", "kem.c")
    assert details(package).folders == ("common",)
    assert details(package).shared == tuple(
        (f"common/{name}", tree / "common" / name)
        for name in ("compat.h", "fips202.c", "fips202.h")
    )


def test_shared_headers_bring_what_they_include(pqclean: Write, loaded: Loaded) -> None:
    """What they include may have sources, too."""
    pqclean(**{"kem.c": '#include "seed.h"\n'})
    assert loaded(CLEAN).sources == ("kem.c", "common/aes.c", "common/seed.c")


@pytest.mark.parametrize(
    "more",
    [{"x.h": '#include "keccak4x/k.h"\n'}, {"Makefile": "DIR=../../../common/keccak4x\n"}],
)
def test_folders_of_shared_sources_come_as_a_whole(
    pqclean: Write, loaded: Loaded, more: dict[str, str]
) -> None:
    """By a header in them, or because the Makefile goes there."""
    pqclean(**more)
    package = loaded(CLEAN)
    assert package.sources == ("kem.c", "common/fips202.c", "common/keccak4x/k.c")
    assert "common/keccak4x/k.macros" in dict(details(package).shared)


def test_a_package_that_shares_nothing_needs_no_folder(pqclean: Write, loaded: Loaded) -> None:
    """No folder is searched then."""
    pqclean(**{"kem.c": ""})
    found = details(loaded(CLEAN))
    assert not found.shared
    assert not found.folders


def test_shared_bytes_count_in_the_hash(pqclean: Write, loaded: Loaded, tree: Path) -> None:
    """Only those that are used do."""
    pqclean()
    before = loaded(CLEAN).content_hash
    (tree / "common/aes.c").write_text("int unused;\n")
    assert loaded(CLEAN).content_hash == before
    (tree / "common/fips202.c").write_text("int used;\n")
    assert loaded(CLEAN).content_hash != before


@pytest.mark.parametrize(
    ("name", "machines"), [("clean", ()), ("avx2", ("amd64",)), ("neon", ("aarch64",))]
)
def test_machines_are_those_of_its_own_entry(
    pqclean: Write, loaded: Loaded, name: str, machines: tuple[str, ...]
) -> None:
    """META.yml has one entry for each implementation."""
    pqclean(f"crypto_kem/foo/{name}")
    assert details(loaded(f"crypto_kem/foo/{name}")).architectures == machines


def test_people_are_noted(pqclean: Write, loaded: Loaded) -> None:
    """So is the hash of the known answers."""
    pqclean()
    notes = dict(details(loaded(CLEAN)).notes)
    assert notes == {"designers": "Ada One, Bob Two", "nistkat-sha256": "5352"}


def test_a_digest_of_known_answers_is_compared(pqclean: Write, loaded: Loaded) -> None:
    """META.yml is the file of known answers, and nothing else of a tree like PQClean's."""
    pqclean()
    assert details(loaded(CLEAN)).answers == ()
    folder = pqclean()
    meta = folder.parent / "META.yml"
    meta.write_text(META.replace("5352", "5352" * 16))
    assert details(loaded(CLEAN)).answers == (meta,)


def test_a_folder_alone_is_a_package_too(pqclean: Write) -> None:
    """Nothing outside of the folder is read."""
    folder = pqclean()
    package = load(folder, "crypto_kem/foo/clean", folder)
    assert isinstance(package, Package)
    assert package.sources == ("kem.c",)
    assert details(package).notes == ()
