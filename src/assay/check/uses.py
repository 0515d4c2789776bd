# SPDX-License-Identifier: MIT
"""The one maker of routines whose calls are made one by one: rows of the wire, in phases.

A message takes a path through the phases of its API (`assay.model.wire`). The function that a
path repeats gets the pieces of the message, whole units, and the one behind it gets the rest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.check.routine import Argument, Step, symbol
from assay.check.splitting import Pieces
from assay.model.api import Parameter, Role, Way
from assay.model.wire import HashFunction, Path, Phase, StreamFunction, WireFunction, paths

MOVING = (Role.MESSAGE, Role.DATA)  # what a later call is given begins where the last one ended

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


@dataclass(slots=True)
class MessageCalls:
    """Makes the calls of one message.

    `numbers` are those that stay the same for all of it. `data` are the pieces of associated
    data, whole units of which go to a function for blocks if `in_blocks`. Calls without any
    bytes get no pointer to them if `from_nowhere`.
    """

    path: Path
    pieces: Pieces
    unit: int
    numbers: Mapping[str, int]
    data: Pieces = ()
    in_blocks: bool = False
    from_nowhere: bool = False
    _at: dict[Role, int] = field(default_factory=lambda: dict.fromkeys(MOVING, 0))

    @property
    def names(self) -> frozenset[str]:
        """Name the variables that the functions of the path are given."""
        parameters = (one for part in self.path for one in part.function.parameters)
        return frozenset(one.name for one in parameters if one.way is not Way.LENGTH)

    def steps(self) -> tuple[Step, ...]:
        """Return the calls in order."""
        return tuple(self._step(function, length) for function, length in self._calls())

    def _calls(self) -> Iterator[tuple[WireFunction, int]]:
        """Yield functions, and how many bytes each call is given."""
        takers = [part for part in self.path if part.function.takes(Role.MESSAGE)]
        added = [part.function for part in self.path if _is_only_data(part)]
        for part in self.path:
            if part in takers:
                for length in self._share(part, takers):
                    yield part.function, length
            elif part.function in added:
                if part.function is added[-1]:
                    yield from self._added(added[0], added[-1])
            elif part.function.parameters:  # a session has initialised what has none
                yield part.function, 0

    def _share(self, part: Phase, takers: list[Phase]) -> Pieces:
        """Return the pieces that a function is given."""
        if len(takers) == 1:
            return self.pieces
        return self.pieces[:-1] if part is takers[0] else self.pieces[-1:]

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
        arguments = tuple(self._argument(one, length) for one in function.parameters)
        self._at[Role.MESSAGE if function.takes(Role.MESSAGE) else Role.DATA] += length
        return Step(function.name.lower(), int(function), arguments)

    def _argument(self, one: Parameter, length: int) -> Argument:
        if one.way is Way.LENGTH:
            return self._number(one.name, length)
        if one.role is Role.MESSAGE and self.from_nowhere and not length:
            return None
        if one.role is Role.DATA and not self.data:
            return None
        at = self._at.get(one.role, 0)
        return symbol(one.name).at(at) if at else symbol(one.name)

    def _number(self, name: str, length: int) -> int:
        if name == "bytes":
            return length
        if name == "blocks":
            return length // self.unit
        return sum(self.data) if name == "AADbytes" else self.numbers[name]


def _is_only_data(part: Phase) -> bool:
    return part.function.takes(Role.DATA) and not part.function.takes(Role.MESSAGE)
