# SPDX-License-Identifier: MIT
"""Whether the MAC notices every change, and nothing else changes it: data in pieces neither."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.evidence import require_equal
from assay.check.routine import Pieces, Routine, flipped
from assay.check.session import BaseSession
from assay.check.stream.routines import CipherMessage, fresh_message, mac_bytes
from assay.check.stream.trial import Trial
from assay.execute.agent import PendingAnswer
from assay.model import SizeChoice

FORMS = ("bytes", "blocks", "packet")
WORD_BYTES = 4
TEXT_BYTES = 29
AAD_BYTES = 13
CHANCES = 3  # a MAC of 32 bits collides by chance now and then, three in a row never
MESSAGES = 24  # enough for a byte of a random MAC to be constant with 2^-184 only
MOST_PLACES = 300  # of a part in which a bit is changed
FEW_PLACES = 12  # of a long message
SHORT_TEXT = 5  # bytes, with data in pieces
Cuts = Callable[[Trial, int], Iterator[Pieces]]


def sizes_with_mac(trial: Trial) -> tuple[SizeChoice, ...]:
    """Return the sizes tested that have a MAC; CheckSkipped if none has."""
    if not trial.subject.authenticates:
        raise CheckInapplicable("the API has no MAC")
    sizes = tuple(sizes for sizes in trial.wide_sizes if sizes.mac_bits)
    if not sizes:
        raise CheckSkipped("the cipher is tested with MACs of 0 bits only")
    return sizes


def _fresh(trial: Trial, sizes: SizeChoice, length: int = TEXT_BYTES) -> CipherMessage:
    return fresh_message(trial.bytes, trial.subject, sizes, length, AAD_BYTES)


# ---------------------------------------------------------------- forgery


class Forgery(Struct, frozen=True):
    """A change to a message on its way: which part, which bit, or the last byte cut off."""

    part: str
    bit: int | None

    def applied(self, message: CipherMessage) -> CipherMessage:
        """Return the changed message."""
        value, bit = getattr(message, self.part), self.bit
        wrong = value[:-1] if bit is None else flipped(value, bit >> 3, 0x80 >> (bit & 7))
        changed: dict[str, Any] = {self.part: wrong}
        return replace(message, **changed)

    def __str__(self) -> str:
        """Describe what was done."""
        name = {"text": "ciphertext", "aad": "associated data"}.get(self.part, self.part)
        return f"the last byte of the {name} cut off" if self.bit is None else (
            f"bit {self.bit & 7} of byte {self.bit >> 3} of the {name} flipped"
        )  # fmt: skip


def forgeries(trial: Trial, message: CipherMessage) -> Iterator[Forgery]:
    """Change a bit of every byte, and cut off the last byte of what has no fixed length.

    Of the longest sizes every bit of a short one is changed. Of others it is another one of each
    of eight bytes in a row: code may leave out one of every byte.
    """
    bits = {"text": 8 * len(message.text), "aad": 8 * len(message.aad)}
    if not trial.stretch:
        bits |= {"key": message.sizes.key_bits, "iv": message.sizes.iv_bits}
    for part, size in bits.items():
        starts: Sequence[int] = range(0, size, 8)
        if len(starts) > MOST_PLACES:
            starts = [0, starts[-1], *trial.some(starts, FEW_PLACES)]
        first = trial.random.randrange(8)
        if message.sizes == trial.sizes[-1] and not trial.stretch:
            yield from (Forgery(part, bit) for bit in range(size))
            starts = ()
        for number, start in enumerate(starts, first):
            yield Forgery(part, start + number % min(8, size - start))
        if part in {"text", "aad"} and size:
            yield Forgery(part, None)


def forgery(trial: Trial) -> None:
    """Decrypt changed messages: the MAC must differ from the one that was sent."""
    every = sizes_with_mac(trial)
    for sizes in every[-1:] if trial.stretch else every:
        with trial.session() as session:
            if not trial.stretch:
                _every_byte_counts(trial, session, sizes)
            found: list[Forgery] = []
            for _ in range(CHANCES):
                found = _unnoticed(trial, session, sizes, found)
                if not found:
                    break
            else:
                raise CheckFailed(f"the MAC stays the same with {found[0]} ({sizes})")


def _unnoticed(
    trial: Trial, session: BaseSession, sizes: SizeChoice, before: list[Forgery]
) -> list[Forgery]:
    """Send one message; give the changes that its MAC does not show, of those seen `before`."""
    (length,) = trial.asked((TEXT_BYTES,))
    arena, message = Arena(session), _fresh(trial, sizes, length)
    sent = arena.outcome(message.by("encrypt_packet")).outputs
    message = replace(message, text=sent["output"])
    tried = before or list(forgeries(trial, message))
    received = [(one, _received(arena, one.applied(message))) for one in tried]
    return [one for one, mac in received if mac.data == sent["MAC"]]


def _received(arena: Arena, message: CipherMessage) -> PendingAnswer:
    """Decrypt a message as its receiver would, with the key loaded anew; ask for the MAC."""
    arena.forget()  # code that changes its inputs is the business of buffers/inputs-kept
    arena.use(message.by("decrypt_packet"))
    return arena.get("MAC", mac_bytes(message.sizes))


def _every_byte_counts(trial: Trial, session: BaseSession, sizes: SizeChoice) -> None:
    """No byte of the MAC may be the same for all messages, nor a copy of the one before it."""
    arena = Arena(session)
    macs = [_received(arena, _fresh(trial, sizes)) for _ in range(MESSAGES)]
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
                _the_same_again(trial, Arena(session), _fresh(trial, sizes, length))


def _the_same_again(trial: Trial, arena: Arena, message: CipherMessage) -> None:
    sent = arena.outcome(message.by("encrypt_packet")).outputs
    texts = {"encrypt": message.text, "decrypt": sent["output"]}
    waiting = [
        (f"the MAC of one message by {verb}_{form} is another {after}", routine, mac)
        for form in FORMS
        for verb, text in texts.items()
        for routine in [replace(message, text=text).by(f"{verb}_{form}")]
        for after, mac in _again(trial, arena, routine)
    ]
    for complaint, routine, mac in waiting:
        require_equal(routine, complaint, "MAC", sent["MAC"], mac.data)


def _again(trial: Trial, arena: Arena, routine: Routine) -> Iterator[tuple[str, PendingAnswer]]:
    """Make the MAC at once, after another message, and in a context that held garbage."""
    text, size = routine.value("input"), routine.variables["MAC"].size

    def mac_of(text: bytes) -> PendingAnswer:
        arena.put("input", text)
        arena.put("MAC", trial.bytes(size))
        arena.go(routine.steps[routine.setup :])
        return arena.get("MAC", size)

    yield "the next time", mac_of(text)
    mac_of(trial.bytes(len(text)))
    yield "after another message", mac_of(text)
    arena.put("ctx", trial.bytes(routine.variables["ctx"].size))
    arena.go(routine.steps[: routine.setup])
    yield "in a context that held something else", mac_of(text)


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


# ---------------------------------------------------------------- data in pieces


def require_data(trial: Trial) -> None:
    """Raise CheckSkipped if the cipher takes no associated data."""
    if "supports-aad" not in trial.subject.flags:
        if not trial.subject.authenticates:
            raise CheckInapplicable("the API has no associated data")
        raise CheckSkipped("the cipher takes no associated data (ECRYPT_SUPPORTS_AAD)")


def data_splits(trial: Trial, cuts: Cuts) -> None:
    """Authenticate data in one piece, and cut, by bytes and by blocks."""
    require_data(trial)
    if "incremental-aad" not in trial.subject.flags:
        raise CheckSkipped("the cipher takes it in one piece (ECRYPT_SUPPORTS_INCREMENTAL_AAD)")
    longest = 4 * trial.subject.block_bytes + 3
    for sizes in trial.few_sizes:
        message = fresh_message(trial.bytes, trial.subject, sizes, SHORT_TEXT, longest)
        with trial.session() as session:
            arena = Arena(session)
            arena.use(message.by("encrypt_packet"))
            for length in {longest, longest - 3, longest // 2}:
                _compare_pieces(arena, message, tuple(cuts(trial, length)))
            _compare_pieces(arena, message, ((0,), (), (0, 0)))


def _block_cuts(trial: Trial, length: int) -> Iterator[Pieces]:
    """Cut after whole blocks: in two, in three and in single blocks; the rest comes last."""
    block = trial.subject.block_bytes
    whole = length // block * block
    for first in range(0, whole + 1, block):
        yield first, length - first
        for second in range(0, whole - first + 1, block):
            yield first, second, length - first - second
    yield (*(block,) * (whole // block), length - whole)


def _odd_cuts(trial: Trial, length: int) -> Iterator[Pieces]:
    """Cut in two and in three at every place, and into bytes."""
    steps = 1 if trial.thorough else 5
    for first in range(0, length + 1, steps):
        yield first, length - first
    for first in range(0, length + 1, steps):
        second = trial.random.randint(0, length - first)
        yield first, second, length - first - second
    yield (1,) * length


def _compare_pieces(arena: Arena, message: CipherMessage, cuts: tuple[Pieces, ...]) -> None:
    whole = arena.again(_in_pieces(message, (sum(cuts[0]),)), "MAC")
    with_blocks = "authenticate_blocks" in message.subject.functions
    waiting = []
    for blocks in (False, True) if with_blocks else (False,):
        for cut in cuts:
            if blocks and not any(one and one % message.unit == 0 for one in cut[:-1]):
                continue  # there is nothing that goes to the function for blocks
            routine = _in_pieces(message, cut, blocks=blocks)
            waiting.append((cut, routine, arena.again(routine, "MAC")))
    expected = whole.value.outputs["MAC"]
    for cut, routine, mac in waiting:
        pieces = " + ".join(map(str, cut))
        complaint = f"associated data as {pieces} bytes has another MAC than in one piece"
        require_equal(routine, complaint, "MAC", expected, mac.value.outputs["MAC"])


def _in_pieces(message: CipherMessage, cut: Pieces, *, blocks: bool = False) -> Routine:
    """Authenticate the pieces; whole blocks by authenticate_blocks if `blocks` says so."""
    title, text = f"a message with data in pieces ({message.sizes})", (len(message.text),)
    return message.cut(title, "encrypt_bytes", text, cut, in_blocks=blocks)


DATA = (
    Check(
        name="aad/splits",
        asks="Is the MAC the same however associated data is split after whole blocks?",
        why=(
            "ECRYPT_SUPPORTS_INCREMENTAL_AAD promises that associated data may come in pieces, "
            "as messages do: any number of whole blocks, then one remainder."
        ),
        cure=(
            "Look at the state that a call leaves for the next one, or do not define "
            "ECRYPT_SUPPORTS_INCREMENTAL_AAD."
        ),
        run=partial(data_splits, cuts=_block_cuts),
    ),
    Check(
        name="aad/odd-splits",
        asks="Is the MAC the same wherever associated data is split?",
        why=(
            "Header fields come one by one, and few are as long as a block. The API does not "
            "require this, so a difference is a finding and does not fail the package."
        ),
        cure=(
            "Keep the incomplete word in the context and continue with it, or document that all "
            "pieces but the last must be whole blocks."
        ),
        run=partial(data_splits, cuts=_odd_cuts),
        excuse=lambda _: "the API lets data come in whole blocks and one rest",
    ),
)
