# SPDX-License-Identifier: MIT
"""Whether contexts hold all state (the original's first checks).

Each question is asked with the original's keys and IVs, so that its reports can
be compared, and again with fresh random ones. It is a script: what is done with context 1 and
with context 2, in turn. `text`, `next` and `mac` end a message; the others are CALLS.
"""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from assay.check.answers.vector_text import data_line
from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckFailed, Origin
from assay.check.seal.mac import require_data
from assay.check.stream.routines import CipherMessage, mac_bytes
from assay.check.stream.trial import Trial
from assay.check.uses import called
from assay.execute.agent import PendingAnswer
from assay.model.wire import StreamFunction

TEXT_BYTES = 64
CALLS = {
    "iv": called(StreamFunction.IVSETUP, {}),
    "block": called(StreamFunction.ENCRYPT_BLOCKS, {"blocks": 1}),
    "aad": called(StreamFunction.AUTHENTICATE_BYTES, {"bytes": TEXT_BYTES}),
}
ENDS = {"text": 0, "next": 1, "mac": None}  # so many blocks before the last 64 bytes, if any
HEADING = "*** ERROR: Code does not conform to ECRYPT API:\n"
STATIC = "*** (this is probably due to the use of static state variables)\n"


Messages = tuple[CipherMessage, CipherMessage]


class Processed(Struct, frozen=True):
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


def ask(trial: Trial, script: str, judge: Callable[[Messages, list[Processed]], None]) -> None:
    """Perform a script with the messages of all sizes, and judge what comes out."""
    for messages in _messages(trial):
        with trial.session() as session:
            arenas = Arena(session), Arena(session, base=SECOND_BASE)
            for arena, message in zip(arenas, messages, strict=True):
                arena.prepare(message.by("encrypt_packet"))
            results = []
            for part in script.split(", "):
                which, *words = part.split()
                arena, message = arenas[int(which) - 1], messages[int(which) - 1]
                for word in words:
                    if word in CALLS:
                        arena.go((CALLS[word],))
                    else:
                        results.append(_ended(arena, message, ENDS[word]))
            judge(messages, results)


def _ended(arena: Arena, message: CipherMessage, blocks: int | None) -> Processed:
    """Encrypt the 64 bytes after so many blocks, or none; end the message."""
    if blocks is not None:
        at = {"input": blocks * message.unit}
        arena.go((called(StreamFunction.ENCRYPT_BYTES, {"bytes": TEXT_BYTES}, at),))
    mac = None
    if message.subject.authenticates:
        arena.go((called(StreamFunction.FINALIZE, {}),))
        mac = arena.get("MAC", mac_bytes(message.sizes))
    return Processed(arena.get("output", 0 if blocks is None else TEXT_BYTES), mac)


def _messages(trial: Trial) -> Iterator[Messages]:
    """Yield the original's inputs, and random ones; a text is its associated data, too."""
    for sizes in trial.wide_sizes:
        key, iv = (sizes.key_bits + 7) // 8, (sizes.iv_bits + 7) // 8
        length = TEXT_BYTES + trial.unit
        originals = (_filled(key, 3, 5), _filled(key, -5, 240))
        for keys, ivs, text in (
            (originals, (_filled(iv, 9, 25), _filled(iv, 11, 17)), bytes(length)),
            (map(trial.bytes, (key, key)), map(trial.bytes, (iv, iv)), trial.bytes(length)),
        ):
            one, two = (
                CipherMessage(trial.subject, sizes, *loaded, text, text)
                for loaded in zip(keys, ivs, strict=True)
            )
            yield one, two


def _filled(length: int, factor: int, start: int) -> bytes:
    return bytes((factor * i + start) & 0xFF for i in range(length))


def _report(complaint: str, inputs: list[tuple[str, bytes]], results: list[tuple[str, bytes]],
            *, static: bool = False) -> str:  # fmt: skip
    values = "".join(data_line(label, value) for label, value in (*inputs, *results))
    return f"{HEADING}{complaint}{STATIC if static else ''}{values}\n"


def _repeat(messages: Messages, results: list[Processed]) -> None:
    """Compare what came after two set-ups."""
    (message, _), (once, again) = messages, results
    if label := once.differs(again):
        shown = [("K", message.key), ("IV", message.iv), ("P", message.text[:TEXT_BYTES])]
        values = [
            (f"{label} after 1st IV setup", once.value(label)),
            (f"{label} after 2nd IV setup", again.value(label)),
        ]
        text = "*** Two calls to ivsetup produced different results:\n"
        reason = "two calls of ivsetup with one IV produce different results"
        raise CheckFailed(reason, _report(text, shown, values))


class Wording(Struct, frozen=True):
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


def _unmoved(wording: Wording, messages: Messages, results: list[Processed]) -> None:
    """Compare the first context's results without and with the other one in between."""
    first, other, *more = results
    (one, two), again = messages, next((each for each in more if first.differs(each)), None)
    if again is None:
        return
    kind = first.differs(again)
    expected, foreign, actual = (each.value(kind) for each in (first, other, again))
    shown = [("K1", one.key), ("K2", two.key), ("IV1", one.iv), ("IV2", two.iv)]
    shown += [(wording.text, one.text[wording.part])]
    values = list(zip(wording.labels(kind), (expected, foreign, actual), strict=True))
    complaint = "*** code produces inconsistent results when calls with different\n"
    complaint += "*** contexts are interleaved:\n"
    raise CheckFailed(
        "results change when calls with another context come in between",
        _report(complaint, shown, values, static=actual == foreign),
    )


def aad_interleaved(trial: Trial) -> None:
    """Authenticate data with two contexts by turns."""
    require_data(trial)
    alone, begun = "1 iv aad mac, 2 iv aad mac", "1 iv, 2 iv"
    script = f"{alone}, {begun}, 1 aad, 2 aad, 1 mac, {begun}, 2 aad, 1 aad mac"
    ask(trial, script, partial(_unmoved, AFTER_AAD))


def _interleaved(name: str, asks: str, run: Callable[[Trial], None]) -> Check[Trial]:
    """Return a check of whether what is done with one context changes another."""
    return Check(
        name=name,
        asks=asks,
        why=(
            "A server keeps many connections open, each with its own context. State shared "
            "between contexts garbles all of them and repeats keystream."
        ),
        cure=(
            "Move every variable that changes after ECRYPT_init into the context. Look for "
            "`static` variables and for variables outside functions."
        ),
        run=run,
        origin=Origin.ESTREAM,
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
        run=partial(ask, script="1 iv text, 1 iv text", judge=_repeat),
        origin=Origin.ESTREAM,
    ),
    _interleaved(
        "state/contexts-interleaved",
        "Does setting up one context leave the others unchanged?",
        partial(
            ask,
            script="1 iv text, 2 iv text, 1 iv, 2 iv, 1 text",
            judge=partial(_unmoved, AFTER_SETUP),
        ),
    ),
    _interleaved(
        "state/blocks-interleaved",
        "Does encrypting with one context leave the others unchanged?",
        partial(
            ask,
            script="1 iv next, 2 iv block next, 1 iv, 2 iv block, 1 next",
            judge=partial(_unmoved, AFTER_CALLS),
        ),
    ),
    _interleaved(
        "state/aad-interleaved",
        "Does authenticating data with one context leave the MAC of another unchanged?",
        aad_interleaved,
    ),
)
