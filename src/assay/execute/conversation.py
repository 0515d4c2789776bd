# SPDX-License-Identifier: MIT
"""The wire of the bench: requests that are queued, sent and answered.

Requests that return nothing are queued and sent together with the next one that
does, so that a check costs a few system calls; the agent answers all of them in
order. The first one that went wrong is raised when the answers are read. How much
may be on its way, and how long a request or an answer may be, the agent says in
its greeting: what is longer is sent in pieces.
"""

import time
from collections.abc import Callable
from typing import Self

from assay.errors import AssayError
from assay.execute.calls import name_of
from assay.execute.patience import LONGEST_SECONDS, OutOfPatience, Patience
from assay.execute.pipe import (
    Pipe,
    PipeClosed,
    PipeTimeout,
    ProcessPipe,
    StreamPipe,
    signal_name,
)
from assay.execute.places import Buffer, describe
from assay.execute.protocol import (
    CHECKSUM,
    CHECKSUM_BYTES,
    HEADER,
    HEADER_BYTES,
    PROTOCOL_VERSION,
    AgentError,
    AgentFault,
    AgentLost,
    AgentNoRoom,
    AgentRefusal,
    AgentSilent,
    FrameError,
    PayloadReader,
    PendingAnswer,
    Request,
    SentRequest,
    Status,
    decode_header,
    encode,
    good_answer,
    in_groups,
    verify,
)

IN_FLIGHT_BYTES = 48 * 1024  # below a pipe's 64 KiB: neither side can block the other
ABORTED = "SIGABRT"  # has no address: the code raised it
REFUSED = "SIGSYS"  # how the seal of an agent ends a call
ANSWER_SECONDS = 10.0
WORD = 4
CODE_AT, SIZE_AT = 2, HEADER_BYTES + 1  # in the frame of a request for a buffer
SMALLEST_PAYLOAD = 64  # every request but WRITE fits
RESENT_NOISE = 8  # what a damaged frame leaves behind may look like that many frames
STATUSES = frozenset(map(int, Status))
CLOCKED = frozenset({Request.LOOP, Request.CALIBRATE, Request.TIME})


class Timeless(AssayError):
    """Code was to be timed where a clock says nothing about it."""


