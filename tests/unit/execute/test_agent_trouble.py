# SPDX-License-Identifier: MIT
"""Damaged frames, silence, and what is no agent: a result or an AgentError, nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.execute.fakes import GREETING, FakePipe, Toy, but, fault, well

from assay.execute.agent import (
    Agent,
    AgentError,
    AgentFault,
    AgentLost,
    AgentRefusal,
    AgentSilent,
)
from assay.execute.protocol import (
    PROTOCOL_VERSION,
    FrameError,
    Request,
    Status,
    encode,
    hung,
)
from assay.timing.clock import find_counters


@pytest.mark.parametrize("sequence_heard", [0, 1], ids=["as sent", "damaged, too"])
@pytest.mark.parametrize("noise", [0, 1, 3])
def test_a_damaged_request_is_sent_again_once(sequence_heard: int, noise: int) -> None:
    """The agent did not execute it; what else it took for frames is passed over."""
    heard: list[int] = []

    def once(_: int, sequence: int, payload: bytes) -> bytes:
        heard.append(sequence)
        if len(heard) == 1:
            return encode(Status.BAD_FRAME, sequence + sequence_heard, b"")
        rest = b"".join(encode(Status.BAD_FRAME, 1000 + i, b"") for i in range(noise))
        return rest + well(Request.READ, sequence, payload)

    agent = Agent(FakePipe(but(Request.READ, once)))
    buffer = agent.buffer("out", 8)
    agent.flush()
    assert agent.read(buffer) == bytes(range(8))
    assert len(heard) == 2
    assert heard[0] == heard[1]


def test_a_request_that_is_damaged_twice_ends_the_conversation() -> None:
    """A line that bad is no line."""
    bad = but(Request.READ, lambda _, sequence, __: encode(Status.BAD_FRAME, sequence, b""))
    pipe = FakePipe(bad)
    agent = Agent(pipe)
    buffer = agent.buffer("out", 8)
    agent.flush()
    with pytest.raises(AgentLost, match="arrived damaged while reading out"):
        agent.read(buffer)
    assert pipe.closings == 1
    assert [code for code, _, _ in pipe.asked].count(Request.READ) == 2


def test_endless_noise_is_not_listened_to_for_ever() -> None:
    """An agent that answers with nothing but damage is lost."""
    flood = but(
        Request.READ,
        lambda _, sequence, __: b"".join(
            encode(Status.BAD_FRAME, sequence + 1 + i, b"") for i in range(100)
        ),
    )
    agent = Agent(FakePipe(flood))
    buffer = agent.buffer("out", 8)
    agent.flush()
    with pytest.raises(AgentLost, match="damaged"):
        agent.read(buffer)


def test_a_request_damaged_among_others_is_not_sent_again() -> None:
    """Those behind it have been executed without it: nothing can be concluded."""
    bad = but(Request.WRITE, lambda _, sequence, __: encode(Status.BAD_FRAME, sequence, b""))
    pipe = FakePipe(bad)
    agent = Agent(pipe)
    buffer = agent.buffer("out", 8)
    agent.write(buffer, b"x")
    with pytest.raises(AgentLost, match="arrived damaged while writing out"):
        agent.read(buffer)
    assert [code for code, _, _ in pipe.asked].count(Request.WRITE) == 1


def test_an_answer_that_never_came_is_not_empty() -> None:
    """Asking again for a refused answer raises; it is never zero bytes."""
    refuse = but(Request.READ, lambda _, sequence, __: encode(Status.BAD_REQUEST, sequence, b""))
    agent = Agent(FakePipe(refuse))
    answer = agent.fetch(agent.buffer("out", 8))
    with pytest.raises(AgentRefusal):
        _ = answer.data
    with pytest.raises(AgentLost, match="never answered"):
        _ = answer.data


@pytest.mark.parametrize("shift", [1, -1, 1000])
def test_an_answer_out_of_turn_ends_the_conversation(shift: int) -> None:
    """Answers must come in order: a repeated or invented one is not taken for another."""

    def wrong(_: int, sequence: int, __: bytes) -> bytes:
        return encode(Status.OK, sequence + shift, b"12345678")

    pipe = FakePipe(but(Request.READ, wrong))
    agent = Agent(pipe)
    buffer = agent.buffer("out", 8)
    with pytest.raises(AgentLost, match="where 2 was due"):
        agent.read(buffer)
    assert pipe.closings == 1


def test_silence_says_what_hangs() -> None:
    """A time-out is told with the first request that was not answered."""
    pipe = FakePipe(but(Request.CALL, lambda *_: b""), silent=True)
    agent = Agent(pipe)
    agent.call(Toy.ENCRYPT_BYTES, (), (7,))
    with pytest.raises(AgentSilent, match=r"no answer in time while encrypt_bytes\(7\)"):
        agent.flush()
    assert pipe.closings == 1


@pytest.mark.parametrize("silent", [True, False], ids=["hangs", "ends"])
def test_a_fault_is_reported_although_the_agent_hangs_or_ends_later(silent: bool) -> None:
    """What runs after a fault runs on a half-made state: its silence is no news, but counts."""
    faulting = fault(11, 0, 20)

    def once(code: int, sequence: int, payload: bytes) -> bytes:
        return b"" if faulted(pipe) else faulting(code, sequence, payload)

    def faulted(asked: FakePipe) -> bool:
        return sum(code == Request.CALL for code, _, _ in asked.asked) > 1

    pipe = FakePipe(but(Request.CALL, once), silent=silent)
    agent = Agent(pipe)
    iv = agent.buffer("IV", 16)
    agent.call(Toy.ENCRYPT_BYTES, (iv,))
    agent.call(Toy.ENCRYPT_BYTES, (), (321,))
    with pytest.raises(AgentFault, match=r"SIGSEGV in encrypt_bytes\(IV\) at byte 4") as caught:
        agent.flush()
    assert pipe.closings == 1
    assert hung(caught.value) is silent


def test_an_agent_that_has_gone_is_told_with_its_account() -> None:
    """How it ended is part of the message."""
    pipe = FakePipe(but(Request.CALL, lambda *_: b""), account="it died of SIGKILL")
    agent = Agent(pipe)
    agent.call(Toy.ENCRYPT_BYTES)
    with pytest.raises(AgentLost, match=r"ended while encrypt_bytes\(\): it died of SIGKILL"):
        agent.flush()


def test_nothing_is_sent_to_an_agent_that_was_closed() -> None:
    """After its end every request fails at once, and closing again is harmless."""
    pipe = FakePipe(account="it exited with code 3")
    agent = Agent(pipe)
    buffer = agent.buffer("out", 8)
    assert agent.close() == agent.close() == "it exited with code 3"
    assert pipe.closings == 1
    with pytest.raises(AgentLost):
        agent.read(buffer)


@pytest.mark.parametrize("status", [5, 77, 255])
def test_an_unknown_status_is_no_answer(status: int) -> None:
    """Submitted code can write frames, too: what is no status ends the conversation."""
    answer = but(Request.CALL, lambda _, sequence, __: encode(status, sequence, b""))
    agent = Agent(FakePipe(answer))
    agent.call(Toy.ENCRYPT_BYTES)
    with pytest.raises(AgentLost, match=f"no status {status}"):
        agent.flush()


@given(st.sampled_from([Request.CALL, Request.CANARIES, Request.COUNTERS]), st.data())
def test_answers_with_any_payload_give_a_result_or_an_agent_error(
    code: Request, data: st.DataObject
) -> None:
    """Whatever an agent says, the bench's own errors are all that comes of it."""
    status, payload = data.draw(st.integers(0, 255)), data.draw(st.binary(max_size=60))
    agent = Agent(FakePipe(but(code, lambda _, sequence, __: encode(status, sequence, payload))))
    buffer = agent.buffer("out", 8)
    try:
        agent.call(Toy.ENCRYPT_BYTES)
        agent.damage(buffer)
        find_counters(agent)
    except AgentError:
        pass


