# SPDX-License-Identifier: MIT
"""What the checksum tests do with each operation: variables, calls, what must hold after them.

The order of variables in a call and of the calls decides which random numbers each gets,
and with them the checksum. Prototypes come from `assay.model.operations`.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.model.api import Function, Way
from assay.model.operations import OPERATIONS

RETURNS = "calls/returns"
DETERMINISTIC = "calls/deterministic"
ROUND_TRIP = "calls/round-trip"
LENGTHS = "calls/lengths"
FORGERIES = "calls/forgeries"
COMMUTATIVE = "calls/commutative"
CONSISTENT = "calls/consistent"
INPUTS = "buffers/inputs"
MARGINS = "buffers/margins"
OVERLAP = "buffers/overlap"

LONGEST = (128, 4096)
LONGEST_XOF = (128, 16384)
LONGEST_CXOF = (128, 256)  # what SP 800-232 allows of a customisation


@dataclass(frozen=True, slots=True)
class TestCall:
    """A call: the names of its variables in the order of the prototype.

    Lengths repeat the name of what they are the length of. `equal` names pairs that must
    be equal afterwards, and which question that answers. `again` says that the first
    output is put in once more. `forged` is what three modifications damage.
    """

    suffix: str
    names: tuple[str, ...]
    equal: tuple[tuple[str, str, str], ...] = ()
    deterministic: bool = True
    overlap: bool = True
    forged: str = ""
    cleared: str = ""
    xor: tuple[str, str, str] | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class TestTask:
    """The tests of an operation; `sizes` gives each variable's length as an expression.

    A length is a sum of products of constants (`KEYBYTES`), other variables (`m`), and a
    number drawn anew (`?`), at most `longest`. `drawn` are in the order of drawing.
    `items` names variables whose parts are that many bytes, in the machine's order.
    """

    operation: str
    loops: tuple[int, int]
    sizes: Mapping[str, str]
    calls: tuple[TestCall, ...]
    drawn: tuple[str, ...] = ()
    longest: tuple[int, int] = LONGEST
    inputs_first: bool = False
    items: Mapping[str, str] | None = None
    returned: str = ""
    shortest: str = ""

    def function(self, call: TestCall) -> tuple[int, Function]:
        """Return a call's function and its number on the wire."""
        return _function(self.operation, call.suffix)

    def roles(self, call: TestCall) -> Mapping[str, tuple[str, ...]]:
        """Return the variables that a call writes, changes, reads, and whose length it writes."""
        return _roles(self.operation, call.suffix, call.names)


@functools.cache
def _function(operation: str, suffix: str) -> tuple[int, Function]:
    functions = OPERATIONS[f"crypto_{operation}"].functions
    number = [one.suffix for one in functions].index(suffix)
    return number, functions[number]


