# SPDX-License-Identifier: MIT
"""What a call sends whatever is drawn: its fixed bytes, and where what is drawn goes.

Loops with the same lengths have the same stencils, so they are made once. Places count
from the first byte of the image, which is what a call writes before it begins.

There are two random sequences: inputs, and what surrounds buffers. Every draw is the start of a
Salsa20 stream with the next nonce. Drawing only notes what is wanted; `fill` makes all at once.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from struct import unpack

from msgspec import Struct

from assay.check.operation.script import ScriptStep
from assay.check.supercop.plans import FIRST, MARGIN, CallPlan
from assay.check.supercop.salsa20 import ChecksumEngine
from assay.check.supercop.settings import ProgramSettings
from assay.execute.places import pointer

INPUT_KEY = b"generate inputs for test vectors"
MARGIN_KEY = b"generate pad to catch overwrites"
NUMBER_BYTES = 8
AHEAD = 4096


class Draws(Struct, frozen=True):
    """Some draws of one sequence: numbers, offsets and lengths; `count` are used up by them."""

    nonces: tuple[int, ...]
    offsets: tuple[int, ...]
    lengths: tuple[int, ...]
    count: int

    @staticmethod
    def of(places: Sequence[tuple[int, int]], *, skipped: int) -> "Draws":
        """Draw for places (offset and length) in order, then leave out `skipped` draws."""
        wanted = [(number, *place) for number, place in enumerate(places) if place[1]]
        nonces, offsets, lengths = (tuple(one[at] for one in wanted) for at in range(3))
        return Draws(nonces, offsets, lengths, len(places) + skipped)


class Drawer:
    """One sequence: a key, and how many draws there were."""

    def __init__(self, engine: ChecksumEngine, key: bytes) -> None:
        """Begin with nonce 0."""
        self._engine = engine
        self._key = key
        self.count = 0
        self._ahead: tuple[int, ...] = ()
        self._ahead_from = 0
        self._wanted = (array("Q"), array("Q"), array("Q"))

    def number(self) -> int:
        """Draw 64 bits, now."""
        at = self.count - self._ahead_from
        if at >= len(self._ahead):
            self._look_ahead()
            at = 0
        self.count += 1
        return self._ahead[at]

    def _look_ahead(self) -> None:
        room = bytearray(AHEAD * NUMBER_BYTES)
        nonces = array("Q", range(self.count, self.count + AHEAD))
        offsets = array("Q", range(0, len(room), NUMBER_BYTES))
        self._engine.pieces(room, self._key, nonces, offsets, array("Q", [8] * AHEAD))
        self._ahead = unpack(f"<{AHEAD}Q", room)
        self._ahead_from = self.count

    def draw(self, draws: Draws, at: int) -> None:
        """Draw all bytes, for places from `at` on, when `fill` is called."""
        nonces, offsets, lengths = self._wanted
        count = self.count
        nonces.extend([count + one for one in draws.nonces])
        offsets.extend([at + one for one in draws.offsets])
        lengths.extend(draws.lengths)
        self.count += draws.count

    def fill(self, room: bytearray) -> None:
        """Make all that was drawn since the last time."""
        self._engine.pieces(room, self._key, *self._wanted)
        self._wanted = (array("Q"), array("Q"), array("Q"))


MODIFICATIONS = 3
DRAWS_OF_A_MODIFICATION = 2

Patch = tuple[Callable[[bytes], bytes], int, int]  # what an input becomes, its place and length


class Stencil(Struct, frozen=True):
    """A plan, the bytes before and after its image, and what is drawn into the image.

    `modifications` of what is forged are asked; `answer_bytes` is the whole answer.
    """

    plan: CallPlan
    head: bytes
    body: bytes
    inputs: Draws
    margins: Draws
    patches: tuple[Patch, ...]
    modifications: int
    answer_bytes: int


def stencil(
    settings: ProgramSettings, plan: CallPlan, lengths: dict[str, int], *, overlap: bool
) -> Stencil:
    """Make the stencil of a plan; with `overlap`, outputs stand where inputs are, too."""
    modifications = MODIFICATIONS if plan.forged else 0
    answer_bytes = sum(part.answer_bytes for part in plan.parts)
    if plan.forged:
        answer_bytes += modifications * plan.forged.answer_bytes
    inputs, margins = _draws(settings, plan, lengths, overlap=overlap)
    return Stencil(
        plan,
        _head(plan),
        b"".join(part.payload for part in plan.parts),
        inputs,
        margins,
        tuple(_patches(settings, plan, lengths)),
        modifications,
        answer_bytes,
    )


def _head(plan: CallPlan) -> bytes:
    """Write the step that fills the image, up to its data."""
    at, length = plan.image
    if not length:
        return b""
    return bytes([ScriptStep.WRITE]) + pointer(FIRST.at(at)) + length.to_bytes(4, "little")


def _draws(
    settings: ProgramSettings, plan: CallPlan, lengths: dict[str, int], *, overlap: bool
) -> tuple[Draws, Draws]:
    """Describe what is drawn: inputs, what outputs contain before, and all margins.

    The tests draw margins for every further call, too; nothing depends on those.
    """
    call = plan.call
    read = (*call.read, *call.changed)
    inputs: list[tuple[int, int]] = []
    margins: list[tuple[int, int]] = []
    for name in plan.fresh:
        at, length = plan.places[name] - plan.image[0], lengths[name]
        if name in call.written:
            margins.append((at - MARGIN, length + 2 * MARGIN))
        else:
            inputs.append((at, length))
            margins += [(at - MARGIN, MARGIN), (at + length, MARGIN)]
    skipped = 2 * len(set(read) - set(plan.fresh))
    if settings.deterministic(plan.call):
        everything = 2 * (len(call.written) + len(read))
        skipped += everything
        if settings.overlap(plan.call) and overlap:
            skipped += everything * len(call.written)
    unasked = MODIFICATIONS if plan.call.forged and not plan.forged else 0
    return (
        Draws.of(inputs, skipped=unasked * DRAWS_OF_A_MODIFICATION),
        Draws.of(margins, skipped=skipped),
    )


def _patches(
    settings: ProgramSettings, plan: CallPlan, lengths: dict[str, int]
) -> Iterable[Patch]:
    """Describe how inputs differ from what was drawn."""
    for name in plan.fresh:
        if name in plan.call.written:
            continue
        at, item = plan.places[name] - plan.image[0], settings.item(name)
        if plan.call.cleared and name == "m":
            yield cleared, at, settings.constant(settings.task.shortest)
        if settings.swapped and item > 1:
            yield partial(swapped, item), at, lengths[name]


def cleared(data: bytes) -> bytes:
    """Return as many zeros."""
    return bytes(len(data))


def swapped(item: int, data: bytes) -> bytes:
    """Reverse the bytes of every item."""
    turned = bytearray(data)
    for at in range(item):
        turned[at::item] = data[item - 1 - at :: item]
    return bytes(turned)
