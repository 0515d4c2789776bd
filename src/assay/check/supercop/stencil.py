# SPDX-License-Identifier: MIT
"""What a call sends whatever is drawn: its fixed bytes, and where what is drawn goes.

Loops with the same lengths have the same stencils, so they are made once. Places count
from the first byte of the image, which is what a call writes before it begins.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from assay.check.operation.script import ScriptStep
from assay.check.supercop.draws import Draws
from assay.check.supercop.plans import FIRST, MARGIN, CallPlan
from assay.check.supercop.settings import ProgramSettings
from assay.execute.places import pointer

MODIFICATIONS = 3
DRAWS_OF_A_MODIFICATION = 2

Patch = tuple[Callable[[bytes], bytes], int, int]  # what an input becomes, its place and length


@dataclass(frozen=True, slots=True)
class Stencil:
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
