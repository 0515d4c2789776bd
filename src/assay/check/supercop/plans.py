# SPDX-License-Identifier: MIT
"""The script of one call and what surrounds it, for given lengths, and where its answers are.

All variables stand in one buffer, each one byte off a multiple of 64, with 16 random
bytes before and behind it. A second buffer, filled with one value, takes copies for the
second call and for outputs that stand where an input is.
"""

import functools
from collections.abc import Mapping

from msgspec import Struct

from assay.check.operation.script import Argument, Number, Script
from assay.check.supercop.settings import Asked, ProgramSettings
from assay.execute.places import Buffer, BufferPlace, Register
from assay.model.api import Way
from assay.model.operations import OPERATIONS
from assay.model.tested import TestCall

MARGIN = 16
ALIGNMENT = 64
FILLING = 0xA5
RESULT_BYTES = 8
FIRST, SECOND = Buffer(0, 0, "first place"), Buffer(1, 0, "second place")


class VariableLayout(Struct, frozen=True):
    """Offsets of all variables in both buffers, and the buffers' sizes."""

    first: Mapping[str, int]
    second: Mapping[str, int]
    sizes: tuple[int, int]


class Look(Struct, frozen=True):
    """Bytes of an answer: a variable's (with margins or without), from `at` on."""

    name: str
    at: int
    length: int


class ScriptPart(Struct, frozen=True):
    """A part of a script that answers one question: one call and what is read after it.

    `numbers` are lengths that the call wrote. Offsets count from the part's answer.
    """

    question: str
    what: str
    payload: bytes
    answer_bytes: int
    numbers: tuple[str, ...]
    outputs: tuple[Look, ...]
    inputs: tuple[Look, ...] = ()
    steps: int = 0


class CallPlan(Struct, frozen=True):
    """A call: what is prepared in the first place, and the parts of its script.

    `forged` is the part after each modification of `forged_at` (modulus `forged_length`).
    `content` is the length of every output that is looked at, `places` has the offsets
    in the first place.
    """

    call: TestCall
    fresh: tuple[str, ...]
    image: tuple[int, int]
    parts: tuple[ScriptPart, ...]
    forged: ScriptPart | None
    forged_at: BufferPlace
    forged_length: Number
    content: Mapping[str, int]
    steps: int
    places: Mapping[str, int]


@functools.cache
def order(operation: str, index: int) -> tuple[str, ...]:
    """Return what call `index` prepares, in order: outputs, inputs not yet known, changed ones."""
    task = OPERATIONS[operation].tests
    known: set[str] = set()
    for call in task.calls[:index]:
        known.update(call.names)
    call = task.calls[index]
    inputs = [*call.read, *call.changed]
    named = [*inputs, *call.written] if task.inputs_first else [*call.written, *inputs]
    return tuple(name for name in named if name in call.written or name not in known)


