# SPDX-License-Identifier: MIT
"""Packages as NIST's competitions ask for them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write

from assay.model import BrokenPackage, Package
from assay.model.packages import OperationDetails
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder

KEM_API = """
#define CRYPTO_SECRETKEYBYTES 64
#define CRYPTO_PUBLICKEYBYTES 32
#define CRYPTO_BYTES 32
#define CRYPTO_CIPHERTEXTBYTES 32
#define CRYPTO_ALGNAME "Foo512"
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk);
int crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk);
int crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk);
"""
KEM = """
#include "api.h"
#include "rng.h"
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk) { return randombytes(sk, 64); }
int crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk) { return 0; }
int crypto_kem_dec(unsigned char *ss, const unsigned char *ct, const unsigned char *sk)
{
    return 0;
}
"""
RNG = "int randombytes(unsigned char *x, unsigned long long n) { return 0; }\n"
FILES = {
    "api.h": KEM_API,
    "kem.c": KEM,
    "rng.c": RNG,
    "rng.h": "int randombytes(unsigned char *x, unsigned long long n);\n",
    "PQCgenKAT_kem.c": "int main(void) { return 0; }\n",
    "PQCkemKAT_64.rsp": "count = 0\n",
}
FOO = "crypto_kem/foo512"
Loaded = Callable[[str], Package]


def only(folder: Path) -> Package:
    """Load the one package in a folder."""
    (listed,) = listed_in_folder(folder)
    found = load_listed(listed)
    assert isinstance(found, Package), found
    return found


def details(package: Package) -> OperationDetails:
    """Give what a package of an operation always has."""
    assert package.details is not None
    return package.details


def test_what_belongs_to_nists_framework_is_left_out(write: Write, loaded: Loaded) -> None:
    """Programs, answers and random numbers; the header stays, since it is included."""
    write(f"{FOO}/ref", FILES)
    package = loaded(f"{FOO}/ref")
    assert details(package).layout == "nist"
    assert package.sources == ("kem.c",)
    assert package.files == ("api.h", "kem.c", "rng.h")
    assert {quirk.name for quirk in package.quirks} == {
        "quirk/test-program",
        "quirk/own-randombytes",
    }


def test_random_numbers_with_more_services_stay_under_another_name(
    write: Write, loaded: Loaded
) -> None:
    """The seed expander lives in the same file."""
    uses = "void f(void) { seedexpander(0, 0, 0); }\n"
    write(f"{FOO}/ref", FILES, **{"more.c": uses})
    package = loaded(f"{FOO}/ref")
    assert package.sources == ("kem.c", "more.c", "rng.c")
    assert details(package).defines == (("rng.c", "randombytes=package_randombytes"),)


def test_a_file_of_that_name_that_makes_no_random_bytes_is_kept(
    write: Write, loaded: Loaded
) -> None:
    """The name alone is no evidence."""
    write(f"{FOO}/ref", FILES, **{"rng.c": "int noise(void) { return 4; }\n"})
    assert loaded(f"{FOO}/ref").sources == ("kem.c", "rng.c")


@pytest.mark.parametrize("name", ["randombytes.c", "katrng.c"])
def test_random_bytes_may_have_a_file_of_another_name(
    write: Write, loaded: Loaded, name: str
) -> None:
    """Submissions differ in this."""
    write(f"{FOO}/ref", FILES, **{name: RNG, "rng.c": "int noise;\n"})
    package = loaded(f"{FOO}/ref")
    assert package.sources == ("kem.c", "rng.c")
    assert name not in package.files


def test_other_programs_are_left_out(write: Write, loaded: Loaded) -> None:
    """Nothing with a main can be linked."""
    write(f"{FOO}/ref", FILES, **{"try.c": "int main(void) { return 0; }\n"})
    assert "try.c" not in loaded(f"{FOO}/ref").sources


@pytest.mark.parametrize(
    "header", ["crypto_kem.h", "crypto_kem_foo512.h", "crypto_kem_publicinputs.h"]
)
def test_the_renaming_header_makes_it_supercops(write: Write, loaded: Loaded, header: str) -> None:
    """Authors who include it count on all that SUPERCOP does."""
    write(f"{FOO}/ref", FILES, **{"kem.c": f'#include "{header}"\n{KEM}'})
    package = loaded(f"{FOO}/ref")
    assert details(package).layout == "supercop"
    assert package.sources == ("kem.c", "rng.c")


def test_random_bytes_of_what_names_symbols_without_supercop_are_left_out(
    write: Write, loaded: Loaded
) -> None:
    """As NTRU's package does; it opens /dev/urandom where SUPERCOP has randombytes."""
    named = "#define crypto_kem_enc CRYPTO_NAMESPACE(enc)\n#define crypto_kem_dec "
    named += "CRYPTO_NAMESPACE(dec)\n#define crypto_kem_keypair CRYPTO_NAMESPACE(keypair)\n"
    api = KEM_API.replace("int crypto_kem_keypair", f"{named}int crypto_kem_keypair")
    own = "#ifndef CRYPTO_NAMESPACE\n#define CRYPTO_NAMESPACE(s) s\n#endif\n"
    write(f"{FOO}/ref", FILES, **{"api.h": own + api})
    package = loaded(f"{FOO}/ref")
    assert details(package).layout == "supercop"
    assert package.sources == ("kem.c",)
    assert "quirk/own-randombytes" in {quirk.name for quirk in package.quirks}


