# SPDX-License-Identifier: MIT
"""Builds that are linked with subroutines: which are taken, and what if one does not compile."""

import shutil
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from tests.unit.compile.supercop.conftest import (
    OUTPUT,
    OWN,
    Built,
    Hashed,
    Loaded,
    Write,
    hash_source,
)

from assay.check.engine.cells import build_verdict
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.compile.supercop.subroutines import still_linked
from assay.model import BuildStage, Package
from assay.package.supercop.load import load

INCLUDE_SHA512 = '#include "crypto_hash_sha512.h"\n'


def test_a_subroutine_is_linked_and_stated(write: Write, built: Built, hashed: Hashed) -> None:
    """Under its header's name, whatever is called alike in the package."""
    helper = "unsigned char helper(void) { return 1; }"
    write("crypto_hash/low/ref", hash_source("out[0] = helper();", helper))
    other = '#include "crypto_hash_low.h"\nunsigned char helper(void) { return 2; }'
    write(OWN, hash_source("crypto_hash_low(out, in, inlen); out[1] = helper();", other))
    build = built(OWN)
    assert hashed(build) == b"\x01\x02\0\0"
    assert build.league == "timingleaks"
    (low,) = build.subroutines
    assert (low.selector, low.league) == ("crypto_hash/low/ref", "timingleaks")
    assert build_verdict(build).reason == "linked with crypto_hash/low/ref (timingleaks)"


