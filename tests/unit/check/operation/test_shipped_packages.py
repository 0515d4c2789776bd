# SPDX-License-Identifier: MIT
"""Every shipped implementation of an operation passes every check; its checksums are known."""

from pathlib import Path

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.model import Verdict

SHIPPED = Path(__file__).resolve().parents[4] / "submissions/supercop"
PLACES = sorted(str(path.parent.relative_to(SHIPPED)) for path in SHIPPED.rglob("api.h"))
SUMS = ("checksum/small", "checksum/big")


def primitive_of(place: str) -> str:
    """Name the primitive of a place: `crypto_hash/sha256`."""
    return "/".join(place.split("/")[:2])


BY_REF = sorted(PLACES, key=lambda place: (not place.endswith("/ref"), place))
FIRST = {primitive_of(place): place for place in reversed(BY_REF)}
# SUPERCOP's own tests of these take a quarter of a minute or more.
LONG = {
    "crypto_aead/aes128gcmv1",
    "crypto_auth/hmacsha512256",
    "crypto_box/curve25519xsalsa20poly1305",
    "crypto_secretbox/xsalsa20poly1305",
}
ORDINARY = [primitive for primitive in sorted(FIRST) if primitive not in LONG]
OF_EACH = {primitive.split("/")[0]: primitive for primitive in reversed(ORDINARY)}
OTHERS = [place for place in PLACES if place not in FIRST.values()]


def passes(bench: OperationBench, place: str) -> None:
    """Examine an implementation; what is not for this machine is skipped, visibly."""
    package = bench.package(place)
    outcome = bench.examine(package)
    if outcome.verdict is Verdict.SKIPPED:
        pytest.skip(outcome.checks[0].reason)
    assert [one for one in outcome.checks if one.verdict is Verdict.FAIL] == []
    verdicts = {one.check: one.verdict for one in outcome.checks}
    if (SHIPPED / primitive_of(place) / "checksumsmall").exists():
        assert [verdicts[name] for name in SUMS] == [Verdict.PASS] * 2


def test_all_operations_are_there() -> None:
    """One package at least of each, SUPERCOP's twenty and crypto_cxof."""
    assert len({place.split("/")[0] for place in PLACES}) == 21


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(one, marks=[] if primitive_of(one) in OF_EACH.values() else pytest.mark.slow)
        for one in sorted(FIRST.values())
    ],
)
def test_the_first_implementation_of_a_primitive_passes(
    operation_bench: OperationBench, place: str
) -> None:
    """With the first configuration, thoroughly."""
    passes(operation_bench, place)


@pytest.mark.slow
@pytest.mark.parametrize("place", OTHERS)
def test_every_other_implementation_passes(operation_bench: OperationBench, place: str) -> None:
    """As thoroughly."""
    passes(operation_bench, place)
