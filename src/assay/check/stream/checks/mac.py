# SPDX-License-Identifier: MIT
"""Whether the MAC notices every change, and nothing else changes it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.stream.checks.laying import (
    Message,
    Places,
    fresh,
    get,
    lay,
    load_key,
    must_equal,
    outcome,
    put,
)
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import mac_bytes
from assay.check.stream.ways import CRYPT_WAYS, ProcessingWay, packet
from assay.execute.agent import PendingAnswer
from assay.model import SizeChoice

WORD_BYTES = 4
TEXT_BYTES = 29
AAD_BYTES = 13
CHANCES = 3  # a MAC of 32 bits collides by chance now and then, three in a row never
MESSAGES = 24  # enough for a byte of a random MAC to be constant with 2^-184 only


def sizes_with_mac(trial: Trial) -> tuple[SizeChoice, ...]:
    """Return the sizes tested that have a MAC; CheckSkipped if none has."""
    if not trial.subject.authenticates:
        raise CheckInapplicable("the API has no MAC")
    sizes = tuple(sizes for sizes in trial.wide_sizes if sizes.mac_bits)
    if not sizes:
        raise CheckSkipped("the cipher is tested with MACs of 0 bits only")
    return sizes


# ---------------------------------------------------------------- forgery


@dataclass(frozen=True, slots=True)
class Forgery:
    """A change to a message on its way: which part, which bit, or the last byte cut off."""

    part: str
    bit: int | None

    def applied(self, message: Message) -> Message:
        """Return the changed message."""
        value = bytearray(getattr(message, self.part))
        if self.bit is None:
            del value[-1]
        else:
            value[self.bit >> 3] ^= 0x80 >> (self.bit & 7)
        changed: dict[str, Any] = {self.part: bytes(value)}
        return replace(message, **changed)

    def __str__(self) -> str:
        """Describe what was done."""
        name = {"text": "ciphertext", "aad": "associated data"}.get(self.part, self.part)
        return f"the last byte of the {name} cut off" if self.bit is None else (
            f"bit {self.bit & 7} of byte {self.bit >> 3} of the {name} flipped"
        )  # fmt: skip


def forgeries(trial: Trial, message: Message) -> Iterator[Forgery]:
    """Change a bit of every byte, and cut off the last byte of what has no fixed length."""
    bits = {"key": message.sizes.key_bits, "iv": message.sizes.iv_bits}
    bits |= {"text": 8 * len(message.text), "aad": 8 * len(message.aad)}
    for part, size in bits.items():
        for start in range(0, size, 8):
            yield Forgery(part, trial.random.randrange(start, min(start + 8, size)))
        if part in {"text", "aad"} and size:
            yield Forgery(part, None)


def forgery(trial: Trial) -> None:
    """Decrypt changed messages: the MAC must differ from the one that was sent."""
    for sizes in sizes_with_mac(trial):
        with trial.session() as session:
            _every_byte_counts(trial, session, sizes)
            for _ in range(CHANCES):
                found = _unnoticed(trial, session, sizes)
                if not found:
                    break
            else:
                raise CheckFailed(f"the MAC stays the same with {found[0]} ({sizes})")


def _unnoticed(trial: Trial, session: StreamSession, sizes: SizeChoice) -> list[Forgery]:
    """Send one message; give the changes that its MAC does not show."""
    message = fresh(trial, sizes, TEXT_BYTES, AAD_BYTES)
    places = lay(session, message)
    load_key(session, places, sizes)
    packet(ENCRYPT, session, places, TEXT_BYTES, len(message.aad))
    sent = outcome(session, places, sizes, TEXT_BYTES)
    message = replace(message, text=sent.output.data)
    received = []
    for one in forgeries(trial, message):
        _deliver(session, places, one.applied(message))
        received.append((one, get(session, places.mac, mac_bytes(sizes))))
    return [one for one, mac in received if sent.mac and mac.data == sent.mac.data]


def _deliver(session: StreamSession, places: Places, message: Message) -> None:
    """Decrypt a message as its receiver would, with a context of its own."""
    put(session, places.key, message.key)
    put(session, places.iv, message.iv)
    put(session, places.aad, message.aad)
    put(session, places.source, message.text)
    load_key(session, places, message.sizes)
    packet(DECRYPT, session, places, len(message.text), len(message.aad))


def _every_byte_counts(trial: Trial, session: StreamSession, sizes: SizeChoice) -> None:
    """No byte of the MAC may be the same for all messages, nor a copy of the one before it."""
    macs = []
    places = lay(session, fresh(trial, sizes, TEXT_BYTES, AAD_BYTES))
    for _ in range(MESSAGES):
        _deliver(session, places, fresh(trial, sizes, TEXT_BYTES, AAD_BYTES))
        macs.append(get(session, places.mac, mac_bytes(sizes)))
    columns = list(zip(*(mac.data for mac in macs), strict=True))
    for at, column in enumerate(columns):
        if len(set(column)) == 1:
            reason = f"byte {at} of the MAC is {column[0]:02X} for all messages ({sizes})"
            raise CheckFailed(reason)
    for at, (one, other) in enumerate(pairwise(columns), 1):
        if one == other:
            raise CheckFailed(f"byte {at} of the MAC repeats the one before it ({sizes})")


# ---------------------------------------------------------------- determinism


def deterministic(trial: Trial) -> None:
    """Make the MAC of messages again and again, in both directions, with every end of a word."""
    for sizes in sizes_with_mac(trial):
        for length in range(TEXT_BYTES - WORD_BYTES + 1, TEXT_BYTES + 1):
            with trial.session() as session:
                _the_same_again(trial, session, fresh(trial, sizes, length, AAD_BYTES))


def _the_same_again(trial: Trial, session: StreamSession, message: Message) -> None:
    sizes, length = message.sizes, len(message.text)
    places = lay(session, message)
    load_key(session, places, sizes)
    packet(ENCRYPT, session, places, length, len(message.aad))
    sent = outcome(session, places, sizes, length)
    texts = {ENCRYPT: message.text, DECRYPT: sent.output.data}
    waiting = [
        (f"the MAC of one message by {way.name} is another {after}", mac)
        for way in CRYPT_WAYS
        for after, mac in _again(
            trial, session, places, replace(message, text=texts[way.action]), way
        )
    ]
    for complaint, mac in waiting:
        if sent.mac:
            must_equal(complaint, message, sent.mac.data, mac.data)


def _again(
    trial: Trial, session: StreamSession, places: Places, message: Message, way: ProcessingWay
) -> Iterator[tuple[str, PendingAnswer]]:
    """Make the MAC at once, after another message, and in a context that held garbage."""
    length = mac_bytes(message.sizes)

    def mac_of(text: bytes) -> PendingAnswer:
        put(session, places.source, text)
        put(session, places.mac, trial.bytes(length))
        way.run(session, places, len(text), len(message.aad))
        return get(session, places.mac, length)

    yield "the next time", mac_of(message.text)
    mac_of(trial.bytes(len(message.text)))
    yield "after another message", mac_of(message.text)
    put(session, places.ctx, trial.bytes(session.subject.context_bytes))
    load_key(session, places, message.sizes)
    yield "in a context that held something else", mac_of(message.text)


CHECKS = (
    Check(
        name="mac/forgery",
        asks="Does the MAC detect every change of ciphertext, associated data, IV and key?",
        why=(
            "Detecting changes is the purpose of a MAC. One that leaves out the last bytes, the "
            "associated data or the IV accepts forged messages, and no vector shows it."
        ),
        cure=(
            "Authenticate everything that is named, including the incomplete last word and the "
            "lengths. Let ECRYPT_AE_finalize write as many bytes as ECRYPT_AE_keysetup was "
            "asked for."
        ),
        run=forgery,
    ),
    Check(
        name="mac/deterministic",
        asks="Is the MAC independent of earlier calls and of direction?",
        why=(
            "The receiver compares its own MAC with the one that was sent. If the MAC depends "
            "on anything but the message, genuine messages are rejected."
        ),
        cure=(
            "Reset the state of the MAC in ECRYPT_AE_ivsetup. Authenticate the ciphertext in "
            "both directions, or the plaintext in both."
        ),
        run=deterministic,
    ),
)
