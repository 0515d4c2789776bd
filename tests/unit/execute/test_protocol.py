# SPDX-License-Identifier: MIT
"""Frames: what was sent arrives, and nothing else passes for it."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.execute.protocol import (
    CHECKSUM,
    HEADER,
    LARGEST_ANSWER_BYTES,
    FrameError,
    PayloadReader,
    decode_header,
    encode,
    verify,
)

CODES = st.integers(0, 255)
SEQUENCES = st.integers(0, 2**32 - 1)
PAYLOADS = st.binary(max_size=200)


def take_apart(frame: bytes) -> tuple[int, int, bytes]:
    """Decode a frame that stands alone, as a receiver does it."""
    header, rest = frame[: HEADER.size], frame[HEADER.size :]
    if len(header) < HEADER.size:
        raise FrameError("too short for a header")
    code, sequence, length = decode_header(header)
    if len(rest) != length + CHECKSUM.size:
        raise FrameError("the length is another one")
    return code, sequence, verify(header, rest)


@given(CODES, SEQUENCES, PAYLOADS)
def test_a_frame_carries_code_sequence_and_payload(
    code: int, sequence: int, payload: bytes
) -> None:
    """Decoding gives back what was encoded."""
    assert (code, sequence, payload) == take_apart(encode(code, sequence, payload))


def test_a_frame_has_the_documented_bytes() -> None:
    """The layout is magic, code, zero, sequence, length, payload, CRC-32, little-endian."""
    body = b"AS\x20\x00" + struct.pack("<II", 0x01020304, 3) + b"abc"
    assert body + struct.pack("<I", zlib.crc32(body)) == encode(0x20, 0x01020304, b"abc")


@given(CODES, SEQUENCES, PAYLOADS, st.data())
def test_any_changed_byte_is_noticed(
    code: int, sequence: int, payload: bytes, data: st.DataObject
) -> None:
    """One byte, anywhere in the frame, changed in any way."""
    frame = bytearray(encode(code, sequence, payload))
    frame[data.draw(st.integers(0, len(frame) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(FrameError):
        take_apart(bytes(frame))


@given(CODES, SEQUENCES, PAYLOADS, st.data())
def test_any_burst_of_up_to_four_bytes_is_noticed(
    code: int, sequence: int, payload: bytes, data: st.DataObject
) -> None:
    """A CRC of 32 bits finds every burst of 32 bits."""
    frame = bytearray(encode(code, sequence, payload))
    start = data.draw(st.integers(0, len(frame) - 4))
    burst = data.draw(st.binary(min_size=4, max_size=4).filter(any))
    for place, change in enumerate(burst, start):
        frame[place] ^= change
    with pytest.raises(FrameError):
        take_apart(bytes(frame))


@given(CODES, SEQUENCES, PAYLOADS, st.data())
def test_a_frame_cut_short_or_grown_is_noticed(
    code: int, sequence: int, payload: bytes, data: st.DataObject
) -> None:
    """Neither a beginning of a frame nor a frame with something inserted is one."""
    frame = encode(code, sequence, payload)
    with pytest.raises(FrameError):
        take_apart(frame[: data.draw(st.integers(0, len(frame) - 1))])
    at = data.draw(st.integers(0, len(frame)))
    with pytest.raises(FrameError):
        take_apart(frame[:at] + data.draw(st.binary(min_size=1, max_size=9)) + frame[at:])


@given(st.binary(min_size=HEADER.size, max_size=HEADER.size))
def test_a_header_never_asks_for_more_than_the_largest_answer(header: bytes) -> None:
    """Whatever an agent sends, the bench waits for a bounded number of bytes."""
    try:
        length = decode_header(header)[2]
    except FrameError:
        return
    assert length <= LARGEST_ANSWER_BYTES


def test_a_header_with_a_giant_length_is_no_frame() -> None:
    """An agent cannot make the bench wait for gigabytes."""
    header = HEADER.pack(b"AS", 0, 0, 0, LARGEST_ANSWER_BYTES + 1)
    with pytest.raises(FrameError):
        decode_header(header)


@given(st.binary(max_size=12), st.integers(1, 16))
def test_a_reader_gives_what_is_there_or_fails(payload: bytes, size: int) -> None:
    """Numbers are little-endian; one that is cut short is never guessed."""
    reader = PayloadReader(payload)
    if size <= len(payload):
        assert int.from_bytes(payload[:size], "little") == reader.number(size)
        assert reader.done == (size == len(payload))
        return
    with pytest.raises(FrameError):
        reader.number(size)


def test_a_reader_tells_no_text_from_an_empty_one() -> None:
    """The length 0xffff stands for a text that the agent does not have."""
    reader = PayloadReader(b"\xff\xff\x00\x00\x03\x00a\xffb")
    assert [reader.text() for _ in range(3)] == [None, "", "a\N{REPLACEMENT CHARACTER}b"]


def test_a_wrong_frame_is_an_error_that_campaigns_expect() -> None:
    """A short answer must end as a record, so its error has the common root."""
    assert issubclass(FrameError, AssayError)
