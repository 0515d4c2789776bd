# SPDX-License-Identifier: MIT
"""Programs: all chunks of the checksum tests of one operation with given constants.

A program is the same for every implementation with the same settings, and so is the
answer of every one that is right. The order of drawing is that of the tests, loop by loop and
call by call; chunks are what is sent at once.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from functools import lru_cache, partial

from msgspec import Struct, field

from assay.check.operation.script import Script
from assay.check.supercop.plans import CallPlan, Planner, lay_out
from assay.check.supercop.salsa20 import ChecksumEngine, engine
from assay.check.supercop.settings import ProgramSettings
from assay.check.supercop.stencil import INPUT_KEY, MARGIN_KEY, Drawer, Patch, Stencil, stencil

UNIT_BYTES = 400  # about what a call takes in memory besides its script
KEPT_BYTES = 144 << 20  # of one program
ALL_KEPT_BYTES = 224 << 20
KNOWN = 4096  # answers known to be right, of one program
PROGRAMS = 64
CHUNK_BYTES = 2 << 20  # of requests and answers together; a single loop may be longer
CHUNKS = 32  # at least: after each it is asked how slow the code is
PLAN_BYTES, PART_BYTES = 1000, 800
PLANS = 8192  # kept; the lengths of most programs never come twice


class LoopCall(Struct, frozen=True):
    """One call of one loop with all that belongs to it, and where it is in its chunk."""

    loop: int
    plan: CallPlan
    lengths: dict[str, int]
    image_at: int
    start: int
    end: int
    answer_at: int
    answer_bytes: int
    steps: int  # of the chunk, up to here
    modifications: tuple[tuple[int, int], ...]  # number that gives the place, what is added

    def parts(self, payload: bytes) -> Iterator[tuple[str, str, bytes]]:
        """Yield the question, the occasion and the script of every part, for one at a time."""
        before = payload[self.start : self.image_at + self.plan.image[1]]
        for part in self.plan.parts:
            yield part.question, part.what, before + part.payload
            before = b""
        for position, value in self.modifications:
            script = modify(self.plan, position, value)
            forged = self.plan.forged
            if forged:
                yield forged.question, forged.what, script + forged.payload


def modify(plan: CallPlan, position: int, value: int) -> bytes:
    """Write the step that modifies one byte of what is forged."""
    script = Script()
    script.add(plan.forged_at, position, plan.forged_length, value)
    return script.payload


class Chunk(Struct):
    """Some loops: one request, and how long its answer is."""

    number: int
    payload: bytearray = field(default_factory=bytearray)
    units: list[LoopCall] = field(default_factory=list)
    answer_bytes: int = 0
    steps: int = 0
    loops: int = 0


class Loop(Struct):
    """A loop: its lengths, and for tests of all weights which ones are set."""

    number: int
    lengths: dict[str, int]
    weight: tuple[int, bool] | None = None


class Maker:
    """Makes the chunks of one program, in order, once."""

    def __init__(self, settings: ProgramSettings, helper: ChecksumEngine) -> None:
        """Begin both random sequences."""
        self._settings = settings
        self._task = settings.task
        self._inputs = Drawer(helper, INPUT_KEY)
        self._margins = Drawer(helper, MARGIN_KEY)
        self._stencils: dict[object, tuple[Stencil, ...]] = {}
        self._lengths_of = lru_cache(maxsize=PLANS)(settings.lengths)
        self._patches: list[Patch] = []
        self.plan_bytes = 0  # about what all plans take in memory

    def chunks(self) -> Iterator[Chunk]:
        """Yield all chunks, each with whole loops."""
        chunk = Chunk(0)
        most = max(1, self._settings.loops // CHUNKS)
        for loop in self._loops():
            self._add(chunk, loop)
            full = len(chunk.payload) + chunk.answer_bytes >= CHUNK_BYTES
            if full or chunk.loops >= most:
                yield self._filled(chunk)
                chunk = Chunk(chunk.number + 1)
        if chunk.units:
            yield self._filled(chunk)

    def _loops(self) -> Iterator[Loop]:
        settings, task = self._settings, self._task
        shortest = settings.constant(task.shortest)
        for number in range(settings.loops):
            drawn = tuple(
                self._inputs.number() % (settings.longest + 1) for _ in range(task.drawn)
            )
            lengths = self._lengths_of(drawn)
            if lengths.get("m", shortest) >= shortest:
                yield Loop(number, lengths)
        if settings.weights:
            lengths = settings.lengths()
            for weight in range(lengths["n"] + 1):
                for at_end in (False, True):
                    number = settings.loops + 2 * weight + at_end
                    yield Loop(number, lengths, (weight, at_end))

    def _planned(self, loop: Loop) -> tuple[Stencil, ...]:
        overlap, brief = loop.weight is None, loop.number >= self._settings.after
        key = (*loop.lengths.values(), overlap, brief)
        if key not in self._stencils:
            if len(self._stencils) >= PLANS:
                self._stencils.clear()
            settings = self._settings if brief else self._settings.whole
            planner = Planner(settings, loop.lengths)
            plans = (planner.plan(at, overlap=overlap) for at in range(len(self._task.calls)))
            made = tuple(stencil(settings, plan, loop.lengths, overlap=overlap) for plan in plans)
            self._stencils[key] = made
            self.plan_bytes += sum(PLAN_BYTES + PART_BYTES * len(one.plan.parts) for one in made)
        return self._stencils[key]

    def _add(self, chunk: Chunk, loop: Loop) -> None:
        """Append a loop: drawing goes on in the order of the tests."""
        payload = chunk.payload
        chunk.loops += 1
        for one in self._planned(loop):
            plan, start = one.plan, len(payload)
            payload += one.head
            image_at = len(payload)
            payload += bytes(plan.image[1])
            self._draw(one, loop, image_at)
            payload += one.body
            changes = tuple(self._modifications(one.modifications))
            for position, value in changes:
                payload += modify(plan, position, value)
                payload += plan.forged.payload if plan.forged else b""
            chunk.steps += 1 + plan.steps
            unit = LoopCall(loop.number, plan, loop.lengths, image_at, start, len(payload),
                        chunk.answer_bytes, one.answer_bytes, chunk.steps, changes)  # fmt: skip
            chunk.units.append(unit)
            chunk.answer_bytes += one.answer_bytes

    def _modifications(self, count: int) -> Iterator[tuple[int, int]]:
        for _ in range(count):
            value = 1 + self._inputs.number() % 255
            yield self._inputs.number(), value

    def _draw(self, one: Stencil, loop: Loop, image_at: int) -> None:
        """Draw what is in the image, and note what becomes of it."""
        self._inputs.draw(one.inputs, image_at)
        self._margins.draw(one.margins, image_at)
        for patch, at, length in one.patches:
            self._patches.append((patch, image_at + at, length))
        if loop.weight and "n" in one.plan.fresh and "n" not in one.plan.content:
            at = image_at + one.plan.places["n"] - one.plan.image[0]
            self._patches.append((partial(_weighed, *loop.weight), at, loop.lengths["n"]))

    def _filled(self, chunk: Chunk) -> Chunk:
        payload = chunk.payload
        self._inputs.fill(payload)
        self._margins.fill(payload)
        for patch, at, length in self._patches:
            payload[at : at + length] = patch(bytes(payload[at : at + length]))
        self._patches.clear()
        return chunk


def _weighed(weight: int, at_end: bool, data: bytes) -> bytes:
    """Set the lowest bits of the first or the last `weight` bytes, and clear the others'."""
    bits = range(len(data) - weight, len(data)) if at_end else range(weight)
    return bytes((byte & 0xFE) | (at in bits) for at, byte in enumerate(data))


