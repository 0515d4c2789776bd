# SPDX-License-Identifier: MIT
"""Ciphers that take only the first bits of a declared size, and say so in their header."""

from collections.abc import Iterator, Sequence

import pytest
from tests.whole.corpus.ciphers import Workbench

from assay.check.budget import Budget
from assay.check.lengths.dependence import Chain
from assay.check.trial import AnyTrial
from assay.model import CheckResult, Verdict

CHECK = "lengths/dependence"
LOADS = "    ctx->iv[1] = U8TO32_LITTLE(iv + 4);"
MACRO = "#define ECRYPT_MAXIVSIZE 64"


def examined(workbench: Workbench, bits: int) -> CheckResult:
    """Examine a toy that takes 6 of 8 bytes of an IV and declares to use `bits` of 64."""
    edits = (
        ("toy.c", LOADS, LOADS.replace(";", " & U32C(0xFFFF);")),
        ("ecrypt-sync.h", MACRO, f"#define ECRYPT_ASSAY_USED_BITS {bits}\n{MACRO}"),
    )
    package = workbench.package("sync", f"uses-{bits}", edits)
    result: CheckResult = workbench.examine("sync", package, thorough=True, only=(CHECK,))[CHECK]
    return result


def test_bytes_that_are_declared_not_to_matter_are_remarked_and_fail_nothing(
    workbench: Workbench,
) -> None:
    """F-FCSR-H takes 80 of the 128 bits that eSTREAM's vectors give it."""
    result = examined(workbench, 48)
    assert result.verdict is Verdict.PASS, result
    assert "the last 2 of 8 bytes of IV are declared not to matter" in result.reason


@pytest.mark.parametrize(("bits", "byte"), [(56, 6), (0, 7)])
def test_bytes_within_the_declared_ones_must_matter(
    workbench: Workbench, bits: int, byte: int
) -> None:
    """The declaration excuses nothing before its end; 0 is what a header without it has."""
    result = examined(workbench, bits)
    assert result.verdict is Verdict.FAIL
    assert f"byte {byte} of IV does not matter" in result.reason


def test_a_byte_that_one_key_forgets_is_asked_again(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-FCSR-8's IV setup loses a byte of the IV for some keys; with others it matters."""
    really, all_places = Chain.is_idle, Chain.doubtful
    forgotten: list[int] = []

    def is_idle(chain: Chain, trial: AnyTrial, place: int) -> bool:
        really_so = really(chain, trial, place)
        if forgotten:
            return really_so
        forgotten.append(place)
        return True

    def doubtful(
        chain: Chain, trial: AnyTrial, budget: Budget, places: Sequence[tuple[int, bool]]
    ) -> Iterator[tuple[int, bool]]:
        yield from ((place, False) for place, _ in places[:1])
        yield from all_places(chain, trial, budget, places)

    monkeypatch.setattr(Chain, "is_idle", is_idle)
    monkeypatch.setattr(Chain, "doubtful", doubtful)
    package = workbench.package("sync", "forgets", ())
    found = workbench.examine("sync", package, thorough=True, only=(CHECK,))[CHECK]
    assert found.verdict is Verdict.PASS, found
    assert forgotten