def test_a_subroutine_that_does_not_compile_gives_way_to_the_next(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """A primitive without ref has others; the first by name must not fail all its users."""
    write("crypto_hash/low/first", hash_source("out[0] = no_such_name;"))
    write("crypto_hash/low/second", hash_source("out[0] = 5;"))
    write(OWN, hash_source("crypto_hash_low(out, in, inlen);", '#include "crypto_hash_low.h"'))
    build = built(OWN)
    assert hashed(build) == b"\x05\0\0\0"
    assert [one.selector for one in build.subroutines] == ["crypto_hash/low/second"]
    assert build.passed_over == ("crypto_hash/low/first",)
    assert build_verdict(build).reason.endswith(
        "not with crypto_hash/low/first, which does not compile here"
    )


def test_without_a_subroutine_that_compiles_the_first_ones_error_is_reported(
    write: Write, built: Built
) -> None:
    """Its name stands in the reason."""
    for name in ("first", "second"):
        write(f"crypto_hash/low/{name}", hash_source("out[0] = no_such_name;"))
    write(OWN, hash_source("crypto_hash_low(out, in, inlen);", '#include "crypto_hash_low.h"'))
    build = built(OWN)
    assert not build.ok
    assert "crypto_hash/low/first" in build.reason or "no_such_name" in build.reason


def test_a_changed_subroutine_makes_another_build(
    write: Write, built: Built, loaded: Loaded
) -> None:
    """What was stored for the old one is not taken: its users' verdicts were on other code."""
    write("crypto_hash/low/ref", hash_source("out[0] = 5;"))
    write(OWN, hash_source("crypto_hash_low(out, in, inlen);", '#include "crypto_hash_low.h"'))
    build = built(OWN)
    assert still_linked(loaded(OWN), "amd64", build)
    (low,) = build.subroutines
    changed = replace(build, subroutines=(replace(low, content_hash="another"),))
    assert not still_linked(loaded(OWN), "amd64", changed)


def test_a_subroutine_has_subroutines_of_its_own(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """And constants that its users see."""
    write("crypto_hash/deep/ref", hash_source("out[0] = 9;"))
    deep = hash_source("crypto_hash_deep(out, in, inlen);", '#include "crypto_hash_deep.h"')
    write("crypto_hash/low/ref", deep)
    body = "crypto_hash_low(out, in, inlen); out[1] = crypto_hash_low_BYTES;"
    write(OWN, hash_source(body, '#include "crypto_hash_low.h"'))
    assert hashed(built(OWN)) == b"\x09\x04\0\0"


def test_a_subroutine_is_not_taken_from_another_tree_where_its_own_differ(
    write: Write, tree: Path, recipe: Callable[..., Recipe], builder: Builder, hashed: Hashed
) -> None:
    """A stranger's tree has the same file, and a header of its own that it includes."""
    write("crypto_hash/deep/ref", hash_source("out[0] = 9;"))
    low = hash_source("out[0] = crypto_hash_deep_BYTES;", '#include "crypto_hash_deep.h"')
    write("crypto_hash/low/ref", low)
    write(OWN, hash_source("crypto_hash_low(out, in, inlen);", '#include "crypto_hash_low.h"'))
    strange = tree.with_name("strange")
    shutil.copytree(tree, strange)
    (strange / "crypto_hash/deep/ref/api.h").write_text("#define CRYPTO_BYTES 66\n")
    for where, answer in ((strange, b"\x42\0\0\0"), (tree, b"\x04\0\0\0")):
        package = load(where, OWN)
        assert isinstance(package, Package)
        assert hashed(builder.build(recipe(package, "gcc", "-O1", ""))) == answer


def test_a_missing_subroutine_is_named_with_a_cure(write: Write, built: Built) -> None:
    """Before any compiler runs."""
    write(OWN, hash_source("", '#include "crypto_stream_none.h"'))
    build = built(OWN)
    assert build.stage is BuildStage.COMPILE
    assert build.reason == "it includes crypto_stream_none.h, unknown here"
    assert "--tree" in build.cure


def test_a_subroutine_that_does_not_compile_is_named(write: Write, built: Built) -> None:
    """It is not the package's own fault."""
    write("crypto_hash/low/ref", hash_source("") | {"bad.c": "#error no such machine\n"})
    write(OWN, hash_source("", '#include "crypto_hash_low.h"'))
    build = built(OWN)
    assert build.stage is not BuildStage.DONE
    assert "no such machine" in build.reason + build.diagnostics


def test_a_subroutine_whose_name_has_a_dash_is_found(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Its user writes the name that C has for it."""
    write("crypto_hash/a-b/ref", hash_source("out[0] = 5;"))
    write(OWN, hash_source("crypto_hash_a_b(out, in, inlen);", '#include "crypto_hash_a_b.h"'))
    assert hashed(built(OWN)) == bytes((5, 0, 0, 0))


def test_what_the_tree_has_not_is_taken_of_what_came_with_assay(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Under the primitive's standard name; the verdict says so."""
    body = "out[0] = 1 + crypto_verify_16(zero, zero); out[1] = crypto_hash_sha512_BYTES;"
    before = INCLUDE_SHA512 + '#include "crypto_verify_16.h"\nstatic unsigned char zero[16];'
    write(OWN, hash_source(body, before))
    build = built(OWN)
    assert [(one.selector, one.shipped) for one in build.subroutines] == [
        ("crypto_hash/sha512/ref", True),
        ("crypto_hashblocks/sha512/ref", True),
        ("crypto_verify/16/ref", True),
    ]
    assert (
        "crypto_verify/16/ref (constbranchindex, shipped with Assay)"
        in build_verdict(build).reason
    )
    assert hashed(build) == b"\x01\x40\0\0"


def test_the_trees_own_comes_before_what_came_with_assay(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Even if it is wrong: it is what its authors test."""
    write("crypto_hash/sha512/ref", hash_source("out[0] = 7;"))
    write(OWN, hash_source("crypto_hash_sha512(out, in, inlen);", INCLUDE_SHA512))
    build = built(OWN)
    assert [one.shipped for one in build.subroutines] == [False]
    assert hashed(build) == b"\x07\0\0\0"


def test_a_shipped_subroutine_is_linked_with_the_trees_own(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Ed25519 includes SHA-512, so both must mean the one that the tree has."""
    api = {"api.h": "#define CRYPTO_BYTES 64\n"}
    write("crypto_hash/sha512/other", hash_source("out[0] = 7;") | api)
    body = (
        "unsigned char digest[64]; crypto_hash_sha512(digest, in, 0);"
        "out[0] = digest[0]; out[1] = crypto_sign_ed25519_BYTES;"
    )
    write(OWN, hash_source(body, INCLUDE_SHA512 + '#include "crypto_sign_ed25519.h"\n'))
    build = built(OWN)
    assert [(one.selector, one.shipped) for one in build.subroutines] == [
        ("crypto_hash/sha512/other", False),
        ("crypto_sign/ed25519/ref", True),
        ("crypto_verify/32/ref", True),
    ]
    assert hashed(build) == b"\x07\x40\0\0"


def test_a_package_of_pqcleans_layout_finds_supercops_headers(
    write: Write, built: Built, hashed: Hashed
) -> None:
    """Headers of integers and of primitives alike."""
    names = "#define PQCLEAN_TOY_CLEAN_CRYPTO_BYTES 4\n" + OUTPUT.replace(
        "crypto_hash(", "PQCLEAN_TOY_CLEAN_crypto_hash("
    ).replace(")\n", ");\n")
    source = hash_source("out[0] = sizeof(crypto_uint32) + crypto_verify_16(zero, zero);")
    more = (
        '#include "crypto_uint32.h"\n#include "crypto_verify_16.h"\n#include "randombytes.h"\n'
        "static const unsigned char zero[16];\n"
    )
    text = source["hash.c"].replace('#include "crypto_hash.h"\n', '#include "api.h"\n' + more)
    text = text.replace("int crypto_hash(", "int PQCLEAN_TOY_CLEAN_crypto_hash(")
    write("crypto_hash/toy/clean", {"api.h": names, "hash.c": text})
    build = built("crypto_hash/toy/clean")
    assert [(one.selector, one.shipped) for one in build.subroutines] == [
        ("crypto_verify/16/ref", True)
    ]
    assert hashed(build) == b"\x04\0\0\0"
