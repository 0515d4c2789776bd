# SPDX-License-Identifier: MIT
"""Judges what an agent answered to a chunk, call by call, and finds what to hash.

Everything is compared with what was written, or with what was read before: nothing is
believed. The first finding of each question is kept.
"""

from array import array

from msgspec import Struct

from assay.check.supercop.plans import FILLING, MARGIN, RESULT_BYTES, CallPlan, Look, ScriptPart
from assay.check.supercop.program import Chunk, LoopCall
from assay.check.supercop.salsa20 import Numbers
from assay.check.supercop.settings import Asked, ProgramSettings
from assay.check.supercop.stencil import swapped

SHOWN_BYTES = 48


class WrongBehaviour(Struct, frozen=True):
    """What is wrong, in one sentence, and what was seen."""

    reason: str
    evidence: str = ""


class Judge:
    """Judges the chunks of one run, in order."""

    def __init__(self, settings: ProgramSettings) -> None:
        """Know nothing yet."""
        self.settings = settings
        self.findings: dict[str, WrongBehaviour] = {}  # the first one of each question
        self.complaints = 0  # also those that are not kept
        self._offsets, self._sizes = array("Q"), array("Q")
        self._known: dict[str, bytes] = {}
        self._actual: dict[str, int] = {}

    def judge(self, chunk: Chunk, answer: bytes) -> tuple[Numbers, Numbers]:
        """Compare an answer; give offsets and lengths of what is hashed, in order."""
        self._offsets, self._sizes = array("Q"), array("Q")
        loop = -1
        for unit in chunk.units:
            if unit.loop != loop:
                self._known, self._actual, loop = {}, {}, unit.loop
            Case(self, unit, chunk.payload, answer).judge()
        return self._offsets, self._sizes

    def hash(self, at: int, length: int) -> None:
        """Note what goes into the checksum next."""
        self._offsets.append(at)
        self._sizes.append(length)


