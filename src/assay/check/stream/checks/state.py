# SPDX-License-Identifier: MIT
"""Whether contexts hold all state (the original's first checks).

Each question is asked with the original's keys and IVs, so that its reports can
be compared, and again with fresh random ones.
"""

from collections.abc import Callable
from dataclasses import dataclass

from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckFailed, Origin
from assay.check.session import StreamSession
from assay.check.stream.checks.aad import require_data
from assay.check.stream.routines import CipherMessage
from assay.check.stream.sizes import mac_bytes
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.text import data_line
from assay.check.uses import called
from assay.execute.agent import PendingAnswer
from assay.model.wire import StreamFunction

TEXT_BYTES = 64
BASES = (0, SECOND_BASE)
HEADING = "*** ERROR: Code does not conform to ECRYPT API:\n"
STATIC = "*** (this is probably due to the use of static state variables)\n"


@dataclass(frozen=True, slots=True)
class Inputs:
    """Two keys and IVs, and one message for both, which is their associated data, too."""

    keys: tuple[bytes, bytes]
    ivs: tuple[bytes, bytes]
    text: bytes


@dataclass(frozen=True, slots=True)
class OneContext:
    """One of two contexts, with arguments of its own."""

    arena: Arena
    message: CipherMessage

    @classmethod
    def begun(cls, session: StreamSession, message: CipherMessage, base: int) -> "OneContext":
        """Lay out everything, and load the key."""
        arena = Arena(session, base=base)
        arena.prepare(message.by("encrypt_packet"))
        return cls(arena, message)

    def ivsetup(self) -> None:
        """Load the IV."""
        self._call(StreamFunction.IVSETUP)

    def block(self) -> None:
        """Encrypt a block."""
        self._call(StreamFunction.ENCRYPT_BLOCKS, blocks=1)

    def authenticate(self) -> None:
        """Take in data."""
        self._call(StreamFunction.AUTHENTICATE_BYTES, bytes=TEXT_BYTES)

    def encrypted(self, at: int = 0) -> "Processed":
        """Encrypt the 64 bytes after `at` blocks, and end the message."""
        begin = at * self.message.subject.block_bytes
        self._call(StreamFunction.ENCRYPT_BYTES, begin, bytes=TEXT_BYTES)
        return self.ended(TEXT_BYTES)

    def authenticated(self) -> "Processed":
        """Have the MAC of data alone."""
        self.ivsetup()
        self.authenticate()
        return self.ended()

    def ended(self, length: int = 0) -> "Processed":
        """End the message; ask for so much output, and the MAC."""
        message, mac = self.message, None
        if message.subject.authenticates:
            self._call(StreamFunction.FINALIZE)
            mac = self.arena.get("MAC", mac_bytes(message.sizes))
        return Processed(self.arena.get("output", length), mac)

    def _call(self, function: StreamFunction, begin: int = 0, **numbers: int) -> None:
        self.arena.go((called(function, numbers, {"input": begin}),))


@dataclass(frozen=True, slots=True)
class Processed:
    """What became of a message; there may be no MAC."""

    output: PendingAnswer
    mac: PendingAnswer | None

    def differs(self, other: "Processed") -> str:
        """Return the label (C or MAC) of what differs first; nothing if all is the same."""
        if self.output.data != other.output.data:
            return "C"
        return "MAC" if self.value("MAC") != other.value("MAC") else ""

    def value(self, label: str) -> bytes:
        """Return what a label stands for."""
        if label == "C":
            return self.output.data
        return self.mac.data if self.mac else b""


def _filled(length: int, factor: int, start: int) -> bytes:
    return bytes((factor * i + start) & 0xFF for i in range(length))


def _ask(trial: Trial, question: Callable[[Inputs, OneContext, OneContext], None]) -> None:
    """Ask a question, for all sizes, of the original's inputs, and of random ones."""
    for sizes in trial.wide_sizes:
        k, n = (sizes.key_bits + 7) // 8, (sizes.iv_bits + 7) // 8
        length = TEXT_BYTES + trial.subject.block_bytes
        for inputs in (
            Inputs(
                (_filled(k, 3, 5), _filled(k, -5, 240)),
                (_filled(n, 9, 25), _filled(n, 11, 17)),
                bytes(length),
            ),
            Inputs(
                (trial.bytes(k), trial.bytes(k)),
                (trial.bytes(n), trial.bytes(n)),
                trial.bytes(length),
            ),
        ):
            texts = (inputs.text, inputs.text)
            with trial.session() as session:
                one, two = (
                    OneContext.begun(
                        session, CipherMessage(trial.subject, sizes, key, iv, *texts), base
                    )
                    for key, iv, base in zip(inputs.keys, inputs.ivs, BASES, strict=True)
                )
                question(inputs, one, two)


def _report(complaint: str, inputs: list[tuple[str, bytes]], results: list[tuple[str, bytes]],
            *, static: bool = False) -> str:  # fmt: skip
    values = "".join(data_line(label, value) for label, value in (*inputs, *results))
    return f"{HEADING}{complaint}{STATIC if static else ''}{values}\n"


def _repeats(inputs: Inputs, side: OneContext, _: OneContext) -> None:
    side.ivsetup()
    once = side.encrypted()
    side.ivsetup()
    again = side.encrypted()
    if label := once.differs(again):
        shown = [("K", inputs.keys[0]), ("IV", inputs.ivs[0]), ("P", inputs.text[:TEXT_BYTES])]
        values = [
            (f"{label} after 1st IV setup", once.value(label)),
            (f"{label} after 2nd IV setup", again.value(label)),
        ]
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
    kind = first.differs(again)
    if not kind:
        return
    expected, foreign, actual = (one.value(kind) for one in (first, other, again))
    shown = [("K1", inputs.keys[0]), ("K2", inputs.keys[1]), ("IV1", inputs.ivs[0])]
    shown += [("IV2", inputs.ivs[1]), (wording.text, inputs.text[wording.part])]
    values = list(zip(wording.labels(kind), (expected, foreign, actual), strict=True))
    complaint = "*** code produces inconsistent results when calls with different\n"
    complaint += "*** contexts are interleaved:\n"
    raise CheckFailed(
        "results change when calls with another context come in between",
        _report(complaint, shown, values, static=actual == foreign),
    )


def _contexts(inputs: Inputs, one: OneContext, two: OneContext) -> None:
    one.ivsetup()
    first = one.encrypted()
    two.ivsetup()
    other = two.encrypted()
    one.ivsetup()
    two.ivsetup()
    _judge(AFTER_SETUP, inputs, first, other, one.encrypted())


def _blocks(inputs: Inputs, one: OneContext, two: OneContext) -> None:
    one.ivsetup()
    first = one.encrypted(at=1)
    two.ivsetup()
    two.block()
    other = two.encrypted(at=1)
    one.ivsetup()
    two.ivsetup()
    two.block()
    _judge(AFTER_CALLS, inputs, first, other, one.encrypted(at=1))


def _aad(inputs: Inputs, one: OneContext, two: OneContext) -> None:
    first, other = (side.authenticated() for side in (one, two))
    for order in ((one, two), (two, one)):
        one.ivsetup()
        two.ivsetup()
        for side in order:
            side.authenticate()
        _judge(AFTER_AAD, inputs, first, other, one.ended())


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
    require_data(trial)
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
