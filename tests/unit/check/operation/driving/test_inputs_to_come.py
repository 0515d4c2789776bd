# SPDX-License-Identifier: MIT
"""The inputs of timed calls that are still to come are out of reach of the code under test."""

from random import Random

import pytest
from tests.unit.check.operation.driving.conftest import Drive
from tests.unit.check.operation.driving.lookers import LOOKERS
from tests.unit.check.operation.driving.timed import (
    GUESSING,
    GUESSING_COMPARISON,
    GUESSING_VERIFY,
    LOOKING_BEHIND,
    SEARCHING,
    SEARCHING_VERIFY,
    written_hash,
)

from assay.check.operation.routines import group
from assay.measure.audit import WrongOutput
from assay.measure.operation.measures import take
from assay.measure.operation.timing import OperationEffort
from assay.model import Package, Sample

EFFORT = OperationEffort(samples=15)


@pytest.mark.parametrize("looks", [LOOKING_BEHIND, GUESSING, SEARCHING])
def test_the_input_of_a_later_call_is_nowhere_while_a_call_runs(drive: Drive, looks: str) -> None:
    """Neither behind the input, nor a step from the last two, nor in the memory of the agent.

    The hash returns 1 if it has seen its input before its call, and 0 is what it must return.
    """
    assert list(taken_in_parts(drive, written_hash(drive, looks), 64)) == ["cycles/64"]


AUTH_API = "#define CRYPTO_BYTES 16\n#define CRYPTO_KEYBYTES 16\n"


def written_auth(drive: Drive, source: str) -> Package:
    """Write an authenticator of 16 bytes."""
    return drive.written("crypto_auth/sum/ref", {"api.h": AUTH_API, "auth.c": source})


def taken_in_parts(drive: Drive, package: Package, size: int) -> dict[str, Sample]:
    """Time a group of a package as a launch does, and return its samples by measure."""
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        wanted = [group(timed.subject, size)]
        found = take(timed, proof, wanted, EFFORT, Random(1))
    return {one.measure: one for one in found.samples}


def test_the_input_of_a_later_call_that_writes_nothing_is_nowhere_either(drive: Drive) -> None:
    """Its mask was the same for all calls, so that two of them showed those to come."""
    found = taken_in_parts(drive, written_auth(drive, SEARCHING_VERIFY), 64)
    assert set(found) == {"cycles/64", "verify_cycles/64"}


@pytest.mark.parametrize("operation", LOOKERS)
def test_no_operation_shows_the_inputs_of_calls_to_come(drive: Drive, operation: str) -> None:
    """So nothing can be computed for several of them at once."""
    found = taken_in_parts(drive, drive.written(f"{operation}/looks/ref", LOOKERS[operation]), 64)
    assert any(name.startswith("cycles") for name in found)


def test_a_verification_that_guesses_most_results_is_refused(drive: Drive) -> None:
    """Some of the tags that are verified are wrong, and nobody knows which before it looks."""
    with pytest.raises(WrongOutput, match=r"crypto_auth_verify: call .* to be accepted"):
        taken_in_parts(drive, written_auth(drive, GUESSING_VERIFY), 64)


@pytest.mark.parametrize(
    "place", ["crypto_secretbox/xsalsa20poly1305/ref", "crypto_auth/hmacsha256/ref"]
)
def test_calls_that_accept_or_refuse_are_timed_one_by_one(drive: Drive, place: str) -> None:
    """And have as many samples that count as the others."""
    found = taken_in_parts(drive, drive.shipped(place), 64)
    assert {len(one.ticks) for one in found.values()} == {EFFORT.samples}
    assert {one.tests for name, one in found.items() if not name.startswith("cycles")} == {1}


@pytest.mark.parametrize("guess", [0, -1])
def test_a_comparison_that_guesses_is_refused(drive: Drive, guess: int) -> None:
    """Half of what `crypto_verify` compares while it is timed is equal."""
    files = {"api.h": "#define CRYPTO_BYTES 16\n", "verify.c": GUESSING_COMPARISON % guess}
    with pytest.raises(WrongOutput, match="to be accepted"):
        taken_in_parts(drive, drive.written("crypto_verify/guess/ref", files), 0)
