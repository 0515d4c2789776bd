# SPDX-License-Identifier: MIT
"""Whether data beside a message, or its length, move the stream by which it is encrypted.

A stream that begins elsewhere for some messages has blocks in one that stand before another: a
key of a tag, which is in no ciphertext otherwise, is then in that of a message that one knows.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from assay.check.arena import Arena
from assay.check.check import CheckFinding
from assay.check.lengths.far import affordable
from assay.check.routine import Routine, RoutineOutcome, added_up
from assay.check.trial import AnyTrial
from assay.model.api import Role, Way

DATA = (0, 300, 512)  # bytes
SHORT, LONG, LONGER = 64, 1024, 5000  # bytes of a message
WINDOW = 16
BEHIND = 64  # what stands before a message
ENDS = 32  # bytes that a mode may treat otherwise: OTR exchanges the last two blocks
NOTHING = bytes(WINDOW)


def require_in_place(trial: AnyTrial) -> None:
    """Encrypt zeros under one key and nonce; raise CheckFinding for a stream that was moved."""
    lengths = [one for one in (SHORT, LONG, LONGER) if one <= max(LONG, affordable(trial))]
    texts = [(trial.bytes(data), bytes(LONG)) for data in DATA]
    texts += [(b"", bytes(length)) for length in lengths if length != LONG]
    with trial.session() as session:
        arena = Arena(session)
        made = [(one, each, arena.begin(each)) for one, each in trial.absorbing(texts)]
        seen: dict[bytes, tuple[int, int]] = {}
        for (data, _), routine, pending in made:
            stream = _stream(routine, pending.value.outputs)
            for at, window in _windows(stream):
                before, size = seen.get(window, (at, len(data)))
                moved, more = before - at, len(data) - size
                # Data may take as much of the stream as it was moved, or some of a block more.
                taken_up = abs(moved) >= abs(more) > 0 and (moved > 0) == (more > 0)
                if before != at and not taken_up:
                    raise CheckFinding(
                        f"{routine.name}: bytes {at} to {at + WINDOW - 1} of the stream behind "
                        f"{len(data)} bytes of data stand at {before} behind {size}: what is "
                        "before one stream is in the other, as the key of a tag may be"
                    )
            for at, window in _windows(stream):
                seen.setdefault(window, (at, len(data)))


def shared(
    routine: Routine,
    pairs: Collection[tuple[str, str]],
    first: RoutineOutcome,
    other: RoutineOutcome,
    place: Sequence[Any],
) -> str:
    """Return what to say of two nonces' streams for one message, if a part of one is in the other.

    A nonce that is added to the number of a block makes another one's stream from there on.
    """
    name, byte, bit = place
    for message, output in pairs if routine.variables[name].role is Role.NONCE else ():
        text = routine.value(message)
        texts = [one.outputs[output] for one in (first, other)]
        for offset in {0, len(texts[0]) - len(text)}:
            one, two = (added_up(text, made[offset:]) for made in texts)
            for here, there in ((one, two), (two, one)):
                window = here[BEHIND : BEHIND + WINDOW]
                at = there.find(window) if len(window) == WINDOW else -1
                if at not in (-1, BEHIND):
                    return (
                        f"{routine.name}: with bit {bit} of byte {byte} of {name} the stream is "
                        f"the same, moved by {abs(at - BEHIND)} bytes: what is encrypted under "
                        "both can be compared"
                    )
    return ""


def _windows(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield all windows of the first bytes, but for those of zeros, as before a box."""
    for at in range(min(len(stream) - ENDS, LONG) - WINDOW + 1):
        window = stream[at : at + WINDOW]
        if window != NOTHING:
            yield at, window


def _stream(routine: Routine, outputs: dict[str, bytes]) -> bytes:
    """Return what became of the zeros; nothing where it is no ciphertext."""
    variables = routine.variables
    (length,) = (
        one.size for one in variables.values() if one.role is Role.MESSAGE and one.is_input
    )
    made = [
        name
        for name, one in variables.items()
        if one.way is Way.OUT and one.role in (Role.MESSAGE, Role.CIPHERTEXT)
    ]
    return b"".join(outputs[name][:length] for name in made[:1])
