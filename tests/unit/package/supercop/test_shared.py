# SPDX-License-Identifier: MIT
"""Sources that the packages of a tree share, as in mupq and pqm4."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write
from tests.unit.package.supercop.test_nist import KEM_API

from assay.compile.supercop.layout import defines_for
from assay.model import Package

Loaded = Callable[[str], Package]
PLACE = "crypto_kem/foo512/ref"
KEM = """
#include "api.h"
#include "randombytes.h"
#include <fips202.h>
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk) { return 0; }
"""
FILES = {"api.h": KEM_API, "kem.c": KEM}
COMMON = {
    "fips202.h": "",
    "fips202.c": '#include "fips202.h"\n#include "keccakf1600.h"\n',
    "keccakf1600.h": "",
    "keccakf1600.c": "",
    "aes.h": "",
    "aes.c": "",
    "randombytes.h": "",
    "randombytes.c": "",
}
PERMUTED = ("common/fips202.c", "common/keccakf1600.c")


@pytest.fixture
def share(tree: Path) -> Callable[[str, Mapping[str, str]], Path]:
    """Give the function that writes a folder of shared sources into the tree."""

    def written(place: str, files: Mapping[str, str]) -> Path:
        folder = tree / place
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        return folder

    return written


Share = Callable[[str, Mapping[str, str]], Path]


def test_what_an_include_lacks_comes_from_common(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """With its source and what that includes; random bytes are Assay's, the rest is left."""
    write(PLACE, FILES)
    share("common", COMMON)
    package = loaded(PLACE)
    assert package.details is not None
    assert package.details.layout == "nist"
    assert package.sources == ("kem.c", *PERMUTED)
    assert package.details.folders == ("common",)


def test_the_packages_own_header_comes_first(write: Write, loaded: Loaded, share: Share) -> None:
    """Sources of the tree behind it would be a second definition."""
    write(PLACE, FILES, **{"fips202.h": "", "fips202.c": ""})
    share("common", COMMON)
    assert loaded(PLACE).sources == ("fips202.c", "kem.c")


