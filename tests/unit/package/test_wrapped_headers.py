# SPDX-License-Identifier: MIT
"""Headers of plain C functions: where they are found, and what is put above them."""

from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay
from tests.unit.package.digest import SIGNATURE, write_digest


@pytest.fixture
def assay(assay: Assay) -> Assay:
    """Give a function that calls the command line beside a file with a function of SHA-256."""
    write_digest()
    return assay


@pytest.mark.parametrize("header", ["src/digest.h", "include/digest.h"])
def test_a_header_is_named_by_its_place_here(assay: Assay, header: str) -> None:
    """The folder that has assay.toml may be another one, and sources name the header alone."""
    declared = Path(header)
    for folder in ("src", "include"):
        Path(folder).mkdir()
    declared.write_text(f"#include <stddef.h>\n#include <stdint.h>\n{SIGNATURE};\n")
    source = Path("digest.c").rename("src/digest.c")
    source.write_text(f'#include "digest.h"\n{source.read_text()}')
    done = assay("wrap", f"{header}:digest", "src/digest.c", "--as", "crypto_hash/sha256")
    assert done.code == 0, done.err
    checked = assay(*done.out.partition("Next: assay ")[2].split())
    assert checked.code == 0, checked.out


def test_a_folder_of_headers_may_be_the_one_above_all_files(assay: Assay) -> None:
    """As in mlkem-native, whose inner files include a header beside the outermost one."""
    Path("inner").mkdir()
    Path("types.h").write_text("#include <stddef.h>\n#include <stdint.h>\n")
    Path("inner/common.h").write_text('#include "types.h"\n')
    source = Path("digest.c")
    source.write_text(f'#include "inner/common.h"\n{source.read_text()}')
    words = ("wrap", SIGNATURE, "digest.c", "--include", ".", "--as", "crypto_hash/sha256")
    done = assay(*words)
    assert done.code == 0, done.err
    checked = assay(*done.out.partition("Next: assay ")[2].split())
    assert checked.code == 0, checked.out


def test_a_header_in_angle_brackets_is_found_in_the_tree(assay: Assay) -> None:
    """As `<gmssl/sm3.h>` in GmSSL, whose folder is the one above that of the named header."""
    for folder in ("src", "include/own"):
        Path(folder).mkdir(parents=True)
    Path("include/own/digest.h").write_text(
        f"#include <stddef.h>\n#include <stdint.h>\n{SIGNATURE};\n"
    )
    source = Path("digest.c").rename("src/digest.c")
    source.write_text(f"#include <own/digest.h>\n#include <sys/types.h>\n{source.read_text()}")
    done = assay("wrap", "include/own/digest.h:digest", str(source), "--as", "crypto_hash/sha256")
    assert "own/digest.h is taken from include" in done.out
    checked = assay(*done.out.partition("Next: assay ")[2].split())
    assert checked.code == 0, checked.out


def test_a_header_above_the_sources_is_in_the_package(assay: Assay) -> None:
    """The description lies above both."""
    Path("lib/hash/own").mkdir(parents=True)
    Path("lib/sizes.h").write_text("#include <stddef.h>\n#include <stdint.h>\n")
    Path("lib/hash/own/digest.h").write_text(f'#include "../../sizes.h"\n{SIGNATURE};\n')
    source = Path("digest.c").rename("lib/hash/own/digest.c")
    source.write_text(f'#include "digest.h"\n{source.read_text()}')
    header = "lib/hash/own/digest.h"
    done = assay("wrap", f"{header}:digest", str(source), "--as", "crypto_hash/sha256")
    assert done.code == 0, done.err
    assert Path("lib/assay.toml").is_file()
    checked = assay(*done.out.partition("Next: assay ")[2].split())
    assert checked.code == 0, checked.out


def test_a_link_to_a_header_of_the_system_puts_nothing_above_it(assay: Assay) -> None:
    """The description would lie in the root of all files otherwise."""
    Path("lib").mkdir()
    Path("lib/sizes.h").symlink_to("/usr/include/stdint.h")
    source = Path("digest.c").rename("lib/digest.c")
    source.write_text(f'#include "sizes.h"\n{source.read_text()}')
    done = assay("wrap", SIGNATURE, str(source), "--as", "crypto_hash/sha256")
    assert Path("lib/assay.toml").is_file(), done.err


def test_the_address_of_an_array_by_a_typedef_is_an_output(assay: Assay) -> None:
    """As AVR-Crypto-Lib has it; whether `length_b` counts bits is asked about."""
    Path("digest.h").write_text(
        "#include <stdint.h>\ntypedef uint8_t digest_hash_t[256 / 8];\n"
        "void hash(digest_hash_t *dest, const void *msg, uint32_t length_b);\n"
    )
    Path("hash.c").write_text(
        f'#include "digest.h"\n#include <stddef.h>\n{SIGNATURE};\n'
        "void hash(digest_hash_t *dest, const void *msg, uint32_t length_b)\n"
        "{\n    digest(msg, length_b / 8, *dest);\n}\n"
    )
    words = ("wrap", "digest.h:hash", "hash.c", "digest.c", "--as", "crypto_hash/sha256")
    asked = assay(*words)
    assert asked.code == 2
    assert '--roles "out,in,?"' in asked.err
    assert "8*inlen for a length in bits" in asked.err
    done = assay(*words, "--roles", "out,in,8*inlen")
    assert done.code == 0, done.err
    checked = assay("check", ".:sha256/hash", "--only", "checksum/small")
    assert "pass checksum/small" in checked.out
