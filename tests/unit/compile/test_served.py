# SPDX-License-Identifier: MIT
"""Headers of SUPERCOP that packages include and Assay provides, whatever the package's API."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.unit.compile.conftest import SOURCE

from assay.check.engine.cells import build_verdict
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.model import BuildStage, Package
from assay.package.discover import load_or_explain

INCLUDES = """\
#include "crypto_uint32.h"
#include "crypto_verify_16.h"
#include "crypto_stream_chacha20.h"
#include "randombytes.h"
static int uses(unsigned char *to)
{
    static const unsigned char zero[32];
    crypto_uint32 sum = 0;
    randombytes(to, 16);
    crypto_stream_chacha20(to, 16, zero, zero);
    return (int)sum + crypto_verify_16(to, zero);
}
"""
USED = ["crypto_stream/chacha20/ref", "crypto_verify/16/ref"]
SHA256 = Path(__file__).parents[3] / "submissions/sha256/portable"


def test_a_cipher_of_estream_finds_supercops_headers(
    write_package: Callable[..., Package], recipe: Callable[..., Recipe], builder: Builder
) -> None:
    """Their functions are linked, and the verdict says whose they are."""
    more = INCLUDES + "int ECRYPT_more(unsigned char *to) { return uses(to); }\n"
    build = builder.build(recipe(write_package(source=more + SOURCE)))
    assert build.stage is BuildStage.DONE, f"{build.reason}\n{build.diagnostics}"
    assert [one.selector for one in build.subroutines] == USED
    reason = build_verdict(build).reason
    assert "crypto_verify/16/ref (constbranchindex, shipped with Assay)" in reason
    assert "with Assay's own crypto_uint32.h, randombytes.h" in reason


def test_a_compact_hash_finds_supercops_headers(
    tmp_path: Path, recipe: Callable[..., Recipe], builder: Builder
) -> None:
    """Its header may include one, too."""
    folder = tmp_path / "submissions/toy/sha256"
    shutil.copytree(SHA256, folder)
    header, source = folder / "sha256.h", folder / "sha256.c"
    header.write_text('#include "crypto_uint32.h"\n' + header.read_text())
    more = INCLUDES + "int sha256_more(unsigned char *to) { return uses(to); }\n"
    source.write_text(more + source.read_text())
    package = load_or_explain(folder, tmp_path, "submissions/toy/sha256")
    assert isinstance(package, Package), package
    build = builder.build(recipe(package))
    assert build.stage is BuildStage.DONE, f"{build.reason}\n{build.diagnostics}"
    assert [one.selector for one in build.subroutines] == USED


def test_a_header_of_the_package_itself_is_not_replaced(
    write_package: Callable[..., Package], recipe: Callable[..., Recipe], builder: Builder
) -> None:
    """Authors bring their own versions along."""
    files = {"crypto_uint32.h": "typedef unsigned crypto_uint32;\n#define MINE 1\n"}
    source = '#include "crypto_uint32.h"\n#ifndef MINE\n#error other\n#endif\n' + SOURCE
    build = builder.build(recipe(write_package(source=source, files=files)))
    assert build.stage is BuildStage.DONE, build.reason
    assert build.notes == ()


def test_a_header_of_supercop_that_assay_has_not_is_named(
    write_package: Callable[..., Package], recipe: Callable[..., Recipe], builder: Builder
) -> None:
    """Nothing stands in for it."""
    source = '#include "crypto_stream_none.h"\n' + SOURCE
    build = builder.build(recipe(write_package(source=source)))
    assert build.stage is BuildStage.COMPILE
    assert "crypto_stream_none.h" in build.reason


def test_a_package_that_includes_none_is_linked_with_nothing_more(
    write_package: Callable[..., Package], recipe: Callable[..., Recipe], builder: Builder
) -> None:
    """Its compile line, so its place in the cache, is what it was."""
    made = recipe(write_package())
    assert "-Iserved" not in " ".join(made.compile_command() + made.adapter_command())
    build = builder.build(made)
    assert (build.subroutines, build.notes) == ((), ())