class Program:
    """A program, its chunks, and which answers to them are known to be right.

    Short programs keep their chunks. Long ones, and those that one slow code is asked, make
    them anew each time.
    """

    def __init__(self, settings: ProgramSettings) -> None:
        """Make nothing yet."""
        self.settings = settings
        self.kept: tuple[Chunk, ...] | None = None
        self.kept_bytes = 0
        self.known: dict[tuple[int, bytes, bytes], bytes] = {}

    @property
    def rooms(self) -> tuple[int, int]:
        """Return the sizes of both buffers in bytes."""
        longest = (self.settings.longest,) * self.settings.task.drawn
        return lay_out(self.settings, self.settings.lengths(longest)).sizes

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks in order."""
        kept = self.kept
        if kept is not None:
            yield from kept
            return
        made: list[Chunk] | None = None if self.settings.after else []
        total = 0
        maker = Maker(self.settings, engine())
        for chunk in maker.chunks():
            total += len(chunk.payload) + UNIT_BYTES * len(chunk.units)
            made = made if total + maker.plan_bytes <= KEPT_BYTES else None
            if made is not None:
                made.append(chunk)
            yield chunk
        if made is not None:
            self.kept, self.kept_bytes = tuple(made), total + maker.plan_bytes
            make_room(self)

    def remember(self, key: tuple[int, bytes, bytes], state: bytes) -> None:
        """Note the state of the checksum after a chunk whose answer was right."""
        with _guard:
            if len(self.known) >= KNOWN:
                self.known.pop(next(iter(self.known)))
            self.known[key] = state


_programs: OrderedDict[ProgramSettings, Program] = OrderedDict()
_guard = threading.Lock()  # of the programs and of what they know: packages run in threads


def program(settings: ProgramSettings) -> Program:
    """Return the program with these settings, made once per process while memory allows."""
    if settings.after:
        return Program(settings)
    with _guard:
        found = _programs.setdefault(settings, Program(settings))
        _programs.move_to_end(settings)
        return found


def make_room(newest: Program) -> None:
    """Let go of the chunks of programs that were not used for the longest time."""
    total = 0
    with _guard:
        for one in reversed(_programs.values()):
            total += one.kept_bytes
            if total > ALL_KEPT_BYTES and one is not newest:
                one.kept, one.kept_bytes = None, 0
        while len(_programs) > PROGRAMS:
            _programs.popitem(last=False)
