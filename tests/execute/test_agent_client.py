# SPDX-License-Identifier: MIT
"""The bench's side of the conversation, against pipes that answer as told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.execute.agent import (
    IN_FLIGHT_BYTES,
    Agent,
    AgentError,
    AgentFault,
    AgentLost,
    AgentRefusal,
    AgentSilent,
)
from assay.execute.clock import find_counters
from assay.execute.pipe import PipeClosed, PipeTimeout
from assay.execute.protocol import (
    HEADER,
    PROTOCOL_VERSION,
    FrameError,
    Request,
    Status,
    decode_header,
    encode,
)


def greeting(largest_payload: int = 1 << 26, in_flight_bytes: int = IN_FLIGHT_BYTES) -> bytes:
    """Greet as an agent on a 64-bit machine does."""
    limits = largest_payload.to_bytes(4, "little") + in_flight_bytes.to_bytes(4, "little")
    version = PROTOCOL_VERSION.to_bytes(2, "little")
    return version + bytes([64, 1, 1, 0, 16, 0, 0]) + limits + b"\x02\x00cc"


GREETING = greeting()
Reply = Callable[[int, int, bytes], bytes]


class Toy(IntEnum):
    """A function to call."""

    ENCRYPT_BYTES = 3


def well(code: int, sequence: int, payload: bytes) -> bytes:
    """Answer every request as an agent in good health; READ gives bytes that count up."""
    if code == Request.HELLO:
        return encode(Status.OK, sequence, GREETING)
    if code == Request.READ:
        length = int.from_bytes(payload[5:9], "little")
        return encode(Status.OK, sequence, bytes(i & 0xFF for i in range(length)))
    return encode(Status.OK, sequence, b"")


@dataclass
class FakePipe:
    """Keeps what was asked and replays what `reply` makes of it; then silence, or an end."""

    reply: Reply = well
    silent: bool = False
    account: str = ""
    writes: list[int] = field(default_factory=list)
    asked: list[tuple[int, int, bytes]] = field(default_factory=list)
    closings: int = 0
    incoming: bytes = b""
    pending: bytes = b""

    def write(self, data: bytes) -> None:
        """Take requests apart and queue the answers."""
        if self.closings:
            raise PipeClosed
        self.writes.append(len(data))
        self.incoming += data
        while len(self.incoming) >= HEADER.size:
            code, sequence, length = decode_header(self.incoming[: HEADER.size])
            end = HEADER.size + length
            self.asked.append((code, sequence, self.incoming[HEADER.size : end]))
            self.incoming = self.incoming[end + 4 :]
            self.pending += self.reply(*self.asked[-1])

    def read(self, length: int, deadline: float) -> bytes:
        """Give what is queued."""
        del deadline
        if len(self.pending) < length:
            raise PipeTimeout if self.silent else PipeClosed
        taken, self.pending = self.pending[:length], self.pending[length:]
        return taken

    def close(self) -> str:
        """Count how often."""
        self.closings += 1
        return self.account


def but(code: Request, answer: Reply) -> Reply:
    """Answer well, but requests of one code with `answer`."""

    def reply(asked: int, sequence: int, payload: bytes) -> bytes:
        return (answer if asked == code else well)(asked, sequence, payload)

    return reply


def fault(number: int, buffer: int, offset: int) -> Reply:
    """Answer that a call faulted at `offset` of a buffer."""

    def reply(_: int, sequence: int, payload: bytes) -> bytes:
        del payload
        body = bytes([number]) + (0x7F00).to_bytes(8, "little") + bytes([buffer])
        return encode(Status.FAULT, sequence, body + offset.to_bytes(8, "little", signed=True))

    return reply


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
