# SPDX-License-Identifier: MIT
"""Signatures whose numbers are larger by the order of the group: the same, if nobody looks.

A number of a signature counts modulo the order of a group. Where it may be any number of its
bytes there is a second signature of each message, which anybody can compute.
"""

from collections.abc import Iterator

from msgspec import Struct

from assay.check.operation.trial import OperationTrial
from assay.check.seal.openings import Opening, overhead
from assay.model.operation import Op

MOST_BYTES = 256  # of a signature of numbers: those of lattices and hashes are longer


class Group(Struct, frozen=True):
    """A group, its order, and of how many bytes a number is that counts modulo that."""

    name: str
    order: int
    size: int


GROUPS = (
    Group("edwards25519", (1 << 252) + 27742317777372353535851937790883648493, 32),
    Group(
        "edwards448",
        (1 << 446) - 0x8335DC163BB124B65129C96FDE933D8D723A70AADC873D6D54A7BB0D,
        57,
    ),
)
"""Those whose numbers have bits to spare (RFC 8032, sections 5.1 and 5.2)."""


def raised(trial: OperationTrial, opening: Opening, name: str) -> Iterator[Opening]:
    """Add an order to each number that a signature may have, at either end of what is signed."""
    length = overhead(trial)
    if trial.subject.operation != Op.SIGN or length > MOST_BYTES:
        return
    value = opening.value(name)
    for group in GROUPS:
        firsts = (0, group.size, length - 2 * group.size, length - group.size)
        behind = len(value) - length
        places = dict.fromkeys(at + more for more in (0, behind) for at in firsts if at >= 0)
        for at in places:
            number = int.from_bytes(value[at : at + group.size], "little") + group.order
            if number >> 8 * group.size == 0 and at + group.size <= len(value):
                data = number.to_bytes(group.size, "little")
                about = f"{name} with the order of {group.name} added to its bytes from {at} on"
                yield opening.given(name, value[:at] + data + value[at + group.size :], about)
