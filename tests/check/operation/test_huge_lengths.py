# SPDX-License-Identifier: MIT
"""What `lengths/beyond-2-gib` says of functions that return without reading the message."""

from typing import Any

import pytest

from assay.model import Verdict

API = "#define CRYPTO_BYTES 1\n"
CODE = """#include "api.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{{
    unsigned long long i;

    out[0] = (unsigned char)inlen;
    if (inlen > 1ULL << 30)
        return {returned};
    for (i = 0; i < inlen; ++i)
        out[0] ^= in[i];
    return 0;
}}
"""


@pytest.mark.parametrize(("returned", "verdict"), [(0, Verdict.FAIL), (-3, Verdict.PASS)])
def test_a_huge_message_may_be_refused_and_not_be_left_out(
    operation_bench: Any, returned: int, verdict: Verdict
) -> None:
    """Code that allocates a copy says so when there is no memory; success would be a lie."""
    files = {"api.h": API, "hash.c": CODE.format(returned=returned)}
    package = operation_bench.written("crypto_hash/toy/ref", files)
    assert operation_bench.verdict(package, "lengths/beyond-2-gib") is verdict
