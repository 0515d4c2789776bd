# SPDX-License-Identifier: MIT
"""What `lengths/beyond-2-gib` says of functions that return without reading the message."""

from pathlib import Path
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
    operation_bench: Any, tmp_path: Path, returned: int, verdict: Verdict
) -> None:
    """Code that allocates a copy says so when there is no memory; success would be a lie."""
    folder = tmp_path / "tree" / "crypto_hash" / "toy" / "ref"
    folder.mkdir(parents=True)
    (folder / "api.h").write_text(API)
    (folder / "hash.c").write_text(CODE.format(returned=returned))
    package = operation_bench.package("crypto_hash/toy/ref", tmp_path / "tree")
    found = operation_bench.examine(package, only=("lengths/beyond-2-gib",)).checks
    assert [one.verdict for one in found if one.check == "lengths/beyond-2-gib"] == [verdict]
