# SPDX-License-Identifier: MIT
"""The functions that agents of ciphers and hashes offer, by number, and the ways through them.

A row is a function of `harness/agent/<kind>.c` with what a call is given: places, then numbers.
Operations have no rows here: their functions are those of `assay.model.operations`, numbered as
an agent describes them. The order of calls is that of `Api.phases`.
"""

import re
from enum import IntEnum
from functools import cache
from typing import Self

from msgspec import Struct

from assay.model.api import Api, Parameter, Role, Way
from assay.model.apis import PACKAGED
from assay.model.kinds import PackageKind

_ROLES = {
    "ctx": Role.STATE, "key": Role.KEY, "IV": Role.NONCE, "AAD": Role.DATA,
    "input": Role.MESSAGE, "output": Role.MESSAGE, "data": Role.MESSAGE,
    "MAC": Role.MAC, "digest": Role.DIGEST,
    "bytes": Role.LENGTH, "blocks": Role.LENGTH, "AADbytes": Role.LENGTH,
}  # fmt: skip


class WireFunction(IntEnum):
    """A function by its number on the wire, and its parameters: `way name` of each."""

    parameters: tuple[Parameter, ...]
    roles: frozenset[Role]

    def __new__(cls, number: int, inside: str = "") -> Self:
        """Read a row."""
        member = int.__new__(cls, number)
        member._value_ = number
        words = (one.split() for one in inside.split(", ") if one)
        member.parameters = tuple(
            Parameter(Way(letter), "", name, _ROLES.get(name, Role.SIZE)) for letter, name in words
        )
        member.roles = frozenset(one.role for one in member.parameters)
        return member

    def takes(self, role: Role) -> bool:
        """Return whether one of the parameters has a role."""
        return role in self.roles


class StreamFunction(WireFunction):
    """The functions of the kind `stream`."""

    INIT = 0
    KEYSETUP = 1, "b ctx, i key, n keybits, n IVbits, n MACbits"
    IVSETUP = 2, "b ctx, i IV"
    ENCRYPT_BYTES = 3, "b ctx, i input, o output, n bytes"
    DECRYPT_BYTES = 4, "b ctx, i input, o output, n bytes"
    ENCRYPT_BLOCKS = 5, "b ctx, i input, o output, n blocks"
    DECRYPT_BLOCKS = 6, "b ctx, i input, o output, n blocks"
    KEYSTREAM_BYTES = 7, "b ctx, o output, n bytes"
    KEYSTREAM_BLOCKS = 8, "b ctx, o output, n blocks"
    ENCRYPT_PACKET = 9, "b ctx, i IV, i AAD, i input, o output, o MAC, n AADbytes, n bytes"
    DECRYPT_PACKET = 10, "b ctx, i IV, i AAD, i input, o output, o MAC, n AADbytes, n bytes"
    AUTHENTICATE_BYTES = 11, "b ctx, i AAD, n bytes"
    AUTHENTICATE_BLOCKS = 12, "b ctx, i AAD, n blocks"
    FINALIZE = 13, "b ctx, o MAC"
    THREADS = 14
    LONG = 15


class HashFunction(WireFunction):
    """The functions of the kind `hash`."""

    INIT = 0, "b ctx, n bits"
    UPDATE = 1, "b ctx, i data, n bytes"
    CLOSE = 2, "b ctx, o digest, n last, n count"
    LONG_UPDATE = 3
    HANDLER = 4
    THREADS = 5
    REFUSED = 6
    WHOLE = 7, "i data, o digest, n bits, n low, n high"
    NOTHING = 0xFF


ROWS: dict[PackageKind, type[WireFunction]] = {
    PackageKind.STREAM: StreamFunction,
    PackageKind.HASH: HashFunction,
}
_NAMED = {"": "UPDATE", "FINAL": "CLOSE", "HASH": "WHOLE"}  # where adapters call them otherwise
_PROCESS, _VERBS = "PROCESS", ("ENCRYPT", "DECRYPT")


class Phase(Struct, frozen=True):
    """A function that a message calls; any number of times, for pieces of it, if `repeated`."""

    function: WireFunction
    repeated: bool


Path = tuple[Phase, ...]


@cache
def paths(name: str) -> tuple[Path, ...]:
    """Return the ways of a message through the phases of an API, in the order of the wire.

    There are none through those of an API that is not known.
    """
    api = PACKAGED.get(name)
    if api is None:
        return ()
    tokens = re.findall(r"\w+|[()|*]", api.phases)
    rows = ROWS[api.kind]
    found = [
        tuple(_phase(api, rows, name.replace(_PROCESS, verb), repeated) for name, repeated in one)
        for verb in _VERBS
        for one in _alternatives([one.upper() for one in tokens])
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: [part.function for part in one]))


def _alternatives(tokens: list[str]) -> list[tuple[tuple[str, bool], ...]]:
    """Read an expression up to its end: names, and whether each may be repeated."""
    done: list[tuple[tuple[str, bool], ...]] = []
    current: list[tuple[tuple[str, bool], ...]] = [()]
    while tokens and (token := tokens.pop(0)) != ")":
        if token == "|":
            done, current = [*done, *current], [()]
            continue
        inner = _alternatives(tokens) if token == "(" else None
        repeated = tokens[:1] == ["*"]
        del tokens[: int(repeated)]
        more = inner or [((token, repeated),)]  # a group is gone through once
        current = [(*one, *two) for one in current for two in more]
    return [*done, *current]


def _phase(api: Api, rows: type[WireFunction], name: str, repeated: bool) -> Phase:
    """Return the function of an agent that stands for one of an API."""
    short = name.removeprefix(api.prefix.upper()).removeprefix("_AE").removeprefix("_")
    return Phase(rows[_NAMED.get(short, short)], repeated)
