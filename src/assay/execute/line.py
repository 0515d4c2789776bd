# SPDX-License-Identifier: MIT
"""A serial line to a board: bytes with a clock, and whether a whole agent listens.

Greetings are repeated until one is answered, since a board may still be starting;
whatever it says meanwhile is skipped. A line is opened once and kept, because
many boards start anew whenever it is opened.
"""

import threading
import time
from typing import TYPE_CHECKING

import serial

from assay.errors import MachineError
from assay.execute.pipe import PipeTimeout
from assay.execute.protocol import (
    CHECKSUM,
    HEADER,
    LARGEST_ANSWER_BYTES,
    MAGIC,
    FrameError,
    PayloadReader,
    Request,
    encode,
    verify,
)
from assay.machine.threads import go_on

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_SPEED = 115200
TICK_SECONDS = 0.05  # how long one look at the line lasts
QUIET_SECONDS = 0.1
GREETING_SECONDS = 1.0
WRITE_SECONDS = 60.0
OFFER_SECONDS = 0.5
SHOWN_BYTES = 40
LARGEST_AT = 9  # in the answer to HELLO: version, bits, order, sign, page


class SerialLine:
    """One line, opened when it is needed. Its `lock` belongs to one thread at a time."""

    def __init__(self, name: str, speed: int) -> None:
        """Name the device, or any URL that pyserial takes; 0 is the usual speed."""
        self.name = name
        self.speed = speed or DEFAULT_SPEED
        self.lock = threading.RLock()
        self.image = ""  # what the board holds, as far as this process knows
        self.hung_with = ""  # what it held when it did not answer any more
        self.release: Callable[[], None] | None = None  # what gives the board back to others
        self.largest_payload = 0
        self._greetings = 0
        self._port: serial.Serial | None = None
        self._heard = b""

    def write(self, data: bytes) -> None:
        """Send all of `data`; MachineError if the line has gone."""
        try:
            self._open().write(data)
        except (serial.SerialException, OSError) as error:
            raise self._gone(error) from None

    def offer(self, data: bytes) -> None:
        """Send what the other side takes: one that hangs may take nothing."""
        port = self._open()
        try:
            port.write_timeout = OFFER_SECONDS + 10 * len(data) / self.speed
            port.write(data)
        except serial.SerialTimeoutException:
            port.reset_output_buffer()
        except (serial.SerialException, OSError) as error:
            raise self._gone(error) from None
        finally:
            port.write_timeout = WRITE_SECONDS

    def some(self) -> bytes:
        """Receive what is there; wait a moment if that is nothing, unless threads are to end."""
        go_on()
        port = self._open()
        try:
            first = port.read(1)
            return bytes(first + port.read(port.in_waiting)) if first else b""
        except (serial.SerialException, OSError) as error:
            raise self._gone(error) from None

    def exactly(self, have: bytes, length: int, deadline: float) -> tuple[bytes, bytes]:
        """Add to `have` until there are `length` bytes; give these, and what came behind them."""
        while len(have) < length:
            if time.monotonic() > deadline:
                raise PipeTimeout
            have += self.some()
        return have[:length], have[length:]

    def quiet(self, seconds: float = QUIET_SECONDS) -> None:
        """Skip what comes until nothing comes for `seconds`, but not for ever."""
        end = time.monotonic() + 10 * seconds
        until = time.monotonic() + seconds
        while time.monotonic() < min(until, end):
            heard = self.some()
            if heard:
                self._heard = (self._heard + heard)[-SHOWN_BYTES:]
                until = time.monotonic() + seconds

    def greet(self, seconds: float) -> bool:
        """Send hello until an agent answers; False if none does within `seconds`.

        What an earlier bench left half-sent is filled up with zeros.
        """
        end, zeros = time.monotonic() + seconds, 0
        self._heard = b""
        self.quiet()
        while time.monotonic() < end:
            self._greetings += 1
            sequence = 0xF0000000 + self._greetings
            self.offer(bytes(zeros) + encode(Request.HELLO, sequence, b""))
            patience = GREETING_SECONDS + 10 * zeros / self.speed
            if self._welcomed(sequence, time.monotonic() + patience):
                self.quiet()
                return True
            zeros = min(max(1024, 4 * zeros), 1 << 16)
        return False

    def silence(self) -> str:
        """Describe what came instead of an answer to greetings."""
        if not self._heard:
            return "nothing at all comes back"
        return f"what comes back is no answer: {self._heard[-SHOWN_BYTES:]!r}"

    def close(self) -> None:
        """Let go of the line, so that others can use it."""
        if self._port is not None:
            self._port.close()
        self._port = None

    def _open(self) -> serial.Serial:
        if self._port is None:
            try:
                self._port = serial.serial_for_url(
                    self.name,
                    baudrate=self.speed,
                    timeout=TICK_SECONDS,
                    write_timeout=WRITE_SECONDS,
                    exclusive=True,
                )
            except (serial.SerialException, ValueError, OSError) as error:
                raise MachineError(
                    f"the line {self.name} cannot be opened: {error}",
                    "Is the board connected, is `line` its device, does no other program have "
                    "it, and may you use it (group dialout)?",
                ) from None
        return self._port

    def _gone(self, error: OSError) -> MachineError:
        self.close()
        self.image = ""
        return MachineError(
            f"the line {self.name} broke: {error}", "Connect the board again; start again."
        )

    def _welcomed(self, sequence: int, deadline: float) -> bool:
        """Look for the answer to one greeting in all that comes."""
        start = encode(0, sequence, b"")[:8]
        have = b""
        while time.monotonic() < deadline:
            have += self.some()
            at = have.find(start)
            frame = have[at:] if at >= 0 else b""
            payload = whole_payload(frame) if len(frame) >= HEADER.size else None
            if payload is not None:
                reader = PayloadReader(payload)
                reader.bytes(min(LARGEST_AT, len(payload)))
                self.largest_payload = reader.number(4) if len(payload) > LARGEST_AT + 4 else 0
                return True
        self._heard = (self._heard + have)[-SHOWN_BYTES:]
        return False


def whole_payload(frame: bytes) -> bytes | None:
    """Return the payload of what begins with a frame; None if it is not all there, or damaged."""
    length = payload_bytes(frame)
    body = frame[HEADER.size :]
    if length is None or len(body) < length + CHECKSUM.size:
        return None
    try:
        return verify(frame[: HEADER.size], body[: length + CHECKSUM.size])
    except FrameError:
        return None


def payload_bytes(header: bytes) -> int | None:
    """Return the length that a header states; None if it is none, or longer than any."""
    magic, _, _, _, length = HEADER.unpack(header[: HEADER.size])
    return int(length) if magic == MAGIC and length <= LARGEST_ANSWER_BYTES else None
