# SPDX-License-Identifier: MIT
"""The stream of `randombytes`, against ChaCha20 of another library."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession
from assay.execute.agent import AgentRefusal

BYTES = 32
BLOCK_BYTES = 768
WORD = 8
MOST_LOGGED = 4096


def stream(key: bytes, length: int) -> bytes:
    """Compute what a generator gives: of 768 bytes the first 32 are the next key."""
    given = b""
    while len(given) < length:
        cipher = Cipher(algorithms.ChaCha20(key, bytes(16)), None).encryptor()
        block = cipher.update(bytes(BLOCK_BYTES))
        key, given = block[:32], given + block[32:]
    return given[:length]


def drawn(session: OperationSession, script: Script, times: int) -> bytes:
    """Draw 32 bytes so often after the steps of `script`."""
    session.agent.forget_buffers()
    out, text = session.agent.buffer("out", BYTES), session.agent.buffer("in", 1)
    script.write(text, b"r")
    for _ in range(times):
        script.call(session.number(""), [out, text, 1])
        script.read(out, BYTES)
    answer = session.run(script)
    size = WORD + BYTES
    return b"".join(answer[at + WORD : at + size] for at in range(0, len(answer), size))


@pytest.mark.parametrize("key", [bytes(32), bytes(range(32))], ids=["zeros", "numbers"])
def test_randombytes_is_chacha20_with_a_new_key_after_every_768_bytes(
    session: OperationSession, key: bytes
) -> None:
    """Across several keys."""
    script = Script()
    script.seed(key)
    assert drawn(session, script, 60) == stream(key, 60 * BYTES)


def test_a_seed_begins_the_stream_anew(session: OperationSession) -> None:
    """Also the one of zeros."""
    for _ in range(2):
        script = Script()
        script.seed()
        assert drawn(session, script, 3) == stream(bytes(32), 3 * BYTES)


def test_supplied_bytes_come_first(session: OperationSession) -> None:
    """One call may get some of both."""
    script = Script()
    script.seed()
    script.supply(b"\xee" * 50)
    assert drawn(session, script, 3) == b"\xee" * 50 + stream(bytes(32), 46)


def test_a_seed_forgets_what_was_supplied(session: OperationSession) -> None:
    """So that one script does not change the next."""
    script = Script()
    script.supply(b"\xee" * 50)
    script.seed()
    assert drawn(session, script, 1) == stream(bytes(32), BYTES)


def test_more_than_65536_supplied_bytes_are_refused(session: OperationSession) -> None:
    """The agent has no room for more."""
    script = Script()
    script.supply(bytes(65537))
    with pytest.raises(AgentRefusal):
        session.run(script)


def test_calls_and_bytes_are_counted(session: OperationSession) -> None:
    """From the agent's start on."""
    before, after = Script(), Script()
    before.random()
    after.random()
    first = session.run(before)
    drawn(session, Script(), 5)
    second = session.run(after)
    calls, length = (
        int.from_bytes(second[at : at + WORD], "little")
        - int.from_bytes(first[at : at + WORD], "little")
        for at in (0, WORD)
    )
    assert (calls, length) == (5, 5 * BYTES)


@pytest.mark.parametrize("times", [0, 3, MOST_LOGGED + 2])
def test_lengths_are_logged_since_the_seed(session: OperationSession, times: int) -> None:
    """The count goes on where the log is full."""
    script, log = Script(), Script()
    script.seed()
    drawn(session, script, times)
    log.log()
    answer = session.run(log)
    numbers = [int.from_bytes(answer[at : at + 4], "little") for at in range(0, len(answer), 4)]
    assert numbers == [times, *[BYTES] * min(times, MOST_LOGGED)]
