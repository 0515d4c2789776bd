# SPDX-License-Identifier: MIT
"""What is reported of each operation: keys, divisors and sizes.

Keys and the packing of two lengths into one number are SUPERCOP's.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from assay.errors import UsageError
from assay.model.operation import Operation
from assay.model.operations import OPERATIONS
from assay.model.series import Series

PAIR = 1_000_000  # of two lengths: the first (output, associated data) times this, and the second
LONG = "long"


class Per(StrEnum):
    """What a figure is for."""

    BYTE = "byte"
    CALL = "call"
    ITEM = "item"


class Part(StrEnum):
    """Which of two lengths grows: the message's, the other one, or both alike."""

    MESSAGE = "message"
    OTHER = "ad"
    BOTH = "both"


class Quantity(Struct, frozen=True):
    """One thing that is measured of an operation; `sizes` is empty where there is no length.

    `other` names the second of two lengths, where a size holds two, and `fixed` is the
    length of the one that does not grow.
    """

    key: str
    title: str
    per: Per = Per.CALL
    sizes: tuple[int, ...] = ()
    other: str = ""
    fixed: int = 0

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the ways in which lengths grow."""
        return tuple(Part) if self.other else (Part.MESSAGE,)

    def length(self, size: int | None, part: Part) -> int | None:
        """Return the length that a stored size stands for; None if it belongs to another part."""
        if size is None or not self.other:
            return size
        other, message = divmod(size, PAIR)
        if part is Part.BOTH:
            return message if other == message else None
        still, grows = (other, message) if part is Part.MESSAGE else (message, other)
        return grows if still == self.fixed else None

    def stored(self, length: int | None, part: Part) -> int | None:
        """Return the size under which that length of that part is stored."""
        if length is None or not self.other:
            return length
        still, grows = self.fixed, length
        return {
            Part.MESSAGE: PAIR * still + grows,
            Part.OTHER: PAIR * grows + still,
            Part.BOTH: PAIR * grows + grows,
        }[part]

    def divisor(self, length: int | None, part: Part) -> int:
        """Return what a figure is divided by at that length: 0 where it cannot be divided."""
        if self.per is Per.CALL or length is None:
            return 1
        return 2 * length if part is Part.BOTH else length

    def text(self, part: Part) -> str:
        """Describe what is measured and, of two lengths, which one grows."""
        if not self.other:
            return self.title
        still = f"{self.fixed} bytes of" if self.fixed else "no"
        return {
            Part.MESSAGE: f"{self.title}: message, {still} {self.other}",
            Part.OTHER: f"{self.title}: {self.other}, {still} message",
            Part.BOTH: f"{self.title}: message and {self.other}, of equal length",
        }[part]


def _quantities(operation: Operation) -> Iterator[Quantity]:
    """Yield what a row of the table says that is reported; lengths are of what depends on them."""
    sizes, other, fixed = operation.shown, operation.other, operation.timing.second
    for line in operation.reports.split("; "):
        name, title = line.split(": ")
        key, _, per = name.partition("/")
        if operation.timing.grows(key):
            yield Quantity(key, title, Per(per or Per.BYTE), sizes, other, fixed)
        else:
            yield Quantity(key, title)


# The first quantity of each operation is the one that is shown where there is room for one.
QUANTITIES = {name: tuple(_quantities(one)) for name, one in OPERATIONS.items()}


def quantities(operation: str) -> tuple[Quantity, ...]:
    """Return what is timed of an operation; UsageError for an unknown one."""
    if operation not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise UsageError(f"there is no operation {operation!r}", f"Choose one of {known}.")
    return QUANTITIES[operation]


def counted(operation: str, series: Iterable[Series]) -> tuple[Quantity, ...]:
    """Return what else was measured: random bytes, lengths of signatures, by key."""
    planned = quantities(operation)
    others: dict[str, bool] = {}
    for one in series:
        others[one.key] = others.get(one.key, False) or one.size is not None
    for quantity in planned:
        others.pop(quantity.key, None)
    return tuple(
        Quantity(key, key.replace("_", " "), sizes=planned[0].sizes if others[key] else ())
        for key in sorted(others)
    )


def find_quantity(operation: str, key: str | None, known: Iterable[Quantity]) -> Quantity:
    """Find a quantity by its key or title; the first one without; UsageError if it is unknown."""
    choice = tuple(known)
    for one in choice:
        if key in {None, one.key, one.title}:
            return one
    names = ", ".join(one.key for one in choice)
    raise UsageError(f"{operation} has no measure {key!r}", f"Choose one of {names}.")


def parse_size(text: str) -> int | str:
    """Read `576` or `long`; UsageError otherwise."""
    if text == LONG:
        return LONG
    if text.isascii() and text.isdigit():
        return int(text)
    raise UsageError(f"{text!r} is no size", "Give a number of bytes, or `long`.")