@functools.cache
def _roles(operation: str, suffix: str, names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    pairs = list(zip(names, _function(operation, suffix)[1].parameters, strict=True))
    ways = {"out": Way.OUT, "both": Way.BOTH, "in": Way.IN, "length": Way.LENGTH_OUT}
    return {
        role: tuple(name for name, parameter in pairs if parameter.way is way)
        for role, way in ways.items()
    }


def _call(suffix: str, names: str, **more: object) -> TestCall:
    return TestCall(suffix, tuple(names.split()), **more)  # type: ignore[arg-type]


def _sizes(line: str) -> dict[str, str]:
    return {part.partition(":")[0]: part.partition(":")[2] for part in line.split()}


def _task(
    operation: str, small: int, sizes: str, *calls: TestCall, growth: int = 8, **more: object
) -> TestTask:
    return TestTask(operation, (small, small * growth), _sizes(sizes), calls, **more)  # type: ignore[arg-type]


def _authenticator(operation: str) -> TestTask:
    return _task(
        operation,
        4096,
        "h:BYTES m:? k:KEYBYTES",
        _call("", "h m m k"),
        _call("_verify", "h m m k", forged="h"),
        drawn=("m",),
    )


_OPENED = (("t", "m", ROUND_TRIP),)
_ITEMS = "ITEMS*ITEMBYTES"

_ALL = (
    _task(
        "decode", 1024, f"x:STRBYTES y:{_ITEMS}", _call("", "y x", overlap=False),
        growth=4, inputs_first=True, items={"y": "ITEMBYTES"},
    ),
    _task(
        "encode", 1024, f"x:{_ITEMS} y:STRBYTES", _call("", "y x", overlap=False),
        growth=4, inputs_first=True, items={"x": "ITEMBYTES"},
    ),
    _task(
        "sort", 1024, "y:?*BYTES", _call("", "y y", overlap=False, again=True),
        growth=4, drawn=("y",), items={"y": "BYTES"},
    ),
    _task("core", 512, "h:OUTPUTBYTES n:INPUTBYTES k:KEYBYTES c:CONSTBYTES", _call("", "h n k c")),
    _task(
        "hashblocks", 4096, "h:STATEBYTES m:?", _call("", "h m m", overlap=False),
        drawn=("m",), returned="BLOCKBYTES",
    ),
    _task("xof", 64, "h:? m:?", _call("", "h h m m"), drawn=("m", "h"), longest=LONGEST_XOF),
    _task(
        "cxof",
        64,
        "h:? m:? z:?",
        _call("", "h h m m z z"),
        drawn=("m", "h", "z"),
        longest=LONGEST_CXOF,
    ),
    _task("hash", 64, "h:BYTES m:?", _call("", "h m m"), drawn=("m",)),
    _task(
        "stream", 512, "k:KEYBYTES n:NONCEBYTES m:? c:m s:m",
        _call("", "s s n k", overlap=False),
        _call("_xor", "c m m n k", xor=("s", "m", "c")),
        drawn=("m",),
    ),
    _authenticator("onetimeauth"),
    _authenticator("auth"),
    _task(
        "secretbox", 4096, "k:KEYBYTES n:NONCEBYTES m:? c:m t:m",
        _call("", "c m m n k", cleared="c"),
        _call("_open", "t c c n k", equal=_OPENED),
        drawn=("m",), shortest="ZEROBYTES",
    ),
    _task(
        "aead", 64, "k:KEYBYTES s:NSECBYTES p:NPUBBYTES a:? m:? c:m+ABYTES t:c r:NSECBYTES",
        _call("_encrypt", "c c m m a a s p k"),
        _call(
            "_decrypt", "t t r c c a a p k",
            equal=(*_OPENED, ("r", "s", ROUND_TRIP)), forged="c",
        ),
        drawn=("m", "a"),
    ),
    _task("rng", 64, "k:KEYBYTES r:OUTPUTBYTES n:KEYBYTES", _call("", "r n k")),
    _task(
        "scalarmult", 64, "a:SCALARBYTES b:SCALARBYTES c:BYTES d:BYTES e:BYTES f:BYTES",
        _call("_base", "c a"),
        _call("_base", "d b"),
        _call("", "e a d"),
        _call("", "f b c", equal=(("f", "e", COMMUTATIVE),)),
    ),
    _task(
        "box", 512,
        "a:SECRETKEYBYTES b:SECRETKEYBYTES y:PUBLICKEYBYTES z:PUBLICKEYBYTES "
        "e:BEFORENMBYTES f:BEFORENMBYTES n:NONCEBYTES m:? c:m d:m t:m",
        _call("_keypair", "y a"),
        _call("_keypair", "z b"),
        _call("", "c m m n z a", cleared="c"),
        _call("_open", "t c c n y b", equal=_OPENED),
        _call("_beforenm", "e z a"),
        _call("_beforenm", "f y b"),
        _call("_afternm", "d m m n e", equal=(("d", "c", CONSISTENT),)),
        _call("_open_afternm", "t d d n f", equal=_OPENED),
        drawn=("m",), shortest="ZEROBYTES",
    ),
    _task(
        "dh", 64,
        "a:SECRETKEYBYTES b:SECRETKEYBYTES c:PUBLICKEYBYTES d:PUBLICKEYBYTES e:BYTES f:BYTES",
        _call("_keypair", "c a"),
        _call("_keypair", "d b"),
        _call("", "e d a"),
        _call("", "f c b", equal=(("f", "e", COMMUTATIVE),)),
    ),
    _task(
        "sign", 8, "p:PUBLICKEYBYTES s:SECRETKEYBYTES m:? c:m+BYTES t:c",
        _call("_keypair", "p s"),
        _call("", "c c m m s"),
        _call("_open", "t t c c p", equal=_OPENED, forged="c"),
        drawn=("m",),
    ),
    _task(
        "kem", 8, "p:PUBLICKEYBYTES s:SECRETKEYBYTES k:BYTES c:CIPHERTEXTBYTES t:BYTES",
        _call("_keypair", "p s"),
        _call("_enc", "c k p", deterministic=False),
        _call("_dec", "t c s", equal=(("t", "k", ROUND_TRIP),), forged="c"),
    ),
    _task(
        "encrypt", 8, "p:PUBLICKEYBYTES s:SECRETKEYBYTES m:? c:m+BYTES t:c",
        _call("_keypair", "p s"),
        _call("", "c c m m p", deterministic=False),
        _call("_open", "t t c c s", equal=_OPENED),
        drawn=("m",),
    ),
)  # fmt: skip

TASKS = {f"crypto_{task.operation}": task for task in _ALL}

EARLIER: Mapping[str, TestTask] = {
    name: replace(TASKS[name], calls=tuple(replace(one, forged="") for one in TASKS[name].calls))
    for name in ("crypto_kem",)
}
"""Tests that SUPERCOP changed since, as they were in 20190811: without damaged ciphertexts."""
