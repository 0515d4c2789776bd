# SPDX-License-Identifier: MIT
"""The 20 operations of eBACS: their functions, parameters and constants.

From the prototypes and macros of SUPERCOP 20260330. The functions are those that every
implementation of the operation has; all names are without `crypto_<operation>`.
Loaders, generated headers, agents, checks and measures all read this one table.
"""

from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """What a parameter is to its function; the value is its letter in an agent's table."""

    OUT = "o"  # bytes that are written
    IN = "i"  # bytes that are read
    BOTH = "b"  # bytes that are read and written
    LENGTH = "n"  # a number
    LENGTH_OUT = "r"  # the address of a number that is written


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its C type, as the prototype has it, and what it is for."""

    way: Way
    type: str


@dataclass(frozen=True, slots=True)
class OperationFunction:
    """A function: `_xor` of `crypto_stream_xor`, empty for `crypto_stream`; `void` or `int`."""

    suffix: str
    result: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: `crypto_hash` and what belongs to it, in the order of the wire.

    `constants` are what api.h may define, without `CRYPTO_`; `optional` functions need
    not exist. `randomised` operations draw from `randombytes`.
    """

    name: str
    functions: tuple[OperationFunction, ...]
    constants: tuple[str, ...]
    optional: tuple[OperationFunction, ...] = ()
    randomised: bool = False

    @property
    def short(self) -> str:
        """The name without `crypto_`."""
        return self.name.removeprefix("crypto_")


_TYPES = {
    "o": Parameter(Way.OUT, "unsigned char *"),
    "i": Parameter(Way.IN, "const unsigned char *"),
    "b": Parameter(Way.BOTH, "unsigned char *"),
    "n": Parameter(Way.LENGTH, "unsigned long long"),
    "r": Parameter(Way.LENGTH_OUT, "unsigned long long *"),
    "O": Parameter(Way.OUT, "void *"),
    "I": Parameter(Way.IN, "const void *"),
    "B": Parameter(Way.BOTH, "void *"),
    "N": Parameter(Way.LENGTH, "long long"),
}


def _functions(*lines: str, result: str = "int") -> tuple[OperationFunction, ...]:
    """Read `suffix:parameters`."""
    parts = (line.split(":") for line in lines)
    return tuple(
        OperationFunction(suffix, result, tuple(_TYPES[letter] for letter in letters))
        for suffix, letters in parts
    )


def _operation(
    short: str, functions: tuple[OperationFunction, ...], constants: str, **more: object
) -> Operation:
    return Operation(f"crypto_{short}", functions, tuple(constants.split()), **more)  # type: ignore[arg-type]


_ITEMS = "STRBYTES ITEMBYTES ITEMS"
_AUTH = _functions(":oini", "_verify:iini")
_KEYS = "PUBLICKEYBYTES SECRETKEYBYTES"

_ALL = (
    _operation("verify", _functions(":ii"), "BYTES"),
    _operation("decode", _functions(":Oi", result="void"), _ITEMS),
    _operation("encode", _functions(":oI", result="void"), _ITEMS),
    _operation("sort", _functions(":BN", result="void"), "BYTES"),
    _operation("core", _functions(":oiii"), "OUTPUTBYTES INPUTBYTES KEYBYTES CONSTBYTES"),
    _operation("hashblocks", _functions(":bin"), "STATEBYTES BLOCKBYTES"),
    _operation("xof", _functions(":oNiN"), "NOOVERLAP"),
    _operation("hash", _functions(":oin"), "BYTES"),
    _operation(
        "stream",
        _functions(":onii", "_xor:oinii"),
        "KEYBYTES NONCEBYTES BEFORENMBYTES",
        optional=_functions("_beforenm:oi", "_afternm:onii", "_xor_afternm:oinii"),
    ),
    _operation("onetimeauth", _AUTH, "BYTES KEYBYTES"),
    _operation("auth", _AUTH, "BYTES KEYBYTES"),
    _operation(
        "secretbox",
        _functions(":oinii", "_open:oinii"),
        "KEYBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
    ),
    _operation(
        "aead",
        _functions("_encrypt:orininiii", "_decrypt:oroininii"),
        "KEYBYTES NSECBYTES NPUBBYTES ABYTES NOOVERLAP",
    ),
    _operation("rng", _functions(":ooi"), "KEYBYTES OUTPUTBYTES"),
    _operation("scalarmult", _functions(":oii", "_base:oi"), "BYTES SCALARBYTES"),
    _operation(
        "box",
        _functions(
            ":oiniii",
            "_open:oiniii",
            "_keypair:oo",
            "_beforenm:oii",
            "_afternm:oinii",
            "_open_afternm:oinii",
        ),
        f"{_KEYS} BEFORENMBYTES NONCEBYTES ZEROBYTES BOXZEROBYTES",
        randomised=True,
    ),
    _operation("dh", _functions(":oii", "_keypair:oo"), f"BYTES {_KEYS}", randomised=True),
    _operation(
        "sign",
        _functions(":orini", "_open:orini", "_keypair:oo"),
        f"BYTES {_KEYS} DETERMINISTIC",
        randomised=True,
    ),
    _operation(
        "kem",
        _functions("_keypair:oo", "_enc:ooi", "_dec:oii"),
        f"{_KEYS} BYTES CIPHERTEXTBYTES",
        randomised=True,
    ),
    _operation(
        "encrypt",
        _functions(":orini", "_open:orini", "_keypair:oo"),
        f"BYTES {_KEYS}",
        randomised=True,
    ),
)

OPERATIONS = {operation.name: operation for operation in _ALL}