def test_an_implementation_may_stand_directly_below_the_operation(
    write: Write, tree: Path
) -> None:
    """Then the folder above tells implementations apart."""
    write(f"Reference_Implementation/{FOO}", FILES)
    write(f"Optimized_Implementation/{FOO}", FILES)
    found = {one.place: one.tree for one in listed_in_folder(tree)}
    assert found == {
        f"{FOO}/Optimized_Implementation": tree / "Optimized_Implementation",
        f"{FOO}/Reference_Implementation": tree / "Reference_Implementation",
    }
    package = only(tree / "Reference_Implementation" / FOO)
    assert package.place == f"{FOO}/Reference_Implementation"
    assert package.root == tree / "Reference_Implementation" / FOO
    assert dict(details(package).constants)["ALGNAME"] == '"Foo512"'


def test_a_folder_that_names_no_operation_is_understood_by_its_functions(
    write: Write, tree: Path
) -> None:
    """Spaces in names become underscores."""
    write("Reference Implementation/foo512", FILES)
    write("bar/ref", FILES)
    assert [one.place for one in listed_in_folder(tree)] == [
        "crypto_kem/foo512/Reference_Implementation",
        "crypto_kem/bar/ref",
    ]
    package = only(tree / "bar/ref")
    assert package.sources == ("kem.c",)
    assert package.place == "crypto_kem/bar/ref"


def test_lightweight_packages_are_understood(write: Write, tree: Path) -> None:
    """They differ from SUPERCOP's in nothing but the test programs."""
    head = "#define CRYPTO_KEYBYTES 16\n#define CRYPTO_NSECBYTES 0\n"
    api = head + "#define CRYPTO_NPUBBYTES 16\n#define CRYPTO_ABYTES 16\n"
    code = (
        "int crypto_aead_encrypt(int a) { return 0; }\nint crypto_aead_decrypt() { return 0; }\n"
    )
    hashing = "int crypto_hash(unsigned char *out) { return 0; }\n"
    write("Implementations/crypto_aead/foo/ref", {"api.h": api, "encrypt.c": code})
    write("Implementations/crypto_hash/foo/ref", {"api.h": head, "hash.c": hashing})
    write("Implementations/crypto_hash/foo/ref", {"genkat_hash.c": "int main() {}"})
    found = [load_listed(one) for one in listed_in_folder(tree)]
    assert [one.place for one in found] == ["crypto_aead/foo/ref", "crypto_hash/foo/ref"]
    assert [one.sources for one in found if isinstance(one, Package)] == [
        ("encrypt.c",),
        ("hash.c",),
    ]


def test_functions_of_no_operation_are_told(write: Write, tree: Path) -> None:
    """The reason stands in the record, as for any broken package."""
    write("foo/ref", {"api.h": "int encode(int);\n", "x.c": "int encode(int a) { return a; }\n"})
    (listed,) = listed_in_folder(tree)
    found = load_listed(listed)
    assert isinstance(found, BrokenPackage)
    assert "no operation" in found.reason


