# SPDX-License-Identifier: MIT
"""The headers that are generated, as a preprocessor and a compiler see them."""

import subprocess
from pathlib import Path

import pytest
from tests.unit.compile.supercop.conftest import Loaded, Write, hash_source

from assay.compile.supercop.names import own_headers, plain_headers, shared_headers
from assay.model import Package

OWN = "crypto_hash_toy_ref_timingleaks"


@pytest.fixture(name="package")
def toy(write: Write, loaded: Loaded) -> Package:
    """Write a hash whose api.h has a second constant and a version."""
    write("crypto_hash/toy/ref", hash_source(""))
    api = '#define CRYPTO_BYTES 32\n#define CRYPTO_VERSION "1.3"\n#define NOT_CRYPTO_BYTES 7\n'
    write("crypto_hash/toy/ref", {"api.h": api})
    return loaded("crypto_hash/toy/ref")


def preprocessed(folder: Path, headers: dict[str, str], text: str) -> str:
    """Give what a preprocessor makes of text that includes the headers."""
    for name, header in headers.items():
        (folder / name).write_text(header)
    line = ["cc", "-E", "-P", "-Werror", "-x", "c", "-I", str(folder), "-"]
    done = subprocess.run(line, input=text, capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


def test_a_package_gets_three_headers(package: Package) -> None:
    """Its operation's, its primitive's, and that for public inputs."""
    assert sorted(own_headers(package, "timingleaks")) == [
        "crypto_hash.h",
        "crypto_hash_toy.h",
        "crypto_hash_toy_publicinputs.h",
    ]


def test_what_the_author_calls_crypto_hash_has_the_implementations_name(
    package: Package, tmp_path: Path
) -> None:
    """So several implementations can be linked together."""
    text = '#include "crypto_hash.h"\ncrypto_hash crypto_hash_BYTES crypto_hash_PRIMITIVE\n'
    seen = preprocessed(tmp_path, own_headers(package, "timingleaks"), text)
    assert seen.endswith(f'{OWN} 32 "toy"')


def test_users_of_a_primitive_see_its_functions_and_constants(
    package: Package, tmp_path: Path
) -> None:
    """Without knowing which implementation it is."""
    text = (
        '#include "crypto_hash_toy.h"\ncrypto_hash_toy crypto_hash_toy_BYTES '
        "crypto_hash_toy_VERSION crypto_hash_toy_IMPLEMENTATION\n"
    )
    seen = preprocessed(tmp_path, shared_headers(package, "timingleaks"), text)
    assert seen.endswith(f'{OWN} 32 "1.3" "crypto_hash/toy/ref"')


def test_public_inputs_have_names_of_their_own(package: Package, tmp_path: Path) -> None:
    """Both headers may be included, in either order."""
    headers = shared_headers(package, "timingleaks")
    for order in (sorted(headers), sorted(headers, reverse=True)):
        text = "".join(f'#include "{name}"\n' for name in order)
        text += "crypto_hash_toy_publicinputs_BYTES crypto_hash_toy_publicinputs\n"
        seen = preprocessed(tmp_path, headers, text)
        assert seen.endswith(f"32 {OWN}")


def test_only_names_that_begin_with_crypto_are_renamed(package: Package, tmp_path: Path) -> None:
    """Others of api.h keep theirs."""
    text = '#include "crypto_hash_toy.h"\nNOT_CRYPTO_BYTES\n'
    assert preprocessed(tmp_path, shared_headers(package, "timingleaks"), text).endswith("7")


def test_the_macro_that_names_symbols_is_none_of_the_constants(
    package: Package, tmp_path: Path
) -> None:
    """An api.h that other builds use as well, as NTRU's, names its functions by it."""
    api = "#define CRYPTO_BYTES 32\n#define crypto_hash CRYPTO_NAMESPACE(own)\n"
    (package.root / "api.h").write_text(api)
    text = f'#define CRYPTO_NAMESPACE(name) {OWN}_##name\n#include "crypto_hash_toy.h"\n'
    seen = preprocessed(tmp_path, shared_headers(package, "timingleaks"), f"{text}crypto_hash")
    assert seen.endswith(f"{OWN}_own")


def test_headers_of_both_leagues_differ_in_names(package: Package) -> None:
    """A package may be linked in either."""
    text = shared_headers(package, "constbranchindex")["crypto_hash_toy.h"]
    assert "crypto_hash_toy_ref_constbranchindex" in text
    assert "timingleaks" not in text


def test_plain_headers_declare_plain_names(tmp_path: Path) -> None:
    """For all operations, and twice if somebody includes them so."""
    headers = plain_headers()
    text = "".join(f'#include "{name}"\n' for name in (*headers, *headers))
    seen = preprocessed(tmp_path, headers, text)
    hashes = "extern int crypto_hash(unsigned char *,const unsigned char *,unsigned long long);"
    assert seen.count(hashes) == 1
    assert len(headers) == 21
