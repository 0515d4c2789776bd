# SPDX-License-Identifier: MIT
"""Whether a context is plain memory: copied or moved, it goes on as before."""

from collections.abc import Callable
from dataclasses import replace

from assay.check.check import Check
from assay.check.stream.checks.laying import (
    SECOND,
    EqualPairs,
    Message,
    Places,
    Processed,
    fresh,
    lay,
    load_key,
    outcome,
    unstated,
)
from assay.check.stream.checks.ways import packet, shift
from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.trial import Trial

GARBAGE = 0xD5
BLOCKS = 3
TAKEN = ("key", "IV")  # by keysetup and by ivsetup, the first two steps
Step = Callable[[StreamSession, Places, Message], None]


def _take_key(session: StreamSession, places: Places, message: Message) -> None:
    load_key(session, places, message.sizes)


def _take_iv(session: StreamSession, places: Places, _: Message) -> None:
    session.ivsetup(places.ctx, places.iv)


def _take_aad(session: StreamSession, places: Places, message: Message) -> None:
    if message.aad:
        session.authenticate_bytes(places.ctx, places.aad, len(message.aad))


def _take_blocks(session: StreamSession, places: Places, _: Message) -> None:
    session.crypt_blocks(ENCRYPT, places.ctx, places.source, places.to, BLOCKS)


def _take_rest(session: StreamSession, places: Places, message: Message) -> None:
    at = BLOCKS * session.subject.block_bytes
    source, to = shift(places.source, at), shift(places.to, at)
    session.crypt_bytes(ENCRYPT, places.ctx, source, to, len(message.text) - at)


def _take_end(session: StreamSession, places: Places, _: Message) -> None:
    session.finalize(places.ctx, places.mac)


STEPS: tuple[tuple[str, Step], ...] = (
    ("keysetup", _take_key),
    ("ivsetup", _take_iv),
    ("authenticate_bytes", _take_aad),
    ("encrypt_blocks", _take_blocks),
    ("encrypt_bytes", _take_rest),
    ("finalize", _take_end),
)


def _go(session: StreamSession, places: Places, message: Message, steps: slice) -> None:
    for _, step in STEPS[steps]:
        step(session, places, message)


def _result(session: StreamSession, places: Places, message: Message) -> Processed:
    return outcome(session, places, message.sizes, len(message.text))


def _desk(session: StreamSession, message: Message) -> tuple[Places, Places, Processed]:
    """Lay out a message, a second context and output for it, and give the expected outcome."""
    places = lay(session, message)
    load_key(session, places, message.sizes)
    packet(ENCRYPT, session, places, len(message.text), len(message.aad))
    expected = _result(session, places, message)
    twin = lay(session, message, SECOND)
    return places, replace(twin, key=places.key, iv=places.iv), expected


def _ask(trial: Trial, question: Callable[[StreamSession, Message, int], None]) -> None:
    for sizes in trial.wide_sizes:
        message = fresh(trial, sizes, 5 * trial.subject.block_bytes + 3)
        with trial.session() as session:
            for done in range(1, len(STEPS)):
                question(session, message, done)


def _copy(session: StreamSession, message: Message, done: int) -> None:
    """Copy the context after `done` steps; then let the copy go on first, and the original."""
    places, twin, expected = _desk(session, message)
    _go(session, places, message, slice(done))
    session.agent.copy_bytes(twin.ctx, places.ctx)
    session.agent.copy_bytes(shift(twin.to, 0).buffer, shift(places.to, 0).buffer)
    pairs = EqualPairs(message)
    for name, one in (("the copy", twin), ("the original", places)):
        _go(session, one, message, slice(done, None))
        complaint = (
            f"copied after {STEPS[done - 1][0]}, {name} of the context continues differently"
        )
        pairs.expect(complaint, expected, _result(session, one, message))
    pairs.judge()


def _move(session: StreamSession, message: Message, done: int) -> None:
    """Move the context after `done` steps, and leave garbage in its place."""
    places, twin, expected = _desk(session, message)
    _go(session, places, message, slice(done))
    session.agent.copy_bytes(twin.ctx, places.ctx)
    session.agent.copy_bytes(shift(twin.to, 0).buffer, shift(places.to, 0).buffer)
    session.agent.fill(places.ctx, GARBAGE)
    _go(session, twin, message, slice(done, None))
    pairs = EqualPairs(message)
    complaint = f"moved after {STEPS[done - 1][0]}, the context continues differently"
    pairs.expect(complaint, expected, _result(session, twin, message))
    pairs.judge()


def _erase(session: StreamSession, message: Message, done: int) -> None:
    """Erase the key, or the IV, once it has been taken; the steps that follow are the same."""
    if done > len(TAKEN):
        return
    places = lay(session, message)
    _go(session, places, message, slice(None))
    expected = _result(session, places, message)
    lay(session, message)  # again as it was, also where the code has changed its inputs
    _go(session, places, message, slice(done))
    name, where = TAKEN[done - 1], (places.key, places.iv)[done - 1]
    session.agent.fill(shift(where, 0).buffer, GARBAGE)
    _go(session, places, message, slice(done, None))
    pairs = EqualPairs(message)
    complaint = f"the context keeps a pointer to the caller's {name}: results differ when that "
    complaint += f"is erased after {STEPS[done - 1][0]}"
    pairs.expect(complaint, expected, _result(session, places, message))
    pairs.judge()


def copied(trial: Trial) -> None:
    """Copy a context at every point of a message."""
    _ask(trial, _copy)


def moved(trial: Trial) -> None:
    """Move a context at every point of a message."""
    _ask(trial, _move)


def key_kept(trial: Trial) -> None:
    """Erase key and IV as soon as they have been taken."""
    _ask(trial, _erase)


CHECKS = (
    Check(
        name="context/copied",
        asks=(
            "Does a copy of a context continue like the original, and the original like the copy?"
        ),
        why=(
            "Programs copy contexts to use one key schedule for many messages. The API has no "
            "copy function, so memcpy must be enough."
        ),
        cure="Keep offsets instead of pointers in the context, and no state outside it.",
        run=copied,
    ),
    Check(
        name="context/moved",
        asks="Does a context still work after it is moved?",
        why=(
            "Arrays of contexts grow and are sorted. A pointer to the old address then leads to "
            "other data."
        ),
        cure="Keep offsets instead of pointers in the context.",
        run=moved,
    ),
    Check(
        name="context/key-kept",
        asks="May the caller erase the key and the IV after setup?",
        why=(
            "Careful programs erase a key after setup. If the context keeps a pointer to it, "
            "the next ivsetup uses other data as the key."
        ),
        cure="Copy the parts of the key and the IV that are needed into the context.",
        run=key_kept,
        excuse=unstated,
    ),
)
