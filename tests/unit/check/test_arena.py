# SPDX-License-Identifier: MIT
"""Routines in an arena, on a cipher in Python: what is repeated, turned around, and not sent."""

import dataclasses
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace
from tests.unit.mock.agent import Agent, Program, crypt
from tests.unit.mock.target import MockAgent
from tests.whole.frozen.requests import CountingPipe

from assay.check.arena import Arena
from assay.check.keystream.carry import Onward
from assay.check.session import StreamSession, describe_stream
from assay.check.stream.routines import CipherMessage, accepted_sizes, fresh_message
from assay.execute.patience import Patience

LENGTH = 100
BLOCKS = (1, 3, 2)


@pytest.fixture
def pipe() -> CountingPipe:
    """Count what is sent."""
    return CountingPipe(Agent(Program()))


@pytest.fixture
def session(pipe: CountingPipe) -> Iterator[StreamSession]:
    """Talk to the cipher."""
    with MockAgent(pipe, patience=Patience(60.0)) as agent:
        yield StreamSession(agent, describe_stream(agent))


@pytest.fixture
def message(session: StreamSession) -> CipherMessage:
    """Draw a message."""
    sizes = accepted_sizes(session.subject)[-1]
    return fresh_message(Random(1).randbytes, session.subject, sizes, LENGTH)


def test_what_was_encrypted_is_decrypted_where_it_lies(
    session: StreamSession, message: CipherMessage
) -> None:
    """The outputs are what the cipher says, and the text comes back into its own buffer."""
    arena = Arena(session)
    sent = arena.outcome(message.by("encrypt_packet")).outputs["output"]
    assert sent == crypt(message.key, message.iv, message.text)
    back = arena.turned("input", "output")
    received = back.again(message.by("decrypt_packet")).value.outputs["output"]
    assert received == message.text == arena.get("input", LENGTH).data


def test_a_repeated_routine_begins_with_rubbish_in_its_outputs(
    session: StreamSession, message: CipherMessage
) -> None:
    """A call that writes nothing does not pass with the output of the one before it."""
    arena = Arena(session)
    routine = message.by("encrypt_bytes")
    before = arena.outcome(routine).outputs["output"]
    idle = replace(routine, steps=routine.steps[:2])
    assert arena.again(idle).value.outputs["output"] != before
    assert arena.again(routine).value.outputs["output"] == before


def test_bytes_of_one_value_are_not_sent(
    pipe: CountingPipe, session: StreamSession, message: CipherMessage
) -> None:
    """A long message of zeros takes no more room on a serial line than a short one."""
    arena = Arena(session)
    zeros = dataclasses.replace(message, text=bytes(LENGTH))
    arena.lay(zeros.by("encrypt_bytes"))
    session.settle()
    before = pipe.size_bytes
    arena.put("input", bytes(LENGTH))
    session.settle()
    assert pipe.size_bytes - before < LENGTH
    assert arena.get("input", LENGTH).data == bytes(LENGTH)


@pytest.mark.parametrize("in_place", [False, True])
def test_keystream_goes_on_from_call_to_call(
    session: StreamSession, message: CipherMessage, in_place: bool
) -> None:
    """In blocks it is what one call makes of as many zeros."""
    unit = session.subject.block_bytes
    stream = Onward.begun(session, message, max(BLOCKS) * unit, in_place=in_place)
    made = b""
    for number in BLOCKS:
        stream.zero(number * unit)
        stream.blocks(number)
        made += stream.output(0, number * unit).data
    assert made == crypt(message.key, message.iv, bytes(sum(BLOCKS) * unit))