def test_a_folder_without_packages_has_none(tree: Path) -> None:
    """Finding nothing is no error here."""
    assert listed_in_folder(tree) == ()


@pytest.mark.parametrize(
    "unreached",
    [
        '//#include "crypto_kem.h"\n//#include "crypto_stream_aes256ctr.h"\n',
        (
            '#if defined(_OWN_SUPERCOP_)\n#include "crypto_kem.h"\n'
            '#include "crypto_stream_aes256ctr.h"\n#endif\n'
        ),
        "// define CRYPTO_NAMESPACE\n",
        '#ifdef _OWN_\n#include "crypto_kem.h"\n#endif\n// #define _OWN_\n',
    ],
)
def test_an_include_that_no_compiler_reaches_decides_nothing(
    write: Write, loaded: Loaded, unreached: str
) -> None:
    """One in a comment, or for a framework that nobody chose: neither layout nor subroutine."""
    write(f"{FOO}/ref", {**FILES, "kem.c": unreached + KEM})
    package = loaded(f"{FOO}/ref")
    assert details(package).layout == "nist"
    assert details(package).includes == ()


def test_an_include_that_a_compiler_may_reach_decides(write: Write, loaded: Loaded) -> None:
    """The package itself defines the macro, in another file."""
    source = '#ifdef _OWN_\n#include "crypto_kem.h"\n#include "crypto_hash_a.h"\n#endif\n' + KEM
    write(f"{FOO}/ref", {**FILES, "kem.c": source, "config.h": "#define _OWN_\n"})
    package = loaded(f"{FOO}/ref")
    assert details(package).layout == "supercop"
    assert details(package).includes == ("crypto_hash_a",)


MAKEFILE = r"""SOURCES = kem.c \
 field/field128.c # field/field192.c
all: $(SOURCES) rng.o
clean:
	-rm -f *.o $(wildcard *.a)
"""
AES_OF_TWO = {
    "Makefile": MAKEFILE,
    "kem.c": f'#include "field/field.h"\n{KEM}',
    "cpucycles.c": "int cpucycles(void) { return 0; }\n",
    "field/field.h": "extern const int table;\n",
    "field/field128.c": "const int table = 1;\n",
    "field/field192.c": "const int table = 2;\n",
    "hash/hash.h": "int hash(void);\n",
    "hash/hash.c": '#include "hash.h"\nint hash(void) { return 0; }\n',
}


def test_sources_that_the_makefile_does_not_name_are_left_out(
    write: Write, loaded: Loaded
) -> None:
    """A submission has the other parameter sets' sources in the same folders."""
    including = f'#include "hash/hash.h"\n{AES_OF_TWO["kem.c"]}'
    write(f"{FOO}/ref", {**FILES, **AES_OF_TWO, "kem.c": including})
    package = loaded(f"{FOO}/ref")
    assert package.sources == ("kem.c", "field/field128.c", "hash/hash.c")
    assert {"cpucycles.c", "field/field192.c"}.isdisjoint(package.files)
    (quirk,) = (one for one in package.quirks if one.name == "quirk/not-in-makefile")
    assert quirk.message.startswith("cpucycles.c, field/field192.c: ")


LEVELS = """LEVEL = 3
FLAGS = -O3 -DSLOW
kat: PQCgenKAT_kem.c kem.c
\t$(CC) $(FLAGS) -DLEVEL=$(LEVEL) -DCRYPTO_ALGNAME=x $^ -o $@
test: test.c kem.c rng.c
\t$(CC) -DTEST $(FLAGS) -D LEVEL=3 $^
other: other.c
\t$(CC) -DLEVEL=5 $^
"""


