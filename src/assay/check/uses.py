# SPDX-License-Identifier: MIT
"""The one maker of routines whose calls are made one by one: rows of the wire, in phases.

A message takes a path through the phases of its API (`assay.model.wire`). The function that a
path repeats gets the pieces of the message, whole units, and the one behind it gets the rest.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from assay.check.routine import Argument, Pieces, Step, symbol
from assay.execute.places import Buffer, BufferPlace
from assay.model.api import Role, Way
from assay.model.wire import HashFunction, Path, StreamFunction, WireFunction, paths

DATA = ("AAD",)
MOST_COMPILED = 4096  # ways with lengths, of some packages that are checked in turn

USUAL: dict[type[WireFunction], str] = {
    StreamFunction: "ecrypt-sync",
    HashFunction: "compact-hash",
}


def path_by(api: str, function: WireFunction) -> Path:
    """Return the path on which a message is given to a function.

    An agent may name an API that there is not.
    """
    known = (*paths(api), *paths(USUAL[type(function)]))
    return next(one for one in known if any(part.function is function for part in one))


def pieces_by(path: Path, function: WireFunction, unit: int, length: int) -> Pieces:
    """Return a message in one piece, or as whole units and a rest if a function is repeated."""
    last = [part for part in path if part.function.takes(Role.MESSAGE)][-1]
    if function is last.function:
        return (length,)
    return length // unit * unit, length % unit


def called(
    function: WireFunction,
    numbers: Mapping[str, int],
    at: Mapping[str, int] | None = None,
    absent: Collection[str] = (),
) -> Step:
    """Return a call on variables that have the names of the row's parameters.

    `at` says where in them, and `absent` which are none: a null pointer.
    """
    label, parameters, _ = _row(type(function), int(function))
    arguments: list[Argument] = []
    for name, is_length, place in parameters:
        if is_length:
            arguments.append(numbers[name])
        elif name in absent:
            arguments.append(None)
        else:
            offset = at.get(name, 0) if at else 0
            arguments.append(place.at(offset) if offset else place)
    return Step(label, int(function), tuple(arguments))


@cache
def _row(
    rows: type[WireFunction], number: int
) -> tuple[str, tuple[tuple[str, bool, Buffer], ...], tuple[str, ...]]:
    """Return what calls of a function are made of, once: enumerations are slow to look into.

    The last are the names of what moves on from call to call: a message's, or else data's.
    """
    function = rows(number)
    moving = Role.MESSAGE if function.takes(Role.MESSAGE) else Role.DATA
    parameters = tuple(
        (one.name, one.way is Way.LENGTH, symbol(one.name)) for one in function.parameters
    )
    moved = tuple(one.name for one in function.parameters if one.role is moving)
    return function.name.lower(), parameters, moved


def named(steps: Collection[Step]) -> frozenset[str]:
    """Name the variables that calls are given."""
    found = set()
    for step in steps:
        for one in step.arguments:
            if isinstance(one, Buffer):
                found.add(one.label)
            elif isinstance(one, BufferPlace):
                found.add(one.buffer.label)
    return frozenset(found)


@dataclass(slots=True)
class MessageCalls:
    """Makes the calls of one message.

    `numbers` are those that stay the same for all of it. `data` are the pieces of associated
    data, whole units of which go to a function for blocks if `in_blocks`. What is `absent` is
    given as a null pointer, as are data that there are none of; a call without bytes of the
    message gets none either if `from_nowhere`.
    """

    path: Path
    pieces: Pieces
    unit: int
    numbers: Mapping[str, int]
    data: Pieces = ()
    in_blocks: bool = False
    absent: Collection[str] = ()
    from_nowhere: bool = False
    _at: dict[str, int] = field(default_factory=dict)
    _given: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Add the length of the data, and leave out what there is none of."""
        self._given = {**self.numbers, "AADbytes": sum(self.data)}
        self.absent = (*self.absent, *(() if self.data else DATA))

    def steps(self) -> tuple[Step, ...]:
        """Return the calls in order."""
        return tuple(self._step(function, length) for function, length in self._calls())

    def _calls(self) -> Iterator[tuple[WireFunction, int]]:
        """Yield functions, and how many bytes each call is given."""
        takers, added = _sorted(self.path)
        for part in self.path:
            function = part.function
            if function in takers:
                for length in self._share(function, takers):
                    yield function, length
            elif function in added:
                if function is added[-1]:
                    yield from self._added(added[0], added[-1])
            elif function.parameters:  # a session has called what has none
                yield function, 0

    def _share(self, function: WireFunction, takers: tuple[WireFunction, ...]) -> Pieces:
        """Return the pieces that a function is given."""
        if len(takers) == 1:
            return self.pieces
        return self.pieces[:-1] if function is takers[0] else self.pieces[-1:]

    def _added(
        self, blocks: WireFunction, rest: WireFunction
    ) -> Iterator[tuple[WireFunction, int]]:
        """Yield calls with associated data; the last bytes never go to the function for blocks."""
        at, total = 0, sum(self.data)
        for length in self.data:
            at += length
            whole = self.in_blocks and length % self.unit == 0 and at < total
            yield (blocks if whole else rest), length

    def _step(self, function: WireFunction, length: int) -> Step:
        self._given["bytes"], self._given["blocks"] = length, length // self.unit
        moved = _row(type(function), int(function))[-1]
        absent = self.absent if length or not self.from_nowhere else (*self.absent, *moved)
        step = called(function, self._given, self._at, absent)
        for name in moved:
            self._at[name] = self._at.get(name, 0) + length
        return step


@cache
def _sorted(path: Path) -> tuple[tuple[WireFunction, ...], tuple[WireFunction, ...]]:
    """Return the functions of a path that take a message, and those that take data alone."""
    takers = tuple(part.function for part in path if part.function.takes(Role.MESSAGE))
    data = (part.function for part in path if part.function.takes(Role.DATA))
    return takers, tuple(one for one in data if one not in takers)
