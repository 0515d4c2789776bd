# SPDX-License-Identifier: MIT
"""Primitives that leave out bytes by definition, and code that only claims to be one."""

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.model import CheckResult, Package, Verdict

CHECKS = ("lengths/dependence", "lengths/beyond-4-kib", "lengths/keystream")
HEAD = """
#include "crypto_xof.h"
int crypto_xof(unsigned char *h, long long hlen, const unsigned char *m, long long mlen) {
  long long i;
  for (i = 0; i < hlen; ++i) h[i] = 0;
"""
SETS_BITS = (
    HEAD
    + """
  for (; mlen >= 2; m += 2, mlen -= 2) {
    unsigned position = m[0] + 256u * m[1];
    for (i = position >> 3; i < hlen; i += 8192) h[i] |= (unsigned char)(1u << (position & 7));
  }
  return 0;
}
"""
)
SKIPS = (
    HEAD
    + """
  for (i = 0; i < hlen; ++i) h[i] = (unsigned char)(mlen > 1 ? m[1] + i : i);
  return 0;
}
"""
)


def said(bench: OperationBench, package: Package) -> list[CheckResult]:
    """Return what the checks say."""
    found = bench.examine(package, only=CHECKS).checks
    return [one for one in found if one.check in CHECKS]


def test_bytes_that_do_not_matter_by_definition_are_a_finding(
    operation_bench: OperationBench,
) -> None:
    """Published checksums show which primitive it is, whatever it is called."""
    bits = operation_bench.written("crypto_xof/bits/mine", {"api.h": "", "x.c": SETS_BITS})
    found = said(operation_bench, bits)
    assert [one.verdict for one in found] == [Verdict.FINDING] * 3
    assert all("crypto_xof/bitwrite16, which is sparse" in one.reason for one in found)


@pytest.mark.parametrize("primitive", ["bitwrite16", "other"])
def test_a_name_does_not_excuse_skipped_bytes(
    operation_bench: OperationBench, primitive: str
) -> None:
    """Whoever skips bytes can choose the folder's name."""
    lazy = operation_bench.written(f"crypto_xof/{primitive}/mine", {"api.h": "", "x.c": SKIPS})
    found = said(operation_bench, lazy)
    assert [one.verdict for one in found] == [Verdict.FAIL] * 3


def test_checksum_files_beside_the_code_do_not_excuse_it(operation_bench: OperationBench) -> None:
    """Whoever skips bytes can write down the checksums of his own outputs."""
    place = "crypto_xof/claimed/mine"
    lazy = operation_bench.written(place, {"api.h": "", "x.c": SKIPS})
    open_ones = operation_bench.examine(lazy, only=("checksum/small", "checksum/big")).checks
    for name, value in [pair for one in open_ones for pair in one.outputs if "sum" in pair[0]]:
        (lazy.root.parent / name).write_text(value + "\n")
    lazy = operation_bench.package(place, lazy.root.parents[2])
    assert lazy.details is not None
    assert lazy.details.checksum_small
    found = operation_bench.examine(lazy, only=("checksum/small", *CHECKS)).checks
    verdicts = {one.check: one.verdict for one in found}
    assert verdicts["checksum/small"] is Verdict.PASS
    assert [verdicts[name] for name in CHECKS] == [Verdict.FAIL] * 3
