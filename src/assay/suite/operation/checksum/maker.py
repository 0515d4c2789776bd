# SPDX-License-Identifier: MIT
"""Makes the scripts of the checksum tests of one operation with given constants.

The order of drawing is that of the tests, loop by loop and call by call. Chunks are what
is sent at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from assay.execute.places import pointer
from assay.suite.operation.checksum.draws import INPUT_KEY, MARGIN_KEY, Sequence
from assay.suite.operation.checksum.native import Engine
from assay.suite.operation.checksum.plans import FIRST, MARGIN, Plan, Planner
from assay.suite.operation.checksum.settings import Settings
from assay.suite.operation.script import Script, Step

CHUNK_BYTES = 2 << 20  # of requests and answers together; a single loop may be longer
MODIFICATIONS = 3
PLANS = 8192  # kept; the lengths of most programs never come twice


@dataclass(frozen=True, slots=True)
class Unit:
    """One call of one loop with all that belongs to it, and where it is in its chunk."""

    loop: int
    plan: Plan
    lengths: dict[str, int]
    image_at: int
    start: int
    end: int
    answer_at: int
    answer_bytes: int
    steps: int  # of the chunk, up to here
    modifications: tuple[tuple[int, int], ...]  # number that gives the place, what is added

    def parts(self, payload: bytes) -> Iterator[tuple[str, str, bytes]]:
        """Give the question, the occasion and the script of every part, for one at a time."""
        before = payload[self.start : self.image_at + self.plan.image[1]]
        for part in self.plan.parts:
            yield part.question, part.what, before + part.payload
            before = b""
        for position, value in self.modifications:
            script = modify(self.plan, position, value)
            forged = self.plan.forged
            if forged:
                yield forged.question, forged.what, script + forged.payload


def modify(plan: Plan, position: int, value: int) -> bytes:
    """Write the step that modifies one byte of what is forged."""
    script = Script()
    script.add(plan.forged_at, position, plan.forged_length, value)
    return script.payload


@dataclass(slots=True)
class Chunk:
    """Some loops: one request, and how long its answer is."""

    number: int
    payload: bytearray = field(default_factory=bytearray)
    units: list[Unit] = field(default_factory=list)
    answer_bytes: int = 0
    steps: int = 0


def brief(chunk: Chunk) -> Chunk:
    """Leave out of a chunk every call that the checksum does not need: the repeated ones."""
    short = Chunk(chunk.number)
    for unit in chunk.units:
        first, *others = unit.plan.parts
        start, payload = len(short.payload), short.payload
        needed = unit.image_at + unit.plan.image[1] + len(first.payload)
        payload += chunk.payload[unit.start : needed]
        payload += chunk.payload[needed + sum(len(one.payload) for one in others) : unit.end]
        answer_bytes = unit.answer_bytes - sum(one.answer_bytes for one in others)
        short.steps += 1 + first.steps
        plan = replace(unit.plan, parts=(first,), steps=first.steps)
        short.units.append(
            replace(
                unit, plan=plan, image_at=start + unit.image_at - unit.start, start=start,
                end=len(payload), answer_at=short.answer_bytes, answer_bytes=answer_bytes,
                steps=short.steps,
            )
        )  # fmt: skip
        short.answer_bytes += answer_bytes
    return short


@dataclass(slots=True)
class Loop:
    """A loop: its lengths, and for tests of all weights which ones are set."""

    number: int
    lengths: dict[str, int]
    weight: tuple[int, bool] | None = None


class Maker:
    """Makes the chunks of one program, in order, once."""

    def __init__(self, settings: Settings, helper: Engine) -> None:
        """Begin both random sequences."""
        self._settings = settings
        self._task = settings.task
        self._inputs = Sequence(helper, INPUT_KEY)
        self._margins = Sequence(helper, MARGIN_KEY)
        self._plans: dict[object, list[Plan]] = {}
        self._mends: list[tuple[Callable[[bytes], bytes], int, int]] = []

    def chunks(self) -> Iterator[Chunk]:
        """Give all chunks, each with whole loops."""
        chunk = Chunk(0)
        for loop in self._loops():
            self._add(chunk, loop)
            if len(chunk.payload) + chunk.answer_bytes >= CHUNK_BYTES:
                yield self._filled(chunk)
                chunk = Chunk(chunk.number + 1)
        if chunk.units:
            yield self._filled(chunk)

    def _loops(self) -> Iterator[Loop]:
        settings, task = self._settings, self._task
        shortest = settings.constant(task.shortest)
        for number in range(settings.loops):
            drawn = {name: self._inputs.number() % (settings.longest + 1) for name in task.drawn}
            lengths = settings.lengths(drawn)
            if lengths.get("m", shortest) >= shortest:
                yield Loop(number, lengths)
        if settings.weights:
            lengths = settings.lengths({})
            for weight in range(lengths["n"] + 1):
                for at_end in (False, True):
                    number = settings.loops + 2 * weight + at_end
                    yield Loop(number, lengths, (weight, at_end))

    @property
    def planned(self) -> int:
        """Count the plans that are in memory."""
        return sum(map(len, self._plans.values()))

    def _planned(self, loop: Loop) -> list[Plan]:
        key = (*loop.lengths.values(), loop.weight is None)
        if key not in self._plans:
            if len(self._plans) >= PLANS:
                self._plans.clear()
            planner = Planner(self._settings, loop.lengths)
            self._plans[key] = [
                planner.plan(index, overlap=loop.weight is None)
                for index in range(len(self._task.calls))
            ]
        return self._plans[key]

    def _add(self, chunk: Chunk, loop: Loop) -> None:
        """Append a loop: drawing goes on in the order of the tests."""
        for plan in self._planned(loop):
            start, payload = len(chunk.payload), chunk.payload
            place, length = FIRST.at(plan.image[0]), plan.image[1]
            if length:
                payload.append(Step.WRITE)
                payload += pointer(place) + length.to_bytes(4, "little")
            image_at = len(payload)
            payload += bytes(length)
            self._draw(plan, loop, image_at - plan.image[0])
            answer_bytes = sum(part.answer_bytes for part in plan.parts)
            for part in plan.parts:
                payload += part.payload
            changes = tuple(self._modifications(plan))
            for position, value in changes:
                payload += modify(plan, position, value)
                payload += plan.forged.payload if plan.forged else b""
                answer_bytes += plan.forged.answer_bytes if plan.forged else 0
            chunk.steps += 1 + plan.steps
            unit = Unit(loop.number, plan, loop.lengths, image_at, start, len(payload),
                        chunk.answer_bytes, answer_bytes, chunk.steps, changes)  # fmt: skip
            chunk.units.append(unit)
            chunk.answer_bytes += answer_bytes

    def _modifications(self, plan: Plan) -> Iterator[tuple[int, int]]:
        for _ in range(MODIFICATIONS if plan.forged else 0):
            value = 1 + self._inputs.number() % 255
            yield self._inputs.number(), value

    def _draw(self, plan: Plan, loop: Loop, base: int) -> None:
        """Draw inputs, what outputs contain before, and all margins."""
        roles = self._task.roles(plan.call)
        read = (*roles["in"], *roles["both"])
        for name in plan.fresh:
            at, length = base + plan.places[name], loop.lengths[name]
            if name in roles["out"]:
                self._margins.draw(at - MARGIN, length + 2 * MARGIN)
            else:
                self._inputs.draw(at, length)
                self._margins.draw(at - MARGIN, MARGIN)
                self._margins.draw(at + length, MARGIN)
                self._mend(name, plan, loop, at)
        self._margins.skip(2 * len(set(read) - set(plan.fresh)))
        if self._settings.deterministic(plan.call):
            everything = 2 * (len(roles["out"]) + len(read))
            self._margins.skip(everything)
            if self._settings.overlap(plan.call) and loop.weight is None:
                self._margins.skip(everything * len(roles["out"]))

    def _mend(self, name: str, plan: Plan, loop: Loop, at: int) -> None:
        """Note how an input differs from what was drawn."""
        length, item = loop.lengths[name], self._settings.item(name)
        if plan.call.cleared and name == "m":
            self._mends.append((_cleared, at, self._settings.constant(self._task.shortest)))
        if loop.weight and name == "n":
            self._mends.append((partial(_weighed, *loop.weight), at, length))
        if self._settings.swapped and item > 1:
            self._mends.append((partial(swapped, item), at, length))

    def _filled(self, chunk: Chunk) -> Chunk:
        payload = chunk.payload
        self._inputs.fill(payload)
        self._margins.fill(payload)
        for mend, at, length in self._mends:
            payload[at : at + length] = mend(bytes(payload[at : at + length]))
        self._mends.clear()
        return chunk


def _cleared(data: bytes) -> bytes:
    return bytes(len(data))


def _weighed(weight: int, at_end: bool, data: bytes) -> bytes:
    """Set the lowest bits of the first or the last `weight` bytes, and clear the others'."""
    bits = range(len(data) - weight, len(data)) if at_end else range(weight)
    return bytes((byte & 0xFE) | (at in bits) for at, byte in enumerate(data))


def swapped(item: int, data: bytes) -> bytes:
    """Reverse the bytes of every item."""
    turned = bytearray(data)
    for at in range(item):
        turned[at::item] = data[item - 1 - at :: item]
    return bytes(turned)
