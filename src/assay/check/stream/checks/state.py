# SPDX-License-Identifier: MIT
"""Whether contexts hold all state (the original's first checks).

Each question is asked with the original's keys and IVs, so that its reports can
be compared, and again with fresh random ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, Origin
from assay.check.stream.checks.laying import (
    FIRST,
    SECOND,
    Message,
    Places,
    Processed,
    lay,
    load_key,
    outcome,
)
from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.text import data_line
from assay.check.stream.ways import begin, shift
from assay.model import SizeChoice

TEXT_BYTES = 64
HEADING = "*** ERROR: Code does not conform to ECRYPT API:\n"
STATIC = "*** (this is probably due to the use of static state variables)\n"


@dataclass(frozen=True, slots=True)
class Inputs:
    """Two keys and IVs, and one message for both."""

    sizes: SizeChoice
    keys: tuple[bytes, bytes]
    ivs: tuple[bytes, bytes]
    text: bytes


def _filled(length: int, factor: int, start: int) -> bytes:
    return bytes((factor * i + start) & 0xFF for i in range(length))


def all_inputs(trial: Trial) -> Iterator[Inputs]:
    """Yield for all sizes the original's inputs, and random ones."""
    for sizes in trial.wide_sizes:
        key, iv = (sizes.key_bits + 7) // 8, (sizes.iv_bits + 7) // 8
        length = TEXT_BYTES + trial.subject.block_bytes
        keys = _filled(key, 3, 5), _filled(key, -5, 240)
        yield Inputs(sizes, keys, (_filled(iv, 9, 25), _filled(iv, 11, 17)), bytes(length))
        keys = trial.bytes(key), trial.bytes(key)
        ivs = trial.bytes(iv), trial.bytes(iv)
        yield Inputs(sizes, keys, ivs, trial.bytes(length))


def _side(session: StreamSession, inputs: Inputs, which: int) -> Places:
    """Lay out one of the two contexts with arguments of its own; the message is its AAD too."""
    key, iv = inputs.keys[which], inputs.ivs[which]
    message = Message(inputs.sizes, key, iv, inputs.text, inputs.text)
    places = lay(session, message, (FIRST, SECOND)[which])
    load_key(session, places, inputs.sizes)
    return places


Asking = Callable[[StreamSession, Inputs, Places, Places], None]


def _ask(trial: Trial, question: Asking) -> None:
    for inputs in all_inputs(trial):
        with trial.session() as session:
            question(session, inputs, _side(session, inputs, 0), _side(session, inputs, 1))


def _encrypt(session: StreamSession, sizes: SizeChoice, side: Places, at: int = 0) -> Processed:
    """Encrypt the 64 bytes after `at` blocks, and end the message."""
    source = shift(side.source, at * session.subject.block_bytes)
    session.crypt_bytes(ENCRYPT, side.ctx, source, side.to, TEXT_BYTES)
    session.finalize(side.ctx, side.mac)
    return outcome(session, side, sizes, TEXT_BYTES)


def _report(complaint: str, inputs: list[tuple[str, bytes]], results: list[tuple[str, bytes]],
            *, static: bool = False) -> str:  # fmt: skip
    values = "".join(data_line(label, value) for label, value in (*inputs, *results))
    return f"{HEADING}{complaint}{STATIC if static else ''}{values}\n"


def _unequal(one: Processed, other: Processed) -> tuple[str, bytes, bytes] | None:
    """Return the label (C or MAC) and values of what differs first."""
    if one.output.data != other.output.data:
        return "C", one.output.data, other.output.data
    if one.mac and other.mac and one.mac.data != other.mac.data:
        return "MAC", one.mac.data, other.mac.data
    return None


def _value(result: Processed, label: str) -> bytes:
    return result.mac.data if label == "MAC" and result.mac else result.output.data


def _repeats(session: StreamSession, inputs: Inputs, side: Places, _: Places) -> None:
    session.ivsetup(side.ctx, side.iv)
    once = _encrypt(session, inputs.sizes, side)
    session.ivsetup(side.ctx, side.iv)
    found = _unequal(once, _encrypt(session, inputs.sizes, side))
    if found:
        label, first, second = found
        shown = [("K", inputs.keys[0]), ("IV", inputs.ivs[0]), ("P", inputs.text[:TEXT_BYTES])]
        values = [(f"{label} after 1st IV setup", first), (f"{label} after 2nd IV setup", second)]
        text = "*** Two calls to ivsetup produced different results:\n"
        reason = "two calls of ivsetup with one IV produce different results"
        raise CheckFailed(reason, _report(text, shown, values))


@dataclass(frozen=True, slots=True)
class Wording:
    """How the original's report calls the message and the three results."""

    text: str
    part: slice
    foreign: str
    again: str
    mac_again: str

    def labels(self, kind: str) -> tuple[str, str, str]:
        """Return the labels of ciphertexts (C) or MACs."""
        if kind == "C":
            return "C by K1", self.foreign, self.again
        return "MAC by K1", "MAC by K2", self.mac_again


HEAD, TAIL = slice(TEXT_BYTES), slice(-TEXT_BYTES, None)
AFTER_SETUP = Wording("P", HEAD, "C by K2", "C by K1 after IV2 setup", "MAC by K1 after IV2 setup")
AFTER_CALLS = Wording(
    "(last part of) P", TAIL, "last part of C by K2", "C by K1 after calls K2",
    "MAC by K1 after K2 calls",
)  # fmt: skip
AFTER_AAD = Wording("AAD", HEAD, "", "", "MAC by K1 after K2 calls")


