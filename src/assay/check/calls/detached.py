# SPDX-License-Identifier: MIT
"""Signatures apart from their messages: they agree with signed messages.

A changed signature must be refused where the signed message with it is refused: not every scheme
excludes other signatures of a message. Another length is none of a signature.
"""

from collections.abc import Iterator

from msgspec import Struct

from assay.check.check import CheckFailed, CheckFinding
from assay.check.lengths.far import far
from assay.check.operation.calling import Caller
from assay.check.routine import flipped

SECONDS = 4.0
LENGTHS = (33, 0, 1, 100, 1000, 5000)  # the first one shows where a signature stands
CHANGED_BYTES = 6
CONTEXTS = (b"", b"context", bytes(range(255)))
SEED_BYTES = 32
Given = dict[str, bytes]


def signatures(call: Caller) -> str:
    """Sign and verify messages of some lengths, as long as there is time."""
    pair, other = (_key_pair(call) for _ in range(2))
    signer, budget = Signer(call, *pair, other[0]), call.trial.budget(SECONDS)
    for length in budget.each(call.session, (*LENGTHS, *far(call.trial))):
        signer.examine(call.trial.bytes(length))
    return budget.remark("messages")


def _key_pair(call: Caller) -> tuple[bytes, bytes]:
    made = call("_keypair", {}, call.room("pk", "sk"), seed=call.trial.bytes(SEED_BYTES))
    return made.outputs["pk"], made.outputs["sk"]


