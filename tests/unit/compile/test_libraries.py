# SPDX-License-Identifier: MIT
"""Libraries of packages of the SUPERCOP API: the system's, and those that a tree brings."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.compile import bundled, libraries
from assay.compile.libraries import Libraries, joined, libraries_for, staged
from assay.execute.jail import Jail, JailMode
from assay.model import Compiler, Package
from assay.package.supercop.load import load
from assay.toolchain.survey import examine

JAIL = Jail(JailMode.LIMITS_ONLY)
MAKEFILE = """
%/libXKCP.a: toy.c
\tmkdir -p bin/$*/libXKCP.a.headers
\t$(CC) $(CFLAGS) -c toy.c -o toy.o
\tar rc bin/$*/libXKCP.a toy.o
\tcp toy.h bin/$*/libXKCP.a.headers
"""


@pytest.fixture(name="compiler")
def gcc() -> Compiler:
    """Any compiler will do."""
    found = examine("gcc")
    assert isinstance(found, Compiler)
    return found


@pytest.fixture(name="tree")
def toy_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a tree with an XKCP of one function, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(shutil, "which", lambda tool: f"/usr/bin/{tool}")
    bundled._gcc.cache_clear()  # of a test that hid the machine's compilers
    tmp_path.chmod(0o755)
    folder = tmp_path / "tree/k"
    folder.mkdir(parents=True)
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "toy.h").write_text("int toy(void);\n")
    (folder / "toy.c").write_text("int toy(void) { return 7; }\n")
    return tmp_path / "tree"


def package(tree: Path, include: str) -> Package:
    """Write a hash that includes a header."""
    folder = tree / "crypto_hash/toy/ref"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "api.h").write_text("#define CRYPTO_BYTES 1\n")
    (folder / "hash.c").write_text(
        f'#include {include}\n#include "crypto_hash.h"\n'
        "int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long n)\n"
        "{ return 0; }\n"
    )
    loaded = load(tree, "crypto_hash/toy/ref")
    assert isinstance(loaded, Package)
    return loaded


def test_a_package_without_libraries_gets_none(tree: Path, compiler: Compiler) -> None:
    """Nothing is built, nothing is probed."""
    assert libraries_for(package(tree, "<string.h>"), compiler, JAIL) == Libraries()


def test_the_trees_library_is_built_where_a_package_includes_it(
    tree: Path, compiler: Compiler
) -> None:
    """Headers under the name that SUPERCOP gives them, and an archive with the function."""
    found = libraries_for(package(tree, "<libkeccak.a.headers/toy.h>"), compiler, JAIL)
    assert found.missing == ""
    assert (found.include[0] / "libkeccak.a.headers/toy.h").read_text() == "int toy(void);\n"
    assert b"toy" in Path(found.link[0]).read_bytes()


@pytest.mark.parametrize("older", ["generic64", "%"])
def test_older_names_of_xkcps_targets_are_tried(
    tree: Path, compiler: Compiler, older: str
) -> None:
    """Until 2020 the library was libkeccak.a, and targets were named by processors."""
    text = MAKEFILE.replace("libXKCP.a", "libkeccak.a").replace("%/lib", f"{older}/lib")
    (tree / "k/Makefile").write_text(text.replace("$*", "$(@D)"))
    found = libraries_for(package(tree, "<libkeccak.a.headers/toy.h>"), compiler, JAIL)
    assert not found.missing, found.missing
    (include,) = found.include
    assert (include / "libkeccak.a.headers/toy.h").is_file()


def test_a_described_package_asks_for_no_library_of_another_framework(
    tree: Path, compiler: Compiler
) -> None:
    """Its tree is not SUPERCOP's or liboqs's: what it may include for them is not reached."""
    shutil.rmtree(tree / "k")
    one = package(tree, "<libkeccak.a.headers/toy.h>")
    assert one.details is not None
    described = replace(one, details=replace(one.details, functions=(("", "crypto_hash"),)))
    assert "XKCP" in libraries_for(one, compiler, JAIL).missing
    assert libraries_for(described, compiler, JAIL) == Libraries()


def test_a_library_that_was_built_is_not_built_again(
    tree: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process finds it in the cache; other contents are another library."""
    user = package(tree, "<libkeccak.a.headers/toy.h>")
    first = libraries_for(user, compiler, JAIL)
    bundled._attempt.cache_clear()
    bundled._contents.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(bundled, "run_jailed", None)
        assert libraries_for(user, compiler, JAIL) == first
    (tree / "k/toy.h").write_text("int toy(void); /* changed */\n")
    bundled._attempt.cache_clear()
    bundled._contents.cache_clear()
    assert libraries_for(user, compiler, JAIL).include != first.include


def test_all_compilers_are_given_the_same_library(tree: Path, compiler: Compiler) -> None:
    """SUPERCOP builds one, too; another machine to compile for has another."""
    user = package(tree, "<libkeccak.a.headers/toy.h>")
    clang = replace(compiler, family="clang", path=Path("/usr/bin/clang"), identity="another")
    first = libraries_for(user, compiler, JAIL, ("-march=native", "-mtune=native"))
    assert first.missing == ""
    assert libraries_for(user, clang, JAIL, ("-march=native",)) == first
    assert libraries_for(user, clang, JAIL, ("-mtune=native",)).link != first.link


