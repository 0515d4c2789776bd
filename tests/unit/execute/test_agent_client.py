# SPDX-License-Identifier: MIT
"""The bench's side of the conversation, against pipes that answer as told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.execute.fakes import FakePipe, Reply, Toy, but, fault, greeting, well

from assay.execute.agent import Agent, AgentFault, AgentLost, AgentRefusal
from assay.execute.conversation import IN_FLIGHT_BYTES
from assay.execute.protocol import (
    HEADER,
    Request,
    Status,
    encode,
)


def test_the_greeting_tells_about_the_machine() -> None:
    """Pointer size, byte order, page size and compiler come from the agent."""
    agent = Agent(FakePipe())
    told = (agent.pointer_bits, agent.little_endian, agent.page_bytes, agent.compiler)
    assert told == (64, True, 4096, "cc")


def test_requests_wait_until_an_answer_is_needed() -> None:
    """Writing, filling and calling cost no system call of their own."""
    pipe = FakePipe()
    agent = Agent(pipe)
    source = agent.buffer("source", 64)
    agent.write(source, b"abc", 5)
    agent.call(Toy.ENCRYPT_BYTES, (source.at(3), None), (64,))
    answer = agent.fetch(source, 4)
    assert len(pipe.writes) == 1
    assert answer.data == bytes(range(4))
    assert len(pipe.writes) == 2
    codes = [code for code, _, _ in pipe.asked[1:]]
    assert codes == [Request.BUFFER, Request.WRITE, Request.CALL, Request.READ]
    assert pipe.asked[2][2] == b"\x00\x05\x00\x00\x00abc"
    assert (
        pipe.asked[3][2] == b"\x03\x02\x01\x00\x03\x00\x00\x00\xff\x00\x00\x00\x00\x40\x00\x00\x00"
    )


@given(st.lists(st.integers(0, 3 * IN_FLIGHT_BYTES), min_size=1, max_size=30))
def test_groups_of_small_requests_never_fill_a_pipe(sizes: list[int]) -> None:
    """What is sent at once is below the limit, or one large request alone; order is kept."""
    pipe = FakePipe()
    agent = Agent(pipe)
    buffer = agent.buffer("b", 1 << 20)
    for size in sizes:
        agent.write(buffer, bytes(size))
    agent.flush()
    overhead = HEADER.size + 4 + 5
    alone = {size + overhead for size in sizes if size + overhead > IN_FLIGHT_BYTES}
    assert all(write <= IN_FLIGHT_BYTES or write in alone for write in pipe.writes)
    assert [len(payload) - 5 for code, _, payload in pipe.asked if code == Request.WRITE] == sizes
    assert [sequence for _, sequence, _ in pipe.asked] == list(range(len(sizes) + 2))


def greets(largest_payload: int, in_flight_bytes: int) -> Reply:
    """Answer well, but greet with these limits."""
    told = greeting(largest_payload, in_flight_bytes)
    return but(Request.HELLO, lambda _, sequence, __: encode(Status.OK, sequence, told))


@given(st.integers(0, 400), st.integers(0, 50), st.integers(64, 300))
def test_what_is_longer_than_the_agent_takes_goes_in_pieces(
    length: int, offset: int, largest: int
) -> None:
    """Writes and reads arrive whole and in order, and no payload is above the largest."""
    memory = bytearray(500)

    def remember(code: int, sequence: int, payload: bytes) -> bytes:
        at = int.from_bytes(payload[1:5], "little")
        if code == Request.WRITE:
            memory[at : at + len(payload) - 5] = payload[5:]
            return encode(Status.OK, sequence, b"")
        if code == Request.READ:
            end = at + int.from_bytes(payload[5:9], "little")
            return encode(Status.OK, sequence, bytes(memory[at:end]))
        return greets(largest, 0)(code, sequence, payload)

    data = bytes(i * 7 & 0xFF for i in range(length))
    pipe = FakePipe(remember)
    agent = Agent(pipe)
    buffer = agent.buffer("b", 500)
    agent.write(buffer, data, offset)
    answer = agent.fetch(buffer, length, offset)
    assert data == answer.data == bytes(memory[offset : offset + length])
    assert all(len(payload) <= largest for _, _, payload in pipe.asked)
    reads = [int.from_bytes(p[5:9], "little") for code, _, p in pipe.asked if code == Request.READ]
    assert sum(reads) == length
    assert max(reads) <= largest


def test_an_agent_that_takes_one_request_at_a_time_gets_one() -> None:
    """With 0 bytes in flight every frame is a write of its own, answered before the next."""
    pipe = FakePipe(greets(64, 0))
    agent = Agent(pipe)
    buffer = agent.buffer("b", 100)
    agent.write(buffer, bytes(100))
    agent.call(Toy.ENCRYPT_BYTES, (buffer,), (1,))
    agent.flush()
    assert [HEADER.size + len(payload) + 4 for _, _, payload in pipe.asked] == pipe.writes


@given(st.integers(1, 500))
def test_no_more_is_in_flight_than_the_agent_said(in_flight: int) -> None:
    """Unless a single request is longer."""
    pipe = FakePipe(greets(1 << 20, in_flight))
    agent = Agent(pipe)
    buffer = agent.buffer("b", 100)
    for size in (0, 10, 100, 1, 1):
        agent.write(buffer, bytes(size))
    agent.flush()
    alone = {HEADER.size + len(payload) + 4 for _, _, payload in pipe.asked}
    assert all(write <= in_flight or write in alone for write in pipe.writes)


def test_an_agent_that_takes_next_to_nothing_is_refused() -> None:
    """Every request but WRITE must fit."""
    with pytest.raises(AgentLost, match="no more than 63 bytes"):
        Agent(FakePipe(greets(63, 0)))


def test_stack_and_answers_of_calls_are_asked_for_as_documented() -> None:
    """PAINT, DEPTH, the function that does nothing, and a call that answers."""
    numbers = {Request.PAINT: b"\x10\0\0\0", Request.DEPTH: b"\5\0\0\0", Request.CALL: b"\7"}

    def reply(code: int, sequence: int, payload: bytes) -> bytes:
        known = numbers.get(Request(code))
        if known is None:
            return well(code, sequence, payload)
        return encode(Status.OK, sequence, known)

    pipe = FakePipe(reply)
    agent = Agent(pipe)
    assert agent.paint(20) == 16
    agent.nothing()
    assert agent.depth() == 5
    assert agent.answer(Toy.ENCRYPT_BYTES, (), (3,)).number(1) == 7
    assert [(code, payload) for code, _, payload in pipe.asked[1:]] == [
        (Request.PAINT, b"\x14\0\0\0"),
        (Request.CALL, b"\xff\0\0"),
        (Request.DEPTH, b""),
        (Request.CALL, b"\3\0\1\3\0\0\0"),
    ]


@pytest.mark.parametrize(
    ("offset", "where"),
    [
        (5, "inside the buffer plaintext (byte 5)"),
        (-3, "3 bytes before the buffer plaintext"),
        (64, "at byte 0 behind the buffer plaintext of 64 bytes"),
        (70, "at byte 6 behind the buffer plaintext of 64 bytes"),
    ],
)
def test_a_fault_names_call_and_place(offset: int, where: str) -> None:
    """Reports show the call as an engineer reads it, and where it went wrong."""
    agent = Agent(FakePipe(but(Request.CALL, fault(11, 0, offset))))
    source = agent.buffer("plaintext", 64)
    agent.call(Toy.ENCRYPT_BYTES, (source.at(3), None), (61,))
    with pytest.raises(AgentFault) as caught:
        agent.flush()
    assert str(caught.value) == f"SIGSEGV in encrypt_bytes(plaintext+3, NULL, 61) {where}"


def test_a_fault_far_from_every_buffer_gives_the_address() -> None:
    """Where no buffer is near, the address is all there is."""
    agent = Agent(FakePipe(but(Request.CALL, fault(8, 0xFF, 0))))
    agent.call(Toy.ENCRYPT_BYTES)
    with pytest.raises(AgentFault, match=r"SIGFPE in encrypt_bytes\(\) at address 0x7f00"):
        agent.flush()


def test_the_first_problem_is_raised_and_the_agent_lives_on() -> None:
    """Two faults in one go: the first is told, later requests are answered."""
    pipe = FakePipe(but(Request.CALL, fault(11, 0, 1)))
    agent = Agent(pipe)
    buffer = agent.buffer("out", 8)
    agent.call(Toy.ENCRYPT_BYTES, (buffer,), (1,))
    agent.call(Toy.ENCRYPT_BYTES, (buffer,), (2,))
    with pytest.raises(AgentFault, match=r"encrypt_bytes\(out, 1\)"):
        agent.flush()
    assert pipe.closings == 0
    assert agent.read(buffer) == bytes(range(8))


def test_a_refusal_says_what_was_asked() -> None:
    """NO_MEMORY and BAD_REQUEST are told with the request."""
    refuse = but(Request.BUFFER, lambda _, sequence, __: encode(Status.NO_MEMORY, sequence, b""))
    agent = Agent(FakePipe(refuse))
    agent.buffer("ctx", 1 << 31)
    with pytest.raises(AgentRefusal, match=r"refused \(NO_MEMORY\): making the buffer for ctx"):
        agent.flush()
