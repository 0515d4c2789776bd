# SPDX-License-Identifier: MIT
"""Routines: what the calls of a group write is what another library computes."""

import hashlib
import hmac
from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from tests.unit.check.operation.driving.conftest import Drive

from assay.check.arena import Arena
from assay.check.operation.kind import exercise
from assay.check.operation.routines import OperationUse, fresh, group
from assay.check.operation.session import OperationSession
from assay.check.routine import Routine, RoutineOutcome
from assay.execute.agent import AgentFault

EVERY_OPERATION = (
    "crypto_verify/16/ref", "crypto_decode/int16/ref", "crypto_encode/int16/ref",
    "crypto_sort/int32/ref", "crypto_core/salsa20/ref", "crypto_hashblocks/sha256/ref",
    "crypto_xof/shake256/ref", "crypto_hash/sha256/small", "crypto_stream/chacha20/ref",
    "crypto_onetimeauth/poly1305/ref", "crypto_auth/hmacsha256/ref",
    "crypto_secretbox/xsalsa20poly1305/ref", "crypto_aead/chacha20poly1305/ref",
    "crypto_rng/chacha20/ref", "crypto_scalarmult/curve25519/ref",
    "crypto_box/curve25519xsalsa20poly1305/ref", "crypto_dh/curve25519/ref",
    "crypto_sign/ed25519/ref", "crypto_kem/mlkem768/ref", "crypto_encrypt/curve25519sealedbox/ref",
)  # fmt: skip


def in_turn(
    session: OperationSession, size: int, second: int = 0
) -> tuple[dict[str, bytes], list[tuple[Routine, RoutineOutcome]]]:
    """Perform a group call by call; return its inputs, and every call with what it gave."""
    one = group(session.subject, size, second)
    use = OperationUse(session.subject, one, fresh(Random(5).randbytes, one))
    done: list[tuple[Routine, RoutineOutcome]] = []
    arena = Arena(session)

    def perform(routine: Routine) -> RoutineOutcome:
        done.append((routine, arena.outcome(routine)))
        return done[-1][1]

    assert len(list(use.in_turn(perform))) == len(done)
    return dict(use.values), done


def test_an_extendable_output_is_as_long_as_asked_for(drive: Drive) -> None:
    """Not as long as the message."""
    with drive.speaking(drive.shipped("crypto_xof/shake256/ref")) as session:
        inputs, [(_, outcome)] = in_turn(session, 33, 500)
    assert outcome.outputs == {"h": hashlib.shake_256(inputs["m"]).digest(500)}


def test_an_authenticator_is_computed_and_accepted(drive: Drive) -> None:
    """The second call reads what the first one wrote."""
    with drive.speaking(drive.shipped("crypto_auth/hmacsha256/ref")) as session:
        inputs, [(_, made), (routine, verified)] = in_turn(session, 77)
    assert made.outputs == {"h": hmac.digest(inputs["k"], inputs["m"], "sha256")}
    assert routine.variables["h"].value == made.outputs["h"]
    assert verified.results == (0,)


def test_a_stream_is_xored_into_the_message(drive: Drive) -> None:
    """Both functions, on one key and nonce."""
    with drive.speaking(drive.shipped("crypto_stream/chacha20/ref")) as session:
        inputs, [(_, plain), (_, xored)] = in_turn(session, 200)
    nonce = bytes(8) + inputs["n"]
    cipher = Cipher(algorithms.ChaCha20(inputs["k"], nonce), None)
    assert plain.outputs == {"s": cipher.encryptor().update(bytes(200))}
    assert xored.outputs == {"c": cipher.encryptor().update(inputs["m"])}


def test_what_is_encrypted_is_handed_on_with_the_length_that_was_written(drive: Drive) -> None:
    """Not with that of the buffer."""
    with drive.speaking(drive.shipped("crypto_aead/chacha20poly1305/ref")) as session:
        inputs, [(_, sealed), (routine, opened)] = in_turn(session, 40, 24)
    expected = ChaCha20Poly1305(inputs["k"]).encrypt(inputs["p"], inputs["m"], inputs["a"])
    assert sealed.outputs["c"] == expected
    assert len(expected) in routine.steps[0].arguments
    assert opened.outputs["t"] == inputs["m"]
    assert (sealed.results, opened.results) == ((0,), (0,))


def test_all_calls_in_one_script_give_the_same_as_one_by_one(drive: Drive) -> None:
    """The length goes from call to call in a register."""
    with drive.speaking(drive.shipped("crypto_aead/chacha20poly1305/ref")) as session:
        one = group(session.subject, 40, 24)
        use = OperationUse(session.subject, one, fresh(Random(5).randbytes, one))
        outcome = Arena(session).outcome(use.whole())
    inputs = use.values
    expected = ChaCha20Poly1305(inputs["k"]).encrypt(inputs["p"], inputs["m"], inputs["a"])
    assert outcome.outputs["c"] == expected
    assert outcome.outputs["t"] == inputs["m"]


def test_a_repeated_call_gives_the_same_and_another_input_another(drive: Drive) -> None:
    """Whatever was in the output before."""
    with drive.speaking(drive.shipped("crypto_auth/hmacsha256/ref")) as session:
        inputs, [(routine, outcome), _] = in_turn(session, 64)
        arena = Arena(session)
        assert arena.outcome(routine, 0xFF) == outcome
        other = arena.outcome(routine.given("m", bytes(64)))
    assert other.outputs == {"h": hmac.digest(inputs["k"], bytes(64), "sha256")}


@pytest.mark.parametrize("place", EVERY_OPERATION)
def test_every_function_of_every_operation_can_be_called_on_zeros(
    drive: Drive, place: str
) -> None:
    """There is room for all outputs."""
    with drive.speaking(drive.shipped(place)) as session:
        exercise(session.agent, session.subject)


def test_a_fault_in_the_first_use_is_told(drive: Drive) -> None:
    """With its signal."""
    source = (
        '#include "crypto_hash.h"\nint crypto_hash(unsigned char *out, const unsigned char *in, '
        "unsigned long long n) { (void)out, (void)in, (void)n; __builtin_trap(); }\n"
    )
    files = {"api.h": "#define CRYPTO_BYTES 8\n", "hash.c": source}
    package = drive.written("crypto_hash/trap/ref", files)
    with drive.speaking(package) as session, pytest.raises(AgentFault) as caught:
        exercise(session.agent, session.subject)
    assert caught.value.signal in ("SIGILL", "SIGTRAP")
