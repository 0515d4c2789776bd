# SPDX-License-Identifier: MIT
"""Walking through calls: what they wrote is what another library computes."""

import hashlib
import hmac
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from assay.check.operation.exercise import exercise
from assay.check.operation.script import Script
from assay.check.operation.tasks import group
from assay.check.operation.walk import ReferenceWalk
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


def inputs_of(walk: ReferenceWalk) -> dict[str, bytes]:
    """Make contents of every variable, with zeros where there must be some."""
    random = Random(5)
    return {
        name: random.randbytes(size) if name not in walk.group.zeros else
        bytes(walk.group.zeros[name]) + random.randbytes(size - walk.group.zeros[name])
        for name, size in walk.group.variables.items()
    }  # fmt: skip


def walk_of(
    session: Any, size: int, second: int = 0
) -> tuple[ReferenceWalk, dict[str, bytes], list[Any]]:
    """Walk through a group; give its inputs and calls."""
    walk = ReferenceWalk(session, group(session.subject, size, second))
    inputs = inputs_of(walk)
    return walk, inputs, walk.reference(inputs)


def test_an_extendable_output_is_as_long_as_asked_for(drive: Any) -> None:
    """Not as long as the message."""
    with drive.speaking(drive.shipped("crypto_xof/shake256/ref")) as session:
        _, inputs, (call,) = walk_of(session, 33, 500)
    assert call.wrote == {"h": hashlib.shake_256(inputs["m"]).digest(500)}


def test_an_authenticator_is_computed_and_accepted(drive: Any) -> None:
    """The second call reads what the first one wrote."""
    with drive.speaking(drive.shipped("crypto_auth/hmacsha256/ref")) as session:
        _, inputs, (made, verified) = walk_of(session, 77)
    assert made.wrote == {"h": hmac.digest(inputs["k"], inputs["m"], "sha256")}
    assert verified.read["h"] == made.wrote["h"]
    assert verified.result == 0


def test_a_stream_is_xored_into_the_message(drive: Any) -> None:
    """Both functions, on one key and nonce."""
    with drive.speaking(drive.shipped("crypto_stream/chacha20/ref")) as session:
        _, inputs, (plain, xored) = walk_of(session, 200)
    nonce = bytes(8) + inputs["n"]
    cipher = Cipher(algorithms.ChaCha20(inputs["k"], nonce), None)
    assert plain.wrote == {"s": cipher.encryptor().update(bytes(200))}
    assert xored.wrote == {"c": cipher.encryptor().update(inputs["m"])}


def test_what_is_encrypted_is_handed_on_with_the_length_that_was_written(drive: Any) -> None:
    """Not with that of the buffer."""
    with drive.speaking(drive.shipped("crypto_aead/chacha20poly1305/ref")) as session:
        _, inputs, (sealed, opened) = walk_of(session, 40, 24)
    cipher = ChaCha20Poly1305(inputs["k"])
    expected = cipher.encrypt(inputs["p"], inputs["m"], inputs["a"])
    assert sealed.wrote == {"c": expected}
    assert opened.told == len(expected)
    assert opened.wrote["t"] == inputs["m"]
    assert (sealed.result, opened.result) == (0, 0)


def test_a_repeated_call_gives_the_same_and_another_input_another(drive: Any) -> None:
    """Whatever was in the output before."""
    with drive.speaking(drive.shipped("crypto_auth/hmacsha256/ref")) as session:
        walk, inputs, (call, _) = walk_of(session, 64)
        assert walk.again(call, rubbish=0xFF) == (call.result, call.wrote)
        other = call.read | {"m": bytes(64)}
        result, wrote = walk.again(call, read=other)
    assert (result, wrote) == (0, {"h": hmac.digest(inputs["k"], bytes(64), "sha256")})


def test_steps_can_stand_right_before_a_call(drive: Any) -> None:
    """They see its inputs."""
    with drive.speaking(drive.shipped("crypto_hash/sha256/small")) as session:
        walk, inputs, (call,) = walk_of(session, 64)

        def change(script: Script) -> None:
            script.write(walk.places["m"], b"!")

        _, wrote = walk.again(call, before=change)
    assert wrote == {"h": hashlib.sha256(b"!" + inputs["m"][1:]).digest()}


@pytest.mark.parametrize("place", EVERY_OPERATION)
def test_every_function_of_every_operation_can_be_called_on_zeros(drive: Any, place: str) -> None:
    """There is room for all outputs."""
    with drive.speaking(drive.shipped(place)) as session:
        exercise(session.agent, session.subject)


def test_a_fault_in_the_first_use_is_told(drive: Any) -> None:
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