class Case:
    """One call of one loop."""

    def __init__(self, judge: Judge, unit: LoopCall, payload: bytearray, answer: bytes) -> None:
        """Look at a unit's part of an answer."""
        self._judge = judge
        self._unit = unit
        self._plan: CallPlan = unit.plan
        self._answer = answer
        self._known, self._actual = judge._known, judge._actual  # noqa: SLF001 - one loop's
        base = unit.image_at - self._plan.image[0]
        for name in self._plan.fresh:
            start = base + self._plan.places[name]
            end = start + unit.lengths[name] + MARGIN
            self._known[name] = bytes(payload[start - MARGIN : end])

    def judge(self) -> None:
        """Compare all parts, up to the first one of which something is wrong."""
        first, *others = self._plan.parts
        at = self._unit.answer_at
        complaints = self._judge.complaints
        self._first(first, at)
        at += first.answer_bytes
        for part in others:
            if self._judge.complaints == complaints:
                self._other(part, at)
            at += part.answer_bytes
        if self._plan.forged:
            self._forged(self._plan.forged, at)

    # ------------------------------------------------------------ what was read

    def _result(self, at: int) -> int:
        return int.from_bytes(self._answer[at : at + RESULT_BYTES], "little", signed=True)

    def _numbers(self, part: ScriptPart, at: int) -> dict[str, int]:
        places = range(at + RESULT_BYTES, at + part.answer_bytes + 1, RESULT_BYTES)
        return {
            name: int.from_bytes(self._answer[place : place + RESULT_BYTES], "little")
            for name, place in zip(part.numbers, places, strict=False)
        }

    def _bytes(self, look: Look, at: int) -> bytes:
        return self._answer[at + look.at : at + look.at + look.length]

    def _content(self, name: str) -> bytes:
        """Return a variable's bytes as they were read or written last, without margins."""
        known = self._known[name]
        return known[MARGIN : MARGIN + self._length(name)]

    def _length(self, name: str) -> int:
        """Return a variable's length: what a call said, but no more than its room."""
        length = self._unit.lengths[name]
        return min(self._actual.get(name, length), length)

    def _expected(self) -> int:
        divisor = self._judge.settings.constant(self._judge.settings.task.returned)
        return self._unit.lengths["m"] % divisor if divisor else 0

    # ------------------------------------------------------------ the questions

    def _first(self, part: ScriptPart, at: int) -> None:
        """Judge the first call: what it returned, wrote, and left alone."""
        result, expected = self._result(at), self._expected()
        if result != expected:
            self._complain(Asked.RETURNS, f"returns {result}, not {expected}")
        before = {look.name: self._known[look.name] for look in part.outputs}
        for name, length in self._numbers(part, at).items():
            self._actual[name] = length
            self._check_length(name, length)
        for look in part.outputs:
            self._known[look.name] = self._bytes(look, at)
            self._check_margins(look.name, before[look.name])
            self._judge.hash(at + look.at + MARGIN, self._length(look.name))
        for look in part.inputs:
            if self._bytes(look, at) != self._known[look.name]:
                evidence = _difference(self._known[look.name], self._bytes(look, at), MARGIN)
                self._complain(
                    Asked.INPUTS, (f"changes its input {look.name} or bytes around it"), evidence
                )
        self._relations()

    def _check_length(self, name: str, length: int) -> None:
        """Compare a length that was written with what it must be."""
        lengths, most = self._unit.lengths, self._plan.content[name]
        if most != lengths[name] or self._opens(name):
            if length != most:
                self._complain(Asked.LENGTHS, f"gives {length} bytes where {most} were put in")
        elif length < lengths["m"]:
            self._complain(Asked.LENGTHS, f"gives {length} bytes, less than the message has")
        elif length > most:
            extra = length - lengths["m"]
            self._complain(
                Asked.LENGTHS, f"adds {extra} bytes; api.h says at most {most - lengths['m']}"
            )

    def _opens(self, name: str) -> bool:
        return any(one == name for one, _, _ in self._plan.call.equal)

    def _check_margins(self, name: str, before: bytes) -> None:
        """See that nothing changed before an output, nor behind what it may contain.

        What a call leaves of its room (a shorter signature) must stay as it was for 16
        bytes; an opened message may use as much room as what was opened.
        """
        after, room = self._known[name], self._unit.lengths[name]
        used = self._length("c") if self._opens(name) and "c" in self._actual else room
        used = used if self._opens(name) else self._length(name)
        for start in (0, MARGIN + used, MARGIN + room):
            if before[start : start + MARGIN] != after[start : start + MARGIN]:
                where = "before" if start == 0 else "behind"
                evidence = _difference(
                    before[start : start + MARGIN], after[start : start + MARGIN],
                    MARGIN if start == 0 else MARGIN - start,
                )  # fmt: skip
                self._complain(Asked.MARGINS, f"writes {where} its output {name}", evidence)

    def _relations(self) -> None:
        """Judge what must be equal or clear after the first call."""
        call = self._plan.call
        for one, other, question in call.equal:
            if self._content(one) != self._content(other):
                evidence = _difference(self._content(other), self._content(one))
                self._complain(question, f"gives {one} different from {other}", evidence)
        if call.cleared:
            clear = self._judge.settings.constant("BOXZEROBYTES")
            if any(self._content(call.cleared)[:clear]):
                self._complain(Asked.CONSISTENT, f"does not clear the first {clear} bytes")
        if call.xor:
            stream, message, both = (int.from_bytes(self._content(name)) for name in call.xor)
            if stream ^ message != both:
                self._complain(Asked.CONSISTENT, "differs from adding the stream to the message")

    def _other(self, part: ScriptPart, at: int) -> None:
        """Judge a further call: it must return and give the same as the first."""
        result = self._result(at)
        if result != self._expected():
            self._complain(part.question, f"{part.what} returns {result}")
        for name, length in self._numbers(part, at).items():
            if length != self._actual[name]:
                self._complain(
                    part.question, f"{part.what} gives {length} bytes, not {self._actual[name]}"
                )
        for look in part.outputs:
            expected = self._content(look.name)[: look.length]
            got = self._bytes(look, at)[: len(expected)]
            if got != expected:
                self._differs(part, look, expected, got)

    def _differs(self, part: ScriptPart, look: Look, expected: bytes, got: bytes) -> None:
        wrong = [at for at, one in enumerate(got) if one != expected[at]]
        if part.question == Asked.DETERMINISTIC and all(got[at] == FILLING for at in wrong):
            reason = f"leaves bytes of its output {look.name} as they were"
        elif part.question == Asked.OVERLAP:
            reason = f"{part.what} gives something else"
        else:
            reason = f"{part.what} gives another {look.name}"
        self._complain(part.question, reason, _difference(expected, got))

    def _forged(self, part: ScriptPart, at: int) -> None:
        """Judge what damaged inputs give; a message that is opened must be the honest one."""
        forged = self._plan.call.forged
        damaged = bytearray(self._content(forged))
        for position, value in self._unit.modifications:
            if damaged:
                place = position % len(damaged)
                damaged[place] = (damaged[place] + value) & 0xFF
            accepted = self._result(at) == 0
            if part.inputs:
                self._damaged_key(part, at, bytes(damaged), accepted=accepted)
            elif accepted and self._is_forgery(part, at, bytes(damaged)):
                self._complain(Asked.FORGERIES, f"{part.what} accepts")
            at += part.answer_bytes

    def _damaged_key(self, part: ScriptPart, at: int, damaged: bytes, *, accepted: bool) -> None:
        """Hash what decapsulation gave, or the ciphertext that it refused."""
        (look,) = part.inputs
        if self._bytes(look, at) != damaged:
            self._complain(Asked.INPUTS, f"{part.what} changes its input {look.name}")
        chosen = part.outputs[0] if accepted else look
        self._judge.hash(at + chosen.at, chosen.length)

    def _is_forgery(self, part: ScriptPart, at: int, damaged: bytes) -> bool:
        """Return whether what was accepted is not what was honestly made."""
        if not part.outputs:
            return damaged != self._content(self._plan.call.forged)
        if any(length != self._unit.lengths["m"] for length in self._numbers(part, at).values()):
            return True
        return any(self._bytes(one, at) != self._content(one.name) for one in part.outputs)

    def _complain(self, question: str, what: str, evidence: str = "") -> None:
        """Note a finding with where it was."""
        self._judge.complaints += 1
        unit, call = self._unit, self._plan.call
        lengths = ", ".join(f"{name} {size}" for name, size in unit.lengths.items())
        name = self._judge.settings.operation + call.suffix
        where = f"loop {unit.loop}; bytes: {lengths}"
        found = WrongBehaviour(f"{name} {what}", f"{where}\n{evidence}".strip())
        self._judge.findings.setdefault(question, found)


def _difference(expected: bytes, got: bytes, before: int = 0) -> str:
    """Show where two strings differ first; `before` bytes are in front of what is counted."""
    pairs = zip(expected, got, strict=False)
    first = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
    if first is None:
        return f"expected {len(expected)} bytes, got {len(got)}"
    count = sum(one != other for one, other in zip(expected, got, strict=False))
    end = first + SHOWN_BYTES
    return (
        f"{count} bytes differ, the first is byte {first - before}\n"
        f"expected {expected[first:end].hex()}\nactual   {got[first:end].hex()}"
    )


def readable(settings: ProgramSettings, chunk: Chunk, answer: bytes) -> bytes:
    """Return an answer as a little-endian machine would have given it."""
    if not settings.swapped or not settings.task.items:
        return answer
    turned = bytearray(answer)
    for unit in chunk.units:
        for look in unit.plan.parts[0].outputs:
            item = settings.item(look.name)
            start = unit.answer_at + look.at + MARGIN
            end = start + look.length - 2 * MARGIN
            turned[start:end] = swapped(item, answer[start:end])
    return bytes(turned)