class Conversation:
    """One agent behind a pipe, and what goes over it."""

    def __init__(
        self,
        pipe: Pipe,
        answer_seconds: float = ANSWER_SECONDS,
        advice: str = "",
        patience: Patience | None = None,
    ) -> None:
        """Greet the agent; AgentLost if it is none or speaks another version.

        `advice` follows what is said of an agent that is silent or speaks nonsense. What it is
        waited for is taken from `patience`; an agent without one has its own. `timeless_on`
        names the target if that provides no times; whoever opens the agent sets it.
        """
        self._pipe = pipe
        self._patience = patience or Patience(LONGEST_SECONDS)
        self._seconds = answer_seconds
        self._advice = f" ({advice})" if advice else ""
        self._sequence = 0
        self._queue: list[SentRequest] = []
        self._buffers: dict[int, Buffer] = {}
        self._made: list[tuple[int, Buffer]] = []  # with the request that made it
        self._closed = False
        self.largest_payload, self.in_flight_bytes = SMALLEST_PAYLOAD, 0  # until it has said
        self.account = ""
        self.timeless_on = ""
        try:
            self._greet()
        except AssayError:
            self.close()
            raise

    def _greet(self) -> None:
        reader = self.ask(Request.HELLO, b"", "greeting")
        version = reader.number(2)
        if version != PROTOCOL_VERSION:
            raise AgentLost(f"the agent speaks protocol version {version}, not {PROTOCOL_VERSION}")
        self.pointer_bits = reader.number(1)
        self.little_endian = bool(reader.number(1))
        self.char_signed = bool(reader.number(1))
        self.page_bytes = reader.number(4)
        self.largest_payload = reader.number(4)
        self.in_flight_bytes = min(reader.number(4), IN_FLIGHT_BYTES)
        self.compiler = reader.text() or ""
        if self.largest_payload < SMALLEST_PAYLOAD:
            raise AgentLost(f"the agent takes no more than {self.largest_payload} bytes at once")

    def __enter__(self) -> Self:
        """Enter the conversation."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the agent."""
        self.close()

    @property
    def closed(self) -> bool:
        """Return whether the conversation has ended."""
        return self._closed

    def close(self) -> str:
        """End the agent, once; return the account of its end."""
        if not self._closed:
            self._closed = True
            began = time.monotonic()
            self.account = self._pipe.close()
            self._patience.spend(time.monotonic() - began)
        return self.account

    def processor_seconds(self) -> float | None:
        """Read how much processor time the agent used so far; None if it runs elsewhere."""
        return self._pipe.processor_seconds() if isinstance(self._pipe, ProcessPipe) else None

    def page_faults(self) -> int | None:
        """Read how many page faults the agent has had so far; None if it runs elsewhere."""
        return self._pipe.page_faults() if isinstance(self._pipe, ProcessPipe) else None

    def later(
        self,
        code: Request,
        payload: bytes,
        what: Callable[[], str],
        answer: PendingAnswer | None = None,
    ) -> None:
        """Queue a request; `answer` gets what comes back, if it carries something.

        Timeless for a request that times code on a target that provides no times: every request
        passes here, so that nothing is timed there by any path.
        """
        if self.timeless_on and code in CLOCKED:
            raise Timeless(
                f"{code.name} was requested on {self.timeless_on}, which provides no times",
                "Report this: exact counts are shown there, or nothing.",
            )
        if len(payload) > self.largest_payload:
            raise AgentNoRoom(
                f"{what()} takes a request of {len(payload)} bytes, and the agent "
                f"takes {self.largest_payload} at once"
            )
        frame = encode(code, self._sequence, payload)
        self._queue.append(SentRequest(self._sequence, frame, what, answer))
        self._sequence = (self._sequence + 1) & 0xFFFFFFFF

    def ask(
        self, code: Request, payload: bytes, what: str, seconds: float | None = None
    ) -> PayloadReader:
        """Send the queue and this request; return its answer."""
        self.later(code, payload, lambda: what)
        return PayloadReader(self.flush(seconds))

    def flush(self, seconds: float | None = None) -> bytes:
        """Send everything queued, read all answers, return the last one's payload.

        Every single answer may take `seconds` (the agent's patience by default). The first
        problem is raised, also if the agent hangs or ends afterwards: that is then its cause.
        """
        if not (self._queue or self._closed):
            return b""
        asked, self._queue = self._queue, []
        made = self._made
        try:
            return self._exchange(asked, seconds)
        finally:
            self._made = list({one.number: (at, one) for at, one in made}.values())

    def _exchange(self, asked: list[SentRequest], seconds: float | None) -> bytes:
        """Send requests, and read their answers."""
        if self._closed:
            raise AgentLost("the agent has ended before")
        patience = self._seconds if seconds is None else seconds
        last = b""
        problems: list[AgentError] = []
        try:
            for group in in_groups(asked, self.in_flight_bytes):
                self._send(b"".join([one.frame for one in group]))
                number = 0
                while number < len(group):
                    number, last = self._take_arrived(group, number, last)
                    if number == len(group):
                        break
                    one, number = group[number], number + 1
                    status, last = self._answer_to(one, patience, alone=len(group) == 1)
                    if status != Status.OK:
                        problems.append(self._problem(one, status, last))
                    elif one.answer:
                        one.answer.arrive(last)
        except AgentError as error:
            if problems:  # what came later ran on the state that this one left behind
                raise problems[0] from error
            raise
        if problems:
            raise problems[0]
        return last

    def _take_arrived(
        self, asked: list[SentRequest], number: int, last: bytes
    ) -> tuple[int, bytes]:
        """Hand on good answers that came with earlier ones, from a request on.

        Return the number of the first request whose answer must be awaited, and the last payload.
        """
        if not isinstance(self._pipe, StreamPipe):
            return number, last
        data, at = self._pipe.arrived
        while number < len(asked):
            one = asked[number]
            end = good_answer(data, at, one.sequence)
            if end is None:
                break
            last = data[at + HEADER_BYTES : end - CHECKSUM_BYTES]
            if one.answer:
                one.answer.arrive(last)
            at, number = end, number + 1
        self._pipe.read_up_to(at)
        return number, last

    def _answer_to(self, asked: SentRequest, patience: float, *, alone: bool) -> tuple[int, bytes]:
        """Receive the answer to a request; send it once more if it arrived damaged.

        A damaged frame was not executed. If others were on their way behind it they
        have been, out of turn, and nothing can be concluded any more.
        """
        status, sequence, payload = self._receive(asked, patience)
        if status == Status.BAD_FRAME and alone:
            self._send(asked.frame)
            for _ in range(RESENT_NOISE):
                status, sequence, payload = self._receive(asked, patience)
                if status != Status.BAD_FRAME or sequence == asked.sequence:
                    break
        if status == Status.BAD_FRAME:
            self.close()
            raise AgentLost(f"a request arrived damaged while {asked.what()}{self._advice}")
        if sequence != asked.sequence:
            self.close()
            due = f"answer {sequence} where {asked.sequence} was due"
            raise AgentLost(f"the agent no longer speaks the protocol: {due}")
        return status, payload

    def _send(self, data: bytes) -> None:
        try:
            self._pipe.write(data)
        except PipeClosed:
            self._lost("before it took a request")
        except PipeTimeout:
            self.close()
            raise AgentSilent("it takes no request") from None

    def _receive(self, asked: SentRequest, patience: float) -> tuple[int, int, bytes]:
        try:
            status, sequence, payload = self._frame(patience)
            if status not in STATUSES:
                raise FrameError(f"there is no status {status}")
        except OutOfPatience:
            self.close()
            raise
        except PipeTimeout:
            self.close()
            if self._patience.exhausted:
                raise self._patience.error() from None
            raise AgentSilent(f"no answer in time while {asked.what()}{self._advice}") from None
        except PipeClosed:
            self._lost(f"while {asked.what()}")
        except FrameError as error:
            self.close()
            raise AgentLost(
                f"the agent no longer speaks the protocol: {error}{self._advice}"
            ) from None
        return status, sequence, payload

    def _frame(self, patience: float) -> tuple[int, int, bytes]:
        """Wait for a frame, at most so many seconds."""
        began = time.monotonic()
        deadline = min(began + patience, self._patience.until(began))
        try:
            header = self._pipe.read(HEADER.size, deadline)
            code, sequence, length = decode_header(header)
            rest = self._pipe.read(length + CHECKSUM.size, deadline)
            return code, sequence, verify(header, rest)
        finally:
            self._patience.spend(time.monotonic() - began)

    def _lost(self, when: str) -> None:
        account = self.close() or "it exited with code 0"
        raise AgentLost(f"the agent ended {when}: {account}") from None

    def _buffer_then(self, number: int, sequence: int) -> Buffer | None:
        """Return what a buffer was when a request was made; it may have been made anew since."""
        before = [made for at, made in self._made if made.number == number and at <= sequence]
        return before[-1] if before else None

    def _no_room(self, asked: SentRequest, payload: bytes) -> AgentError:
        """Explain what does not fit: a buffer, a call's stack, or an answer."""
        more = ""
        if len(payload) >= WORD:
            left = int.from_bytes(payload[:WORD], "little")
            more = f" needs more stack than the {left} bytes that are left"
        elif asked.frame[CODE_AT] == Request.BUFFER:
            size = int.from_bytes(asked.frame[SIZE_AT : SIZE_AT + WORD], "little")
            more = f" of {size} bytes"
        return AgentNoRoom(f"the agent refused (NO_MEMORY): {asked.what()}{more}")

    def _problem(self, asked: SentRequest, status: int, payload: bytes) -> AgentError:
        if status == Status.NO_MEMORY:
            return self._no_room(asked, payload)
        if status != Status.FAULT:
            return AgentRefusal(f"the agent refused ({Status(status).name}): {asked.what()}")
        reader = PayloadReader(payload)
        name = signal_name(reader.number(1))
        address, number = reader.number(8), reader.number(1)
        offset = reader.number(8, signed=True)
        where = f" at address {address:#x}"
        near = self._buffer_then(number, asked.sequence)
        beyond, inside = None, ""
        if near is not None:
            where = f" {describe(near, offset)}"
            beyond = offset - near.size_bytes if offset >= near.size_bytes else None
            inside = near.label if offset in range(near.size_bytes) else ""
        step = None if reader.done else reader.number(4)
        if name == REFUSED:
            called = name_of(address, self.pointer_bits)
            where = f": it called {called}, which a package may not"
        elif name == ABORTED:
            where = ": it called abort, as a failed assert does"
        what = asked.what() if step is None else f"step {step} of {asked.what()}"
        return AgentFault(f"{name} in {what}{where}", name, step, beyond, inside)
