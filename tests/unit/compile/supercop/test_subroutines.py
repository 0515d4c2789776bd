# SPDX-License-Identifier: MIT
"""Which implementations a package is linked with, and its league."""

import pytest
from tests.unit.compile.supercop.conftest import Loaded, Write, hash_source

from assay.compile.supercop.subroutines import plan

GOALS = {"goal-constbranch": "", "goal-constindex": ""}
LEAKS, CONSTANT = "timingleaks", "constbranchindex"


def including(*headers: str, goals: bool = False) -> dict[str, str]:
    """Give the files of a hash that includes headers of other primitives."""
    before = "\n".join(f'#include "{one}"' for one in headers)
    return hash_source("", before) | (GOALS if goals else {})


def chosen(loaded: Loaded, place: str, abi: str = "amd64") -> list[tuple[str, str]]:
    """Name the subroutines of a package and their leagues."""
    found = plan(loaded(place), abi)
    return [(one.package.selector, one.league) for one in found.subroutines]


def test_the_reference_implementation_is_preferred(write: Write, loaded: Loaded) -> None:
    """Whatever others there are."""
    for name in ("aaa", "ref", "zzz"):
        write(f"crypto_hash/low/{name}", hash_source(""))
    write("crypto_hash/top/ref", including("crypto_hash_low.h"))
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/ref", LEAKS)]


def test_without_a_reference_the_first_by_name_is_taken(write: Write, loaded: Loaded) -> None:
    """No clock has a say."""
    for name in ("opt2", "opt1", "opt10"):
        write(f"crypto_hash/low/{name}", hash_source(""))
    write("crypto_hash/top/ref", including("crypto_hash_low.h"))
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/opt1", LEAKS)]


@pytest.mark.parametrize(
    "more",
    [
        {"x.h": "#include <immintrin.h>\n"},
        {"x.c": 'void f(void) { __asm__ volatile ("nop"); }\n'},
        {"x.S": "nop\n"},
        {"architectures": "amd64\n"},
    ],
)
def test_without_a_reference_what_is_portable_comes_first(
    write: Write, loaded: Loaded, more: dict[str, str]
) -> None:
    """Code for a certain processor may lack what its options allow, and fail all its users."""
    write("crypto_hash/low/avx", hash_source("") | more)
    write("crypto_hash/low/plain", hash_source("", "/* not asm, nor immintrin.h */"))
    write("crypto_hash/top/ref", including("crypto_hash_low.h"))
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/plain", LEAKS)]


def test_what_is_for_another_machine_is_not_chosen(write: Write, loaded: Loaded) -> None:
    """Not even if it is the reference."""
    write("crypto_hash/low/ref", hash_source("") | {"architectures": "aarch64\n"})
    write("crypto_hash/low/wide", hash_source(""))
    write("crypto_hash/top/ref", including("crypto_hash_low.h"))
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/wide", LEAKS)]
    assert chosen(loaded, "crypto_hash/top/ref", "aarch64") == [("crypto_hash/low/ref", LEAKS)]


def test_a_constant_time_package_gets_constant_time_subroutines(
    write: Write, loaded: Loaded
) -> None:
    """Even if the reference leaks."""
    write("crypto_hash/low/ref", hash_source(""))
    write("crypto_hash/low/slow", hash_source("") | GOALS)
    write("crypto_hash/top/ref", including("crypto_hash_low.h", goals=True))
    assert plan(loaded("crypto_hash/top/ref"), "amd64").league == CONSTANT
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/slow", CONSTANT)]


def test_a_subroutine_that_leaks_takes_its_user_out_of_the_league(
    write: Write, loaded: Loaded
) -> None:
    """However deep below it is."""
    write("crypto_hash/low/ref", hash_source(""))
    write("crypto_hash/mid/ref", including("crypto_hash_low.h", goals=True))
    write("crypto_hash/top/ref", including("crypto_hash_mid.h", goals=True))
    assert plan(loaded("crypto_hash/top/ref"), "amd64").league == LEAKS
    assert chosen(loaded, "crypto_hash/top/ref") == [
        ("crypto_hash/low/ref", LEAKS),
        ("crypto_hash/mid/ref", LEAKS),
    ]


def test_a_subroutine_for_public_inputs_may_leak(write: Write, loaded: Loaded) -> None:
    """It sees no secret."""
    write("crypto_hash/low/ref", hash_source(""))
    write("crypto_hash/top/ref", including("crypto_hash_low_publicinputs.h", goals=True))
    assert plan(loaded("crypto_hash/top/ref"), "amd64").league == CONSTANT
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/ref", LEAKS)]


@pytest.mark.parametrize("goals", [False, True])
def test_what_no_implementation_provides_is_named(
    write: Write, loaded: Loaded, *, goals: bool
) -> None:
    """And whatever is there is chosen all the same."""
    write("crypto_hash/low/ref", hash_source(""))
    headers = ("crypto_hash_low.h", "crypto_stream_none.h", "crypto_core_none.h")
    write("crypto_hash/top/ref", including(*headers, goals=goals))
    found = plan(loaded("crypto_hash/top/ref"), "amd64")
    assert found.missing == ("crypto_core_none", "crypto_stream_none")
    assert found.league == LEAKS


def test_packages_that_include_each_other_come_to_an_end(write: Write, loaded: Loaded) -> None:
    """Each is linked once, and the package itself is none of its subroutines."""
    write("crypto_hash/one/ref", including("crypto_hash_two.h"))
    write("crypto_hash/two/ref", including("crypto_hash_one.h"))
    assert chosen(loaded, "crypto_hash/one/ref") == [("crypto_hash/two/ref", LEAKS)]


def test_a_package_of_another_layout_is_no_subroutine(write: Write, loaded: Loaded) -> None:
    """Its functions have names that no header tells."""
    plain = (
        "int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long n)\n"
        "{ return 0; }\n"
    )
    write("crypto_hash/low/ref", {"api.h": "#define CRYPTO_BYTES 4\n", "hash.c": plain})
    write("crypto_hash/low/zzz", hash_source(""))
    write("crypto_hash/top/ref", including("crypto_hash_low.h"))
    assert chosen(loaded, "crypto_hash/top/ref") == [("crypto_hash/low/zzz", LEAKS)]


@pytest.mark.parametrize("first", ["one", "two"])
def test_a_primitive_used_for_secrets_anywhere_is_constant_time_for_all(
    write: Write, loaded: Loaded, first: str
) -> None:
    """Though somebody else includes it for public inputs only."""
    second = {"one": "two", "two": "one"}[first]
    write("crypto_hash/low/ref", hash_source(""))
    write("crypto_hash/low/slow", hash_source("") | GOALS)
    write(f"crypto_hash/{first}/ref", including("crypto_hash_low.h", goals=True))
    write(f"crypto_hash/{second}/ref", including("crypto_hash_low_publicinputs.h", goals=True))
    headers = ("crypto_hash_one.h", "crypto_hash_two.h")
    write("crypto_hash/top/ref", including(*headers, goals=True))
    assert chosen(loaded, "crypto_hash/top/ref") == [
        ("crypto_hash/low/slow", CONSTANT),
        ("crypto_hash/one/ref", CONSTANT),
        ("crypto_hash/two/ref", CONSTANT),
    ]