class Signer(Struct):
    """A key pair, and another public key.

    `in_front` is whether a signed message is a signature and the message; None if unknown.
    """

    call: Caller
    pk: bytes
    sk: bytes
    other_key: bytes
    in_front: bool | None = None

    def examine(self, m: bytes) -> None:
        """Sign a message in all ways, and verify what came out."""
        signature = self._signed(m)
        if signature is not None and self.call.has("_verify"):
            given = {"sig": signature, "m": m, "pk": self.pk}
            self._verified("_verify", given)
            self._altered(given)
        for context in CONTEXTS if m else ():
            self._with_context(m, context)

    def _signed(self, m: bytes) -> bytes | None:
        """Return a signature of a message; None if none can be had apart."""
        call, most = self.call, self.call.constant("BYTES")
        given, seed = {"m": m, "sk": self.sk}, call.trial.bytes(SEED_BYTES)
        attached = call("", given, {"sm": len(m) + most}, seed=seed)
        sm = attached.measured("sm")
        if self.in_front is None:
            self.in_front = sm.endswith(m)
        front = sm[: len(sm) - len(m)] if self.in_front else None
        if not call.has("_signature"):
            return front
        apart = call("_signature", given, {"sig": most}, seed=seed)
        self._require_made("_signature", apart.result, apart.length, most)
        signature = apart.measured("sig")
        if front is not None and apart.drawn == attached.drawn and signature != front:
            about = f"m = {m[:64].hex().upper()}\n"
            raise CheckFailed(
                f"{call.name('_signature')} gives another signature than {call.name('')} for a "
                f"message of {len(m)} bytes with the same random bytes: "
                f"{len(signature)} bytes, and {len(front)}",
                f"{about}{call.name('')}: {front[:64].hex().upper()}\n"
                f"{call.name('_signature')}: {signature[:64].hex().upper()}\n",
            )
        return signature

    def _require_made(self, suffix: str, result: int, length: int, most: int) -> None:
        name = self.call.name(suffix)
        if result != 0:
            raise CheckFailed(f"{name} returns {result}, not 0")
        if not 0 < length <= most:
            raise CheckFailed(
                f"{name} writes a length of {length}, where 1 to {most} are possible"
            )

    def _verified(self, suffix: str, given: Given) -> None:
        """Verify what is right, and refuse another message, key and length of the signature."""
        name, about = self.call.name(suffix), f"of a message of {len(given['m'])} bytes"
        if (result := self.call(suffix, given).result) != 0:
            raise CheckFailed(f"{name} returns {result} for a right signature {about}, not 0")
        for what, changed in _wrong(given, self.other_key):
            if self.call(suffix, changed).result == 0:
                raise CheckFailed(f"{name} accepts {what} (a message of {len(given['m'])} bytes)")

    def _altered(self, given: Given) -> None:
        """Change bytes of a signature: it is refused where the signed message is."""
        if not self.in_front:
            return
        sig = given["sig"]
        places = {0, len(sig) - 1, *(self._any(len(sig)) for _ in range(CHANGED_BYTES))}
        for at in sorted(places):
            changed = flipped(sig, at, 1 << self._any(8))
            sm = changed + given["m"]
            opened = self.call("_open", {"sm": sm, "pk": self.pk}, {"m": len(sm)}).result == 0
            if opened != (self.call("_verify", {**given, "sig": changed}).result == 0):
                verb, other = ("accepts", "refuses") if opened else ("refuses", "accepts")
                raise CheckFailed(
                    f"{self.call.name('_open')} {verb} a signature with byte {at} changed, and "
                    f"{self.call.name('_verify')} {other} it"
                )

    def _any(self, below: int) -> int:
        return self.call.trial.random.randrange(below)

    def _with_context(self, m: bytes, context: bytes) -> None:
        """Sign with a context, and verify with it and with another."""
        call, given = self.call, {"m": m, "ctx": context}
        if call.has("_signature_ctx") and call.has("_verify_ctx"):
            most = call.constant("BYTES")
            made = call("_signature_ctx", {**given, "sk": self.sk}, {"sig": most})
            self._require_made("_signature_ctx", made.result, made.length, most)
            signed = {**given, "sig": made.measured("sig"), "pk": self.pk}
            self._verified("_verify_ctx", signed)
            self._without_context(signed)
            self._with_long_context(m)
        if call.has("_ctx") and call.has("_open_ctx"):
            room = {"sm": len(m) + call.constant("BYTES")}
            sm = call("_ctx", {**given, "sk": self.sk}, room).measured("sm")
            self._opened({"ctx": context, "sm": sm, "pk": self.pk}, m)

    def _with_long_context(self, m: bytes) -> None:
        """Sign with more than a byte counts, which may be refused: it is no empty context."""
        room, given = {"sig": self.call.constant("BYTES")}, {"m": m, "ctx": bytes(256)}
        made = self.call("_signature_ctx", {**given, "sk": self.sk}, room)
        empty = {"m": m, "ctx": b"", "sig": made.measured("sig"), "pk": self.pk}
        if made.result == 0 and self.call("_verify_ctx", empty).result == 0:
            name = self.call.name("_verify_ctx")
            raise CheckFailed(f"{name} takes a context of 256 bytes for an empty one")

    def _without_context(self, signed: Given) -> None:
        """Verify without a context what was signed with an empty one."""
        if not self.call.has("_verify") or signed["ctx"]:
            return
        if self.call("_verify", {name: signed[name] for name in ("sig", "m", "pk")}).result != 0:
            raise CheckFinding(
                f"{self.call.name('_verify')} refuses what {self.call.name('_signature_ctx')} "
                "signs with an empty context: FIPS 204 and 205 take them for the same"
            )

    def _opened(self, given: Given, m: bytes) -> None:
        name, room = self.call.name("_open_ctx"), {"m": len(given["sm"])}
        opened = self.call("_open_ctx", given, room)
        if (opened.result, opened.measured("m")) != (0, m):
            raise CheckFailed(f"{name} does not recover a message of {len(m)} bytes")
        if self.call("_open_ctx", {**given, "ctx": _other(given["ctx"])}, room).result == 0:
            raise CheckFailed(f"{name} accepts another context")


def _wrong(given: Given, other_key: bytes) -> Iterator[tuple[str, Given]]:
    """Yield what must be refused, with its name."""
    sig, m, size = given["sig"], given["m"], len(given["sig"])
    if m:
        yield "the signature of another message", {**given, "m": flipped(m, 0)}
    yield "the signature of a shorter message", {**given, "m": m + b"\0"}
    yield "the signature of another key", {**given, "pk": other_key}
    for other in (b"", sig[:-1], sig + b"\0"):
        yield f"a signature of {len(other)} bytes instead of {size}", {**given, "sig": other}
    if "ctx" in given:
        yield "the signature with another context", {**given, "ctx": _other(given["ctx"])}


def _other(context: bytes) -> bytes:
    return context[:-1] if context else b"x"
