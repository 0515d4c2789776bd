# SPDX-License-Identifier: MIT
"""How much stack calls need in a thread, as the remark of calls/threads says."""

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.model import Verdict

API = "#define CRYPTO_BYTES 8\n"
CODE = """\
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    volatile unsigned char large[KIB * 1024UL];
    unsigned long long i, h = 14695981039346656037ULL;

    for (i = 0; i < sizeof large; i += 512)
        large[i] = (unsigned char)inlen;
    for (i = 0; i < inlen; i++)
        h = (h ^ in[i]) * 1099511628211ULL;
    for (i = 0; i < 8; i++)
        out[i] = (unsigned char)(h >> 8 * i);
    return 0;
}
"""


@pytest.mark.parametrize(("kib", "needed"), [(16, ""), (600, "1024 KiB"), (3072, "4096 KiB")])
def test_the_least_stack_of_the_steps_is_named(
    operation_bench: OperationBench, kib: int, needed: str
) -> None:
    """Each step is twice the one before: 600 KiB are not said to need 8 MiB."""
    files = {"api.h": API, "hash.c": CODE.replace("KIB", str(kib))}
    package = operation_bench.written("crypto_hash/stacked/ref", files)
    (found,) = [
        one
        for one in operation_bench.examine(package, only=("calls/threads",)).checks
        if one.check == "calls/threads"
    ]
    assert found.verdict is Verdict.PASS
    assert found.reason == (f"threads need a stack of {needed}" if needed else "")