def test_common_of_mupq_below_is_found_behind_the_trees_own(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """pqm4 has both, and its own files are for its processor."""
    write(PLACE, FILES)
    share("mupq/common", COMMON)
    own = share("common", {"keccakf1600.c": "own"})
    package = loaded(PLACE)
    assert package.details is not None
    assert package.sources == ("kem.c", *PERMUTED)
    assert dict(package.details.shared)["common/keccakf1600.c"] == own / "keccakf1600.c"


def test_what_calls_a_boards_assembly_gives_way_to_pqcleans(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """A build of mupq for a host takes aes and sha2 from there, and only those."""
    write(PLACE, {**FILES, "kem.c": f'#include "aes.h"\n{KEM}'})
    mine, theirs = share("common", COMMON), share("pqclean/common", COMMON)
    details = loaded(PLACE).details
    assert details is not None
    places = dict(details.shared)
    assert places["common/aes.c"] == theirs / "aes.c"
    assert places["common/fips202.c"] == mine / "fips202.c"


def test_a_changed_shared_source_makes_another_package(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """Verdicts hold for all that is compiled."""
    write(PLACE, FILES)
    folder = share("common", COMMON)
    before = loaded(PLACE).content_hash
    (folder / "keccakf1600.c").write_text("changed")
    assert loaded(PLACE).content_hash != before


def test_a_header_of_the_packages_own_does_not_rename(write: Write, loaded: Loaded) -> None:
    """BIKE brings a crypto_kem.h with plain declarations; SUPERCOP's is generated."""
    write(PLACE, {**FILES, "kem.c": f'#include "crypto_kem.h"\n{KEM}', "crypto_kem.h": ""})
    details = loaded(PLACE).details
    assert details is not None
    assert details.layout == "nist"


def test_names_under_a_condition_that_is_false_are_no_supercops(
    write: Write, loaded: Loaded
) -> None:
    """MiRitH has them for SUPERCOP behind a macro of its own that nothing defines."""
    named = (
        "#ifdef FOO_SUPERCOP\n#define FOO(s) CRYPTO_NAMESPACE(s)\n#else\n#define FOO(s) foo_##s\n"
        "#endif\n#define crypto_kem_keypair FOO(keypair)\n"
    )
    write(PLACE, {**FILES, "kem.c": f"{named}{KEM}"})
    details = loaded(PLACE).details
    assert details is not None
    assert details.layout == "nist"


def test_a_package_with_supercops_names_shares_as_well(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """MiRitH uses CRYPTO_NAMESPACE if there is one, and its tree is mupq."""
    named = "#define crypto_kem_keypair CRYPTO_NAMESPACE(keypair)\n"
    write(PLACE, {**FILES, "kem.c": f"{named}{KEM}"})
    share("common", COMMON)
    package = loaded(PLACE)
    assert package.details is not None
    assert package.details.layout == "supercop"
    assert package.sources == ("kem.c", *PERMUTED)


def test_code_for_supercop_alone_does_not_count_beside_a_common_folder(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """Such a tree does not define SUPERCOP's macro; in another the same code is SUPERCOP's."""
    code = f'#ifdef SUPERCOP\n#include "crypto_kem.h"\n#endif\n{KEM}'
    write(PLACE, {**FILES, "kem.c": code})
    alone = loaded(PLACE)
    share("common", COMMON)
    beside = loaded(PLACE)
    assert alone.details is not None
    assert beside.details is not None
    assert (alone.details.layout, beside.details.layout) == ("supercop", "nist")
    assert defines_for(alone) == {}
    assert all("-USUPERCOP" in words for words in defines_for(beside).values())
    assert defines_for(beside).keys() == set(beside.sources)


def test_assembly_that_shared_sources_call_comes_with_them(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """In pqm4's own folder it takes the place of mupq's C; what nobody calls stays where it is."""
    write(PLACE, FILES)
    share(
        "mupq/common",
        {**COMMON, "fips202.c": f"{COMMON['fips202.c']}void f(void) {{ permute(); }}\n"},
    )
    share(
        "common",
        {"keccakf1600.S": ".global permute\npermute:\n", "aes.S": ".global other\nother:\n"},
    )
    assert loaded(PLACE).sources == ("kem.c", "common/fips202.c", "common/keccakf1600.S")


def test_a_copy_of_a_shared_header_alone_brings_its_source(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """HAETAE has its own fips202.h and links with the tree's; functions of its own come first."""
    header, source = "void shake(int n);\n", "void shake(int n) { }\n"
    share("common", {**COMMON, "fips202.h": header, "fips202.c": source})
    write(PLACE, {**FILES, "fips202.h": header})
    assert loaded(PLACE).sources == ("kem.c", "common/fips202.c")
    write("crypto_kem/foo512/own", {**FILES, "fips202.h": header, "hash.c": source})
    assert loaded("crypto_kem/foo512/own").sources == ("hash.c", "kem.c")


def test_the_trees_macros_are_defined_as_its_make_does(
    write: Write, loaded: Loaded, share: Share
) -> None:
    """BIKE takes its assembly for PQM4 alone; what a condition surrounds is left out."""
    write(PLACE, FILES)
    share("common", COMMON)
    share(
        "mk", {"config.mk": "CPPFLAGS += \\\n\t-DPQM4\nifdef DEBUG\nCPPFLAGS += -DLOUD\nendif\n"}
    )
    guarded = "ifndef _CONFIG\n_CONFIG :=\nCPPFLAGS += -DMUPQ -DNAME=$(NAME)\nendif\n"
    share("mupq/mk", {"config.mk": guarded})
    package = loaded(PLACE)
    assert defines_for(package)["kem.c"][:2] == ["-DPQM4", "-DMUPQ"]


def test_macros_of_a_packages_own_configuration_are_defined(
    write: Write, share: Share, loaded: Loaded
) -> None:
    """Without `MAYO_M4` MAYO's package for Cortex-M4 is its portable code."""
    share("common", COMMON)
    share("mk", {"config.mk": "CPPFLAGS += -DPQM4\n"})
    write(PLACE, {**FILES, "config.mk": "elf/crypto_kem_x_%.elf: CPPFLAGS += -DFAST_M4"})
    assert defines_for(loaded(PLACE))["kem.c"][:2] == ["-DPQM4", "-DFAST_M4"]


def test_a_program_that_a_condition_hides_is_none(write: Write, loaded: Loaded) -> None:
    """BIKE has a main() below `#if defined(DEBUGTEST)`, which nothing defines."""
    program = "int main(void) { return 0; }\n"
    hidden = f"int shift(int n) {{ return n; }}\n#if defined(DEBUGTEST)\n{program}#endif\n"
    write(PLACE, {**FILES, "shift.c": hidden, "test.c": program})
    assert loaded(PLACE).sources == ("kem.c", "shift.c")


def test_a_function_behind_a_macro_leaves_the_others_under_their_names(
    write: Write, loaded: Loaded
) -> None:
    """pqm4's ML-DSA has `crypto_sign` as a macro for a function with a context."""
    names = ("SECRETKEYBYTES", "PUBLICKEYBYTES", "BYTES")
    api = "".join(f"#define CRYPTO_{name} 9\n" for name in names)
    code = "int crypto_sign_keypair(unsigned char *pk, unsigned char *sk) { return 0; }\n"
    write("crypto_sign/foo/ref", {"api.h": api, "sign.c": f'#include "api.h"\n{code}'})
    details = loaded("crypto_sign/foo/ref").details
    assert details is not None
    assert details.layout == "nist"
