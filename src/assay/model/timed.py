# SPDX-License-Identifier: MIT
"""What is timed of an API, in one form for all kinds: variables, and calls on them.

A test is one or more calls on variables. What one call writes the next one reads, so that a
decryption is given a true ciphertext. A row is written as a line:

    open_cycles: _open(t c~ #c n k) = -1

The name of the measure comes first; it is empty if the call only prepares for others. Arguments
are variables; `#c` is the length of `c`, `#` that of the message, `&` the address of a length
that is written, and `@c` the length that was written when `c` was made. `c~` is `c` with one byte
changed before the call. The call must return 0, or what follows `=`; `?` stands for anything.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache

from msgspec import Struct, field

MESSAGE = "#"  # the length of the message, in the sizes of variables and as an argument
SECOND = "##"  # that of associated data, or of an output
THIRD = "###"  # that of a customisation
LENGTH = "#"  # before a variable: its length
WRITTEN = "&"  # the address of a length that the call writes; only the last one is kept
KEPT = "@"  # before a variable: the length that was written when it was made
FORGED = "~"  # after a variable: a byte of it is changed before the call
BUFFER = -1  # in place of a length: that of the buffer of the package's header
ANYTHING = "?"

_LINE = re.compile(r"(?:(?P<name>[\w/]+): )?(?P<calls>.*?)(?: = (?P<returns>\S+))?")
_SIGNS = re.compile(r"([*%])")
_CALL = re.compile(r"(?P<suffix>\w*)\((?P<arguments>[^)]*)\)")


class TableCall(Struct, frozen=True):
    """A call of a test, and for each parameter a variable.

    `suffix` is that of `Function.suffix`. A byte of the variable `forged` is changed before.
    """

    suffix: str
    arguments: tuple[str, ...]
    forged: str = ""


class Timed(Struct, frozen=True):
    """A measure, by the first part of its name in results: `packet` of `packet/40`.

    `lengths` are those of the data of a call where the API fixes them, each a measure of its own;
    they are rounded up to `whole` blocks. `returns` is an expression. `loop` is the number of the
    agent's loop that times it.
    """

    name: str
    calls: tuple[TableCall, ...]
    returns: str = "0"
    lengths: tuple[int, ...] = ()
    whole: bool = False
    loop: int = 0


class TimingTable(Struct, frozen=True):
    """All that is timed of an API.

    `variables` have sizes in the constants of the API, `#` and `##`; `zeros` says how many
    leading bytes of a variable are 0. `lengths` are those of messages where the user does not
    choose any, with `second` in place of `##`. Contests are decided by the measure `decides`, or
    of an operation by the sum of all that `scored` bytes cost.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[Timed, ...] = ()
    zeros: Mapping[str, str] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    second: int = 0
    decides: str = ""
    scored: int = 0

    @property
    def has_message(self) -> bool:
        """Return whether something depends on the length of a message."""
        return any(MESSAGE in size for size in self.variables.values())

    @property
    def has_second(self) -> bool:
        """Return whether there is a second length, of associated data or of an output."""
        return any(SECOND in size for size in self.variables.values())

    def grows(self, name: str) -> bool:
        """Return whether a measure depends on the length of a message."""
        calls = (call for row in self.measures if row.name == name for call in row.calls)
        sizes = (self.variables.get(one, "") for call in calls for one in call.arguments)
        return any(MESSAGE in size for size in sizes)


NOT_TIMED = TimingTable()


def timed(line: str, *lengths: int, whole: bool = False, loop: int = 0) -> Timed:
    """Read a row."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    calls = tuple(_call(one["suffix"], one["arguments"]) for one in _CALL.finditer(match["calls"]))
    return Timed(match["name"] or "", calls, match["returns"] or "0", lengths, whole, loop)


def _call(suffix: str, inside: str) -> TableCall:
    names = inside.split()
    forged = "".join(one.removesuffix(FORGED) for one in names if one.endswith(FORGED))
    return TableCall(suffix, tuple(one.removesuffix(FORGED) for one in names), forged)


def sizes(text: str) -> dict[str, str]:
    """Read variables with their sizes: `k=KEYBYTES m,c=#`."""
    pairs = (one.split("=") for one in text.split())
    return {name: size for names, size in pairs for name in names.split(",")}


def evaluate(
    text: str, constant: Callable[[str], int], message: int, second: int = 0, third: int = 0
) -> int:
    """Compute an expression of constants and lengths: sums of products, and remainders."""
    known = {MESSAGE: message, SECOND: second, THIRD: third}
    if text in known:
        return known[text]

    def value(word: str) -> int:
        if word in known:
            return known[word]
        return int(word) if word.lstrip("-").isdigit() else constant(word)

    whole = 0
    for (_, first), *others in _products(text):
        result = value(first)
        for sign, word in others:
            result = result * value(word) if sign == "*" else result % (value(word) or 1)
        whole += result
    return whole


@cache
def _products(text: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return the products of a sum: of each the words, with the sign before them."""
    parts = (["*", *_SIGNS.split(one)] for one in text.split("+"))
    return tuple(tuple(zip(one[::2], one[1::2], strict=True)) for one in parts)
