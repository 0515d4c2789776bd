# SPDX-License-Identifier: MIT
"""Hostile code is named by what it does, before all that follows from it."""

from pathlib import Path

from tests.whole.corpus.operations import OperationBench

from assay.model import Verdict
from assay.model.causes import causes

PLACE = "crypto_hash/blake2s/ref"
SHIPPED = Path(__file__).resolve().parents[4] / "submissions/supercop"
HEAD = (
    "int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)\n{\n"
)


def test_a_forbidden_call_comes_before_the_checks_that_it_ends(
    operation_bench: OperationBench,
) -> None:
    """The call of `fork` ends the process in every check that calls the function."""
    files = {one: (SHIPPED / PLACE / one).read_text() for one in ("api.h", "hash.c")}
    assert HEAD in files["hash.c"]
    forks = f"{HEAD}    if (fork() == 0)\n        _exit(0);\n"
    files["hash.c"] = "#include <unistd.h>\n" + files["hash.c"].replace(HEAD, forks)
    package = operation_bench.written("crypto_hash/forks/ref", files)
    asked = ("object/calls", "supercop/returns", "state/calls", "buffers/guard")
    checks = operation_bench.examine(package, only=asked).checks
    failed = [one for one in checks if one.verdict is Verdict.FAIL]
    assert [one.check for one in causes(checks)] == ["object/calls"]
    assert failed[0].check == "object/calls"
    assert [one.follows for one in failed[1:]] == ["object/calls"] * 3


def test_a_size_that_is_not_defined_comes_before_all_that_follows_from_it(
    operation_bench: OperationBench,
) -> None:
    """A constant of an enumeration is none to the preprocessor, so the digest has 0 bytes."""
    files = {one: (SHIPPED / PLACE / one).read_text() for one in ("api.h", "hash.c")}
    files["api.h"] = "enum { CRYPTO_BYTES = 32 };\n"
    package = operation_bench.written("crypto_hash/sizeless/ref", files)
    checks = operation_bench.examine(package, only=("buffers/guard",)).checks
    (cause,) = causes(checks)
    assert (cause.check, cause.verdict) == ("build/constants", Verdict.FINDING)
    assert "defines no CRYPTO_BYTES" in cause.reason


COUNTS = """#include "api.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    static unsigned calls;

    for (*out = (unsigned char)++calls; inlen; --inlen)
        *out ^= *in++;
    return 0;
}
"""


def test_outputs_that_differ_each_time_are_not_blamed_on_misaligned_buffers(
    operation_bench: OperationBench,
) -> None:
    """SUPERCOP's donald2048 counts on in a generator of its own, and was told of movdqu."""
    files = {"api.h": "#define CRYPTO_BYTES 1\n", "hash.c": COUNTS}
    package = operation_bench.written("crypto_hash/counts/ref", files)
    found = operation_bench.examine(package, only=("supercop/misaligned",)).checks
    (failed,) = (one for one in found if one.verdict is Verdict.FAIL)
    assert "another result each time, wherever its buffers are" in failed.reason
    assert "randombytes" in failed.cure
