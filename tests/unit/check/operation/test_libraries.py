# SPDX-License-Identifier: MIT
"""Packages that call a library which opens files when it is first called."""

from pathlib import Path

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.model import Verdict

HASH = """
#include "crypto_hash.h"
#include <{header}>
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{{
    {call}
}}
"""
CALLS = {
    "openssl/evp.h": "return EVP_Digest(in, inlen, out, NULL, EVP_sha256(), NULL) ? 0 : -1;",
    "gcrypt.h": "gcry_md_hash_buffer(GCRY_MD_SHA256, out, in, inlen); return 0;",
}


@pytest.mark.parametrize("header", CALLS)
def test_a_library_may_open_its_own_files_at_first(
    header: str, operation_bench: OperationBench
) -> None:
    """OpenSSL its configuration, libgcrypt what says whether FIPS mode is on."""
    if not Path("/usr/include", header).exists():
        pytest.skip(f"there is no {header} here")
    code = HASH.format(header=header, call=CALLS[header])
    files = {"api.h": "#define CRYPTO_BYTES 32\n", "hash.c": code}
    package = operation_bench.written("crypto_hash/sha256/library", files)
    calls = ("calls/deterministic", "calls/threads", "buffers/read-only-inputs")
    found = operation_bench.examine(package, only=(*calls, "checksum/"))
    verdicts = {one.check: one.verdict for one in found.checks}
    assert {verdicts[one] for one in calls} == {Verdict.PASS}, found.checks
    assert Verdict.FAIL not in verdicts.values()
