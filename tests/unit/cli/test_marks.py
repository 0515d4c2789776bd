# SPDX-License-Identifier: MIT
"""What packages mark as public is public for every engine, by the marks of each project."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.caches import new_cache
from tests.unit.cli.calling import Assay, calling

# A candidate is made of the message, and taken if it is small enough: that much is public.
CODE = """
#define NOTHING(from, length) ((void)0)
%s
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char sum = 0, wrong;
    unsigned long long i;

    for (i = 0; i < inlen; i++)
        sum = (unsigned char)(5 * sum + 3 * in[i] + 1);
    do {
        sum = (unsigned char)(5 * sum + 1);
        wrong = (unsigned char)(sum >> 7);
        PUBLIC(&wrong, sizeof wrong);
    } while (wrong);
    for (i = 0; i < 32; i++)
        out[i] = (unsigned char)(sum + i);
    return 0;
}
"""
SWITCHED = """
#if defined(%s)
#include <valgrind/memcheck.h>
#define PUBLIC(from, length) VALGRIND_MAKE_MEM_DEFINED(from, length)
#else
#define PUBLIC NOTHING
#endif
"""
NONE = "#define PUBLIC NOTHING"
MARKS = {
    "supercop": '#include "crypto_declassify.h"\n#define PUBLIC crypto_declassify',
    "valgrind": "#include <valgrind/memcheck.h>\n#define PUBLIC VALGRIND_MAKE_MEM_DEFINED",
    "brought": '#include "memcheck.h"\n#define PUBLIC VALGRIND_MAKE_MEM_DEFINED',
    "mlkemnative": SWITCHED % "MLK_CONFIG_CT_TESTING_ENABLED",
    "mldsanative": SWITCHED % "MLD_CONFIG_CT_TESTING_ENABLED",
    "boringssl": SWITCHED % "BORINGSSL_CONSTANT_TIME_VALIDATION",
}
# A copy of valgrind's header: its requests are of no use here, so that it does nothing.
BROUGHT = """
#ifndef __MEMCHECK_H
#define __MEMCHECK_H
#define VALGRIND_MAKE_MEM_DEFINED(from, length) ((void)0)
#endif
"""
ENGINES = {
    "traces": ("--target", "qemu-armv4"),
    "traces-avr": ("--target", "simavr-atmega1281"),
    "msan": ("--compiler", "clang", "--engine", "msan"),
    "valgrind": ("--compiler", "gcc", "--engine", "valgrind"),
}
UNHEARD = {"valgrind": {"brought"}, "traces-avr": {"valgrind"}}
NEEDED = {
    "traces": ("qemu-arm", "arm-linux-gnueabi-gcc"),
    "traces-avr": ("avr-gcc",),
    "msan": ("clang",),
    "valgrind": ("gcc", "valgrind"),
}


@pytest.fixture
def assay(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line on a tree with packages that sample."""
    for name, text in {**MARKS, "none": NONE}.items():
        home = tmp_path / "tree/crypto_hash/sampling" / name
        home.mkdir(parents=True)
        (home / "api.h").write_text("#define CRYPTO_BYTES 32\n")
        (home / "hash.c").write_text('#include "crypto_hash.h"\n' + CODE % text)
    (tmp_path / "tree/crypto_hash/sampling/brought/memcheck.h").write_text(BROUGHT)
    monkeypatch.setenv("ASSAY_ROOT", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
    return calling(monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_marks_of_each_project_make_an_outcome_public(
    engine: str, assay: Assay, tmp_path: Path
) -> None:
    """Without one the loop is a branch. What is no request to valgrind says nothing to it.

    Nothing that includes its header in every build is compiled for a board.
    """
    if not all(map(shutil.which, NEEDED[engine])):
        pytest.skip("the engine is not here")
    chosen = sorted({*MARKS, "none"} - UNHEARD.get(engine, set()))
    packages = (f"crypto_hash/sampling/{one}" for one in chosen)
    line = ("--tree", str(tmp_path / "tree"), *ENGINES[engine], "--level", "-O1", "--no-cures")
    done = assay("ct", *packages, *line, "--json")
    assert not done.code, done.err
    tables = json.loads(done.out)["tables"]
    said = {
        re.split("[/: ]", one["title"])[2]: row["-O1"]
        for one in tables
        for row in one["rows"]
        if "place" not in row
    }
    assert said == {name: "1 place" if name == "none" else "clean" for name in chosen}