def test_a_library_that_cannot_be_built_is_a_reason(tree: Path, compiler: Compiler) -> None:
    """The last lines of its Makefile's output say why."""
    (tree / "k/toy.c").write_text("int toy(void) { return seven; }\n")
    user = package(tree, "<libkeccak.a.headers/toy.h>")
    missing = libraries_for(user, compiler, JAIL).missing
    assert missing.startswith("XKCP of the tree cannot be built: ")
    assert "Error 1" in missing


def test_a_tree_without_the_library_is_a_reason(tree: Path, compiler: Compiler) -> None:
    """It names the folder to copy."""
    missing = libraries_for(package(tree, '"s2n-bignum.h"'), compiler, JAIL).missing
    assert "s2n-bignum" in missing
    assert "Copy the folder s2n-bignum of SUPERCOP" in missing


def test_tools_that_building_needs_are_named(
    tree: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cure is the command that installs them."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    missing = libraries_for(package(tree, "<libkeccak.a.headers/toy.h>"), compiler, JAIL).missing
    assert "apt-get install make xsltproc" in missing


@pytest.mark.parametrize(
    ("header", "link"),
    [
        ("<openssl/evp.h>", ("-lcrypto",)),
        ("<gcrypt.h>", ("-lgcrypt",)),
        ("<nettle/sha2.h>", ("-lnettle",)),
        ("<sodium.h>", ("-lsodium",)),
        ("<sodium/crypto_hash_sha256.h>", ("-lsodium",)),
        ("<gmp.h>", ("-lgmp",)),
        ("<gmpxx.h>", ("-lgmpxx", "-lgmp")),
        ("<NTL/ZZ.h>", ("-lntl", "-lgmp")),
        ("<cryptopp/sha.h>", ("-lcryptopp",)),
    ],
)
def test_headers_tell_the_systems_libraries(
    header: str,
    link: tuple[str, ...],
    tree: Path,
    compiler: Compiler,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those that need others stand before them."""
    monkeypatch.setattr(libraries, "_links", lambda *_: True)
    assert libraries_for(package(tree, header), compiler, JAIL).link == link


def test_a_library_that_does_not_link_is_missing_with_its_cure(
    tree: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The probe is a real one: nothing is called -lassay-has-no-such-library."""
    none = libraries._System("Nothing", ("openssl/",), ("-lassay-no-such",), "libnothing-dev")
    monkeypatch.setattr(libraries, "SYSTEM", (none,))
    missing = libraries_for(package(tree, "<openssl/evp.h>"), compiler, JAIL).missing
    assert "Nothing" in missing
    assert "apt-get install libnothing-dev" in missing


def test_an_include_that_no_compiler_reaches_needs_no_library(
    tree: Path, compiler: Compiler
) -> None:
    """OpenSSL under `#ifdef USE_OPENSSL`, which nothing defines, or XKCP in a comment."""
    toy = package(tree, "<stdint.h>")
    lines = (
        "#ifdef USE_IT\n#include <openssl/evp.h>\n#endif\n// #include <libkeccak.a.headers/x.h>\n"
    )
    (toy.root / toy.sources[0]).write_text(lines)
    assert libraries_for(toy, compiler, JAIL) == Libraries()


@pytest.mark.parametrize("folder", ["", "headers/"])
def test_a_header_that_the_package_has_is_no_librarys(
    tree: Path, compiler: Compiler, folder: str
) -> None:
    """Parts of mbedTLS, say, under their own names, or in a folder of headers."""
    own = tree / f"crypto_hash/toy/ref/{folder}mbedtls/base64.h"
    own.parent.mkdir(parents=True)
    own.write_text("int base64(void);\n")

    toy = package(tree, '"mbedtls/base64.h"')
    assert libraries_for(toy, compiler, JAIL) == Libraries()


def test_no_package_of_this_system_is_named_for_another_machine(
    tree: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`apt-get install libssl-dev` would not help a cross compiler."""
    monkeypatch.setattr(libraries, "_links", lambda *_: False)
    toy = package(tree, "<openssl/evp.h>")
    missing = libraries_for(toy, compiler, JAIL, (), "aarch64").missing
    assert missing == "it needs OpenSSL, and there is none for aarch64 here"


def test_libraries_are_copied_to_where_a_jail_sees_them(
    tree: Path, compiler: Compiler, tmp_path: Path
) -> None:
    """Names of the system's libraries stay as they are."""
    found = libraries_for(package(tree, "<libkeccak.a.headers/toy.h>"), compiler, JAIL)
    home = tmp_path / "home"
    home.mkdir()
    seen = staged(joined([found, Libraries(link=("-lcrypto",)), found]), home)
    assert len(seen.include) == 1
    assert (seen.include[0] / "libkeccak.a.headers/toy.h").is_file()
    assert seen.include[0].is_relative_to(home)
    assert Path(seen.link[0]).read_bytes() == Path(found.link[0]).read_bytes()
    assert Path(seen.link[0]).is_relative_to(home)
    assert seen.link[1] == "-lcrypto"