def lay_out(settings: ProgramSettings, lengths: Mapping[str, int]) -> VariableLayout:
    """Return every variable a place, in the order of preparation."""
    names: dict[str, None] = {}
    spare = 0
    for index, call in enumerate(settings.task.calls):
        names.update(dict.fromkeys(order(settings.operation, index)))
        if settings.overlap(call):
            spare = max([spare, *(lengths[one] for one in call.written)])
    places: list[dict[str, int]] = [{}, {}]
    ends = [0, 0]
    for name in names:
        shift = settings.item(name) if settings.shift else 0
        for number, length in enumerate((lengths[name], max(lengths[name], spare))):
            start = -(-(ends[number] + 2 * MARGIN) // ALIGNMENT) * ALIGNMENT
            places[number][name] = start + shift
            ends[number] = start + shift + length
    return VariableLayout(places[0], places[1], (ends[0] + MARGIN, ends[1] + MARGIN))


class Planner:
    """Makes the plans of one loop: one set of lengths."""

    def __init__(self, settings: ProgramSettings, lengths: Mapping[str, int]) -> None:
        """Lay the variables out."""
        self._settings = settings
        self._task = settings.task
        self._lengths = lengths
        self.layout = lay_out(settings, lengths)
        measured = [call.measured for call in self._task.calls]
        names = dict.fromkeys(name for group in measured for name in group)
        self._first_places = {name: FIRST.at(at) for name, at in self.layout.first.items()}
        self._second_places = {name: SECOND.at(at) for name, at in self.layout.second.items()}
        self._registers = {name: Register(number) for number, name in enumerate(names)}

    def plan(self, index: int, *, overlap: bool = True) -> CallPlan:
        """Plan a call; the last calls of tests with all weights have no overlaps."""
        settings, call = self._settings, self._task.calls[index]
        fresh = order(settings.operation, index)
        first = [self.layout.first[name] for name in fresh]
        ends = [self.layout.first[name] + self._lengths[name] for name in fresh]
        twice = settings.deterministic(call) and not settings.brief
        parts = [self._first(call, copies=twice)]
        if twice:
            parts.append(self._second(call))
        if call.again and twice:
            parts.append(self._again(call))
        if overlap and twice and settings.overlap(call):
            parts += [self._overlap(call, y, x) for y in call.written for x in call.read]
        start = min(first, default=MARGIN) - MARGIN
        return CallPlan(
            call,
            fresh,
            (start, max(ends, default=start - MARGIN) + MARGIN - start),
            tuple(parts),
            self._forged(call) if call.forged and settings.forgeries else None,
            FIRST.at(self.layout.first.get(call.forged, 0)),
            self._number(call.forged) if call.forged else 0,
            {name: self._content(call, name) for name in (*call.written, *call.changed)},
            sum(part.steps for part in parts),
            self.layout.first,
        )

    def _content(self, call: TestCall, name: str) -> int:
        """Return how much of a variable is written: of an opened message, less than its room."""
        if name in call.measured:
            lengths = [self._lengths[to] for one, to, _ in call.equal if one == name]
            return lengths[0] if lengths else self._lengths[name]
        return self._lengths[name]

    def _number(self, name: str) -> Number:
        """Return a variable's length, in items; of one that a call wrote, the register."""
        length = self._lengths[name] // max(self._settings.item(name), 1)
        return self._registers.get(name, length)

    def _place(self, name: str, *, second: bool) -> BufferPlace:
        return self._second_places[name] if second else self._first_places[name]

    def _call(self, script: Script, call: TestCall, away: Mapping[str, str]) -> None:
        """Call, with variables of `away` in the second place (of the variable named there)."""
        arguments: list[Argument] = []
        for name, parameter in zip(call.names, call.function.parameters, strict=True):
            if parameter.way is Way.LENGTH:
                arguments.append(self._number(name))
            elif parameter.way is Way.LENGTH_OUT:
                arguments.append(self._registers[name])
            else:
                arguments.append(self._place(away.get(name, name), second=name in away))
        script.call(call.number, arguments)
        for name in call.measured:
            script.give(self._registers[name])

    def _read(self, script: Script, name: str, length: int, *, second: bool = False,
              margin: int = 0, at: str = "") -> Look:  # fmt: skip
        """Read a variable; `at` says whose place it is in."""
        place = self._place(at or name, second=second)
        look = Look(name, script.answer_bytes, length + 2 * margin)
        if look.length:
            script.read(place.buffer.at(place.offset - margin), look.length)
        return look

    def _copy(self, script: Script, names: tuple[str, ...]) -> None:
        """Copy variables to the second place."""
        for name in names:
            if self._lengths[name]:
                length = self._registers.get(name, self._lengths[name])
                to, source = (self._place(name, second=second) for second in (True, False))
                script.copy(to, source, length)

    def _part(self, question: str, what: str, script: Script, call: TestCall,
              outputs: list[Look], inputs: list[Look] | None = None) -> ScriptPart:  # fmt: skip
        numbers = call.measured
        return ScriptPart(question, what, script.payload, script.answer_bytes, numbers,
                    tuple(outputs), tuple(inputs or ()), script.count)  # fmt: skip

    def _first(self, call: TestCall, *, copies: bool) -> ScriptPart:
        """Make the first call, in the first place; all that it was given is read."""
        script = Script()
        if copies:
            script.fill(SECOND, self.layout.sizes[1], FILLING)
            self._copy(script, call.read + call.changed)
        for name in call.measured:
            script.set(self._registers[name], self._lengths[name])
        self._call(script, call, {})
        written, read = call.written + call.changed, call.read
        outputs = [self._read(script, one, self._lengths[one], margin=MARGIN) for one in written]
        inputs = [self._read(script, one, self._lengths[one], margin=MARGIN) for one in read]
        return self._part(Asked.RETURNS, "", script, call, outputs, inputs)

    def _second(self, call: TestCall) -> ScriptPart:
        """Call with the same inputs in the second place."""
        script = Script()
        written = call.written + call.changed
        self._call(script, call, {name: name for name in (*written, *call.read)})
        outputs = [
            self._read(script, one, self._content(call, one), second=True) for one in written
        ]
        return self._part(Asked.DETERMINISTIC, "at another place", script, call, outputs)

    def _again(self, call: TestCall) -> ScriptPart:
        """Call with what the second call gave."""
        written, script = call.changed, Script()
        self._call(script, call, {name: name for name in written})
        outputs = [self._read(script, one, self._lengths[one], second=True) for one in written]
        return self._part(Asked.CONSISTENT, "on its own output", script, call, outputs)

    def _overlap(self, call: TestCall, output: str, read: str) -> ScriptPart:
        """Call with an output where an input stands; others stay where they are."""
        script = Script()
        self._copy(script, (read,))
        self._call(script, call, {output: read, read: read})
        length = self._content(call, output)
        looks = [self._read(script, output, length, second=True, at=read)]
        others = (one for one in call.written if one != output)
        looks += [self._read(script, one, self._content(call, one)) for one in others]
        what = f"with {output} where {read} is"
        return self._part(Asked.OVERLAP, what, script, call, looks)

    def _forged(self, call: TestCall) -> ScriptPart:
        """Call after a modification. Where no length is written, the damaged input is read."""
        script = Script()
        self._call(script, call, {})
        outputs = [self._read(script, one, self._content(call, one)) for one in call.written]
        inputs = []
        if call.written and not call.measured:
            inputs = [self._read(script, call.forged, self._lengths[call.forged])]
        return self._part(
            Asked.FORGERIES, f"with {call.forged} modified", script, call, outputs, inputs
        )
