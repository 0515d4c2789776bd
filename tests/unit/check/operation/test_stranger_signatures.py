# SPDX-License-Identifier: MIT
"""What may be changed in a signature of a scheme that nobody knows, and what may not."""

from pathlib import Path

from tests.whole.corpus.operations import OperationBench

from assay.model import Verdict

ED25519 = Path("submissions/supercop/crypto_sign/ed25519/ref")
VERIFIED = "    if (verify(r, s, k, key) != 0) {"


def test_signatures_of_which_nothing_is_left_are_no_variants(
    operation_bench: OperationBench,
) -> None:
    """Some schemes let a bit be changed; a signature of ones that is accepted is forged."""
    files = {one.name: one.read_text() for one in ED25519.iterdir() if one.is_file()}
    assert VERIFIED in files["sign.c"]
    files["sign.c"] = files["sign.c"].replace(
        VERIFIED, "    if (verify(r, s, k, key) != 0 && smlen != 64) {"
    )
    package = operation_bench.written("crypto_sign/mine/ref", files)
    assert operation_bench.verdict(package, "forgeries/bits") is Verdict.FAIL