def _judge(
    wording: Wording, inputs: Inputs, first: Processed, other: Processed, again: Processed
) -> None:
    """Compare the first context's results without and with the other one in between."""
    found = _unequal(first, again)
    if not found:
        return
    kind, expected, actual = found
    foreign = _value(other, kind)
    shown = [("K1", inputs.keys[0]), ("K2", inputs.keys[1]), ("IV1", inputs.ivs[0])]
    shown += [("IV2", inputs.ivs[1]), (wording.text, inputs.text[wording.part])]
    values = list(zip(wording.labels(kind), (expected, foreign, actual), strict=True))
    complaint = "*** code produces inconsistent results when calls with different\n"
    complaint += "*** contexts are interleaved:\n"
    raise CheckFailed(
        "results change when calls with another context come in between",
        _report(complaint, shown, values, static=actual == foreign),
    )


def _contexts(session: StreamSession, inputs: Inputs, one: Places, two: Places) -> None:
    session.ivsetup(one.ctx, one.iv)
    first = _encrypt(session, inputs.sizes, one)
    session.ivsetup(two.ctx, two.iv)
    other = _encrypt(session, inputs.sizes, two)
    session.ivsetup(one.ctx, one.iv)
    session.ivsetup(two.ctx, two.iv)
    again = _encrypt(session, inputs.sizes, one)
    _judge(AFTER_SETUP, inputs, first, other, again)


def _blocks(session: StreamSession, inputs: Inputs, one: Places, two: Places) -> None:
    session.ivsetup(one.ctx, one.iv)
    first = _encrypt(session, inputs.sizes, one, at=1)
    session.ivsetup(two.ctx, two.iv)
    session.crypt_blocks(ENCRYPT, two.ctx, two.source, two.to, 1)
    other = _encrypt(session, inputs.sizes, two, at=1)
    session.ivsetup(one.ctx, one.iv)
    session.ivsetup(two.ctx, two.iv)
    session.crypt_blocks(ENCRYPT, two.ctx, two.source, two.to, 1)
    again = _encrypt(session, inputs.sizes, one, at=1)
    _judge(AFTER_CALLS, inputs, first, other, again)


def _authenticate(session: StreamSession, inputs: Inputs, side: Places) -> Processed:
    begin(session, side, TEXT_BYTES)
    session.finalize(side.ctx, side.mac)
    return outcome(session, side, inputs.sizes, 0)


def _aad(session: StreamSession, inputs: Inputs, one: Places, two: Places) -> None:
    first, other = (_authenticate(session, inputs, side) for side in (one, two))
    for order in ((one, two), (two, one)):
        session.ivsetup(one.ctx, one.iv)
        session.ivsetup(two.ctx, two.iv)
        for side in order:
            session.authenticate_bytes(side.ctx, side.aad, TEXT_BYTES)
        session.finalize(one.ctx, one.mac)
        again = outcome(session, one, inputs.sizes, 0)
        _judge(AFTER_AAD, inputs, first, other, again)


def ivsetup_repeats(trial: Trial) -> None:
    """Load one IV twice; what follows must be the same."""
    _ask(trial, _repeats)


def contexts_interleaved(trial: Trial) -> None:
    """Set up another context between set-up and use of the first."""
    _ask(trial, _contexts)


def blocks_interleaved(trial: Trial) -> None:
    """Encrypt a block with another context in between."""
    _ask(trial, _blocks)


def aad_interleaved(trial: Trial) -> None:
    """Authenticate data with two contexts by turns."""
    if "supports-aad" not in trial.subject.flags:
        if not trial.subject.authenticates:
            raise CheckInapplicable("the API has no associated data")
        raise CheckSkipped("the cipher takes no associated data (ECRYPT_SUPPORTS_AAD)")
    _ask(trial, _aad)


INTERLEAVING = (
    "A server keeps many connections open, each with its own context. State shared between "
    "contexts garbles all of them and repeats keystream."
)
MOVE_STATE = (
    "Move every variable that changes after ECRYPT_init into the context. Look for `static` "
    "variables and for variables outside functions."
)

CHECKS = (
    Check(
        name="state/ivsetup-repeats",
        asks="Does ivsetup with the same IV always give the same stream?",
        why=(
            "One key serves many messages. If ivsetup continues from the state that the last "
            "message left, only the first message under each key can be decrypted."
        ),
        cure=(
            "Keep the result of ECRYPT_keysetup in a part of the context that encryption does "
            "not change, and start ECRYPT_ivsetup from it."
        ),
        run=ivsetup_repeats,
        origin=Origin.ESTREAM,
    ),
    Check(
        name="state/contexts-interleaved",
        asks="Does setting up one context leave the others unchanged?",
        why=INTERLEAVING,
        cure=MOVE_STATE,
        run=contexts_interleaved,
        origin=Origin.ESTREAM,
    ),
    Check(
        name="state/blocks-interleaved",
        asks="Does encrypting with one context leave the others unchanged?",
        why=INTERLEAVING,
        cure=MOVE_STATE,
        run=blocks_interleaved,
        origin=Origin.ESTREAM,
    ),
    Check(
        name="state/aad-interleaved",
        asks="Does authenticating data with one context leave the MAC of another unchanged?",
        why=INTERLEAVING,
        cure=MOVE_STATE,
        run=aad_interleaved,
        origin=Origin.ESTREAM,
    ),
)