@given(st.binary(max_size=40))
def test_what_is_no_agent_is_ended_at_once(noise: bytes) -> None:
    """A greeting that is noise closes the pipe, so that no process is left."""
    pipe = FakePipe(lambda *_: noise)
    with pytest.raises(AgentError):
        Agent(pipe)
    assert pipe.closings == 1


@given(st.binary(max_size=len(GREETING) - 1))
def test_a_short_greeting_is_no_greeting(payload: bytes) -> None:
    """A well-formed frame with too little in it ends the conversation as well."""
    pipe = FakePipe(lambda _, sequence, __: encode(Status.OK, sequence, payload))
    with pytest.raises((AgentLost, FrameError)):
        Agent(pipe)
    assert pipe.closings == 1


def test_another_version_of_the_protocol_is_refused() -> None:
    """An agent built by another Assay is not misunderstood."""
    other = (PROTOCOL_VERSION + 1).to_bytes(2, "little") + GREETING[2:]
    pipe = FakePipe(lambda _, sequence, __: encode(Status.OK, sequence, other))
    with pytest.raises(AgentLost, match=f"protocol version {PROTOCOL_VERSION + 1}"):
        Agent(pipe)
    assert pipe.closings == 1


@given(st.data())
def test_no_corruption_of_the_line_becomes_data(data: st.DataObject) -> None:
    """An answer changed on its way raises an error; it never reads as other bytes."""
    place, change = data.draw(st.integers(0, 31)), data.draw(st.integers(1, 255))

    def corrupt(code: int, sequence: int, payload: bytes) -> bytes:
        frame = bytearray(well(code, sequence, payload))
        frame[place % len(frame)] ^= change
        return bytes(frame)

    agent = Agent(FakePipe(but(Request.READ, corrupt)))
    buffer = agent.buffer("out", 16)
    with pytest.raises(AgentError):
        agent.read(buffer)