@pytest.mark.parametrize(
    ("makefile", "macros"),
    [
        (LEVELS, {"LEVEL=3", "SLOW"}),
        (LEVELS.replace("LEVEL = 3", "LEVEL = 1"), {"SLOW"}),
        ("kat: kem.c\n\t$(CC) '-DA=`ls`' -DB=$(shell ls) -DC=\"x y\" kem.c\n", set()),
        ("CFLAGS = -DLEVEL=3\n", set()),
    ],
)
def test_macros_of_the_functions_are_those_that_all_commands_define(
    write: Write, loaded: Loaded, makefile: str, macros: set[str]
) -> None:
    """A Makefile chooses the parameter set of a folder by a macro; nothing of it is run."""
    write(f"{FOO}/ref", {**FILES, "Makefile": makefile})
    package = loaded(f"{FOO}/ref")
    assert {macro for _, macro in details(package).defines} == macros
    assert {name for name, _ in details(package).defines} == ({"kem.c"} if macros else set())
    quirks = {one.name for one in package.quirks}
    assert ("quirk/makefile-macros" in quirks) is bool(macros)


@pytest.mark.parametrize(
    "makefile",
    [
        "SOURCES = $(wildcard *.c) field/field128.c kem.c\n",
        "SOURCES = kem.c field/field128.c $(shell ls)\n",
        "include ../Makefile.common\nSOURCES = kem.c field/field128.c\n",
        "SOURCES = field/field128.c\n",
        "all:\n\t$(CC) *.c kem.c field/field128.c\n",
    ],
)
def test_a_makefile_that_compiles_more_than_it_names_leaves_nothing_out(
    write: Write, loaded: Loaded, makefile: str
) -> None:
    """It searches, or does not name the file with the functions."""
    write(f"{FOO}/ref", {**FILES, **AES_OF_TWO, "Makefile": makefile})
    sources = loaded(f"{FOO}/ref").sources
    assert {"cpucycles.c", "field/field128.c", "field/field192.c"} < set(sources)


OF_SETS = """PARAMS = foo-128f
KIND = 128
SOURCES = kem.c field/field$(KIND).c
ifneq (,$(findstring aes,$(PARAMS)))
\tSOURCES += cpucycles.c
endif
ifneq (,$(findstring foo,$(PARAMS)))
\tSOURCES += hash/hash.c
endif
kat: $(SOURCES)
\t$(CC) -DPARAMS=$(PARAMS) $(SOURCES)
"""


def test_sources_are_chosen_by_the_words_of_a_makefiles_own_variables(
    write: Write, loaded: Loaded
) -> None:
    """SPHINCS+ chooses its parameter set so: by a name with dashes and by what it contains."""
    hashing = f'#include "hash/hash.h"\n{AES_OF_TWO["kem.c"]}'
    write(f"{FOO}/ref", {**FILES, **AES_OF_TWO, "kem.c": hashing, "Makefile": OF_SETS})
    package = loaded(f"{FOO}/ref")
    assert package.sources == ("kem.c", "field/field128.c", "hash/hash.c")
    assert {macro for _, macro in details(package).defines} == {"PARAMS=foo-128f"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PARAMS = foo-128f\n", ""),
        ("ifneq (,$(findstring aes,$(PARAMS)))", "ifdef AES"),
        ("ifneq (,$(findstring aes,$(PARAMS)))", "ifneq (,$(findstring foo,$(PARAMS)))\nelse"),
    ],
)
def test_all_branches_of_conditionals_that_are_not_understood_count(
    write: Write, loaded: Loaded, old: str, new: str
) -> None:
    """A source too many is reported by the linker; one too few may look like a fault."""
    assert old in OF_SETS
    write(f"{FOO}/ref", {**FILES, **AES_OF_TWO, "Makefile": OF_SETS.replace(old, new)})
    assert "cpucycles.c" in loaded(f"{FOO}/ref").sources


def test_nists_generator_in_common_is_left_to_assay(write: Write, loaded: Loaded) -> None:
    """KpqClean_ver2 has it beside fips202.c; its randombytes would stand for Assay's."""
    shared = {"rng.h": "", "rng.c": '#include "rng.h"\nint randombytes(void) { return 0; }\n'}
    write("common", {**shared, "mix.h": "", "mix.c": "int mix;\n"})
    including = f'#include "rng.h"\n#include "mix.h"\n{AES_OF_TWO["kem.c"]}'
    write(f"{FOO}/ref", {**FILES, **AES_OF_TWO, "kem.c": including})
    sources = loaded(f"{FOO}/ref").sources
    assert "common/mix.c" in sources
    assert "common/rng.c" not in sources
