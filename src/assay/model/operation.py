# SPDX-License-Identifier: MIT
"""An operation: its name, and the columns of the table (`assay.model.operations`) with its row."""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from assay.model.api import Api, Function, Parameter, Role, Way
from assay.model.tested import NOT_TESTED, MakeTests, TestTable
from assay.model.timed import MESSAGE, TimingTable, sizes, timed

SCORE = "score/-"
SCORED_BYTES, SCORED_ITEMS = 1536, 768  # what SUPERCOP compares implementations by
TABLE_BYTES = (8, 64, 576, 1536, 4096)  # the columns of eBACS
LONG_BYTES = (16384, 24576, 32768)  # for the line that "long" is the slope of
UNSCORED = frozenset(("keypair_cycles", "beforenm_cycles"))  # SUPERCOP does them beforehand
ABSENT = frozenset(("NSECBYTES",))  # sizes that are 0 in nearly all packages, or left out
OF_OPTIONAL = frozenset(("BEFORENMBYTES",))  # sizes that only optional functions use
MAY_REPEAT = "DETERMINISTIC"  # the constant that is 1 where signatures draw nothing

_TYPES = {
    "o": (Way.OUT, "unsigned char *"),
    "i": (Way.IN, "const unsigned char *"),
    "b": (Way.BOTH, "unsigned char *"),
    "n": (Way.LENGTH, "unsigned long long"),
    "r": (Way.LENGTH_OUT, "unsigned long long *"),
    "O": (Way.OUT, "void *"),
    "I": (Way.IN, "const void *"),
    "B": (Way.BOTH, "void *"),
    "N": (Way.LENGTH, "long long"),
}

_ROLES = {
    "coins": Role.KEY, "sig": Role.CIPHERTEXT, "ctx": Role.DATA, "mac": Role.MAC,
    "k": Role.KEY, "key": Role.KEY, "sk": Role.KEY, "nsec": Role.KEY, "next_key": Role.KEY,
    "n": Role.NONCE, "npub": Role.NONCE, "pk": Role.PUBLIC_KEY,
    "m": Role.MESSAGE, "in": Role.MESSAGE, "array": Role.MESSAGE,
    "ad": Role.DATA, "cs": Role.DATA,
    "c": Role.CIPHERTEXT, "sm": Role.CIPHERTEXT, "h": Role.MAC,
}  # fmt: skip


class Op(StrEnum):
    """The operations, by whose names their folders and functions are known."""

    VERIFY = "crypto_verify"
    DECODE = "crypto_decode"
    ENCODE = "crypto_encode"
    SORT = "crypto_sort"
    CORE = "crypto_core"
    HASHBLOCKS = "crypto_hashblocks"
    XOF = "crypto_xof"
    HASH = "crypto_hash"
    CXOF = "crypto_cxof"
    STREAM = "crypto_stream"
    ONETIMEAUTH = "crypto_onetimeauth"
    AUTH = "crypto_auth"
    SECRETBOX = "crypto_secretbox"
    AEAD = "crypto_aead"
    RNG = "crypto_rng"
    SCALARMULT = "crypto_scalarmult"
    BOX = "crypto_box"
    DH = "crypto_dh"
    SIGN = "crypto_sign"
    KEM = "crypto_kem"
    ENCRYPT = "crypto_encrypt"


class SealPair(Struct, frozen=True):
    """Suffixes: of a function that seals or authenticates, if there is one, and of its opener."""

    seal: str | None
    unseal: str


class Operation(Api, frozen=True):
    """An operation: all that is said of it anywhere; see `Api` for what every API has.

    `public` are the variables of its calls (a letter each) that are no secret: public keys,
    nonces, ciphertexts. `drawing` functions take bytes from `randombytes`. `seals` are the
    functions that authenticate and those that open or verify, the last ones for many messages.
    `tests` are SUPERCOP's. `reports` is what reports show, as `key: title; key: title`, the first
    one where there is room for one; `/call` or `/item` behind a key says what a figure is for,
    where it is not a byte. They are shown for messages of `shown` bytes, and `other` is the second
    of two lengths. `usual` are sizes that a skeleton has, and `sent` constants: the sizes of what
    goes over the wire. Some bits of `clamped` variables do not matter, by definition.
    """

    public: str = ""
    clamped: str = ""
    drawing: tuple[str, ...] = ()
    seals: tuple[SealPair, ...] = ()
    tests: TestTable = NOT_TESTED
    reports: str = ""
    shown: tuple[int, ...] = TABLE_BYTES
    other: str = ""
    usual: str = ""
    sent: tuple[str, ...] = ()

    @property
    def randomised(self) -> bool:
        """Return whether a function draws from `randombytes`."""
        return bool(self.drawing)

    @property
    def is_symmetric(self) -> bool:
        """Return whether two that have one key process messages."""
        return "KEYBYTES" in self.constants and self.timing.has_message

    @property
    def opening(self) -> tuple[str, ...]:
        """The functions that open or verify."""
        return tuple(one.unseal for one in self.seals)

    @property
    def overhead(self) -> str:
        """The constant by which what is sealed is longer than its message; empty if by none."""
        longer = (text.partition("+") for text in self.timing.variables.values())
        return next((more for first, _, more in longer if first == MESSAGE and more), "")

    @property
    def has_zeros(self) -> bool:
        """Return whether zeros stand before a message, as part of its length."""
        return self.overhead == "ZEROBYTES"

    @property
    def keystreams(self) -> tuple[str, ...]:
        """The functions that encrypt with a key and a nonce."""
        return tuple(
            one.suffix
            for one in self.functions
            if {Role.NONCE, Role.CIPHERTEXT} <= (roles := {each.role for each in one.parameters})
            and Role.PUBLIC_KEY not in roles
            and any(
                each.way is Way.OUT and each.role is Role.CIPHERTEXT for each in one.parameters
            )
        )

    def function(self, suffix: str) -> Function:
        """Return a function by its suffix."""
        return next(one for one in self.functions if one.suffix == suffix)

    def decrypts(self, suffix: str) -> bool:
        """Return whether a function that opens gives a message."""
        return any(one.way is Way.OUT for one in self.function(suffix).parameters)

    def may_repeat(self, suffix: str) -> bool:
        """Return whether a function may be right without randomness: a signature."""
        return not suffix and MAY_REPEAT in self.constants

    def draws(self, suffix: str, constant: Callable[[str], int]) -> bool:
        """Return whether a function takes randomness in a package with these constants."""
        without = self.may_repeat(suffix) and constant(MAY_REPEAT) == 1
        return suffix in self.drawing and not without


def scores(key: str) -> bool:
    """Return whether a measure is a part of the score by which implementations compete."""
    return key.endswith("cycles") and key not in UNSCORED and not key.startswith("forgery")


def functions(*lines: str, result: str = "int") -> tuple[Function, ...]:
    """Read `suffix(letter name, ...)`; names are those of SUPERCOP."""
    return tuple(_function(line, result) for line in lines)


def _function(line: str, result: str) -> Function:
    suffix, _, inside = line.rstrip(")").partition("(")
    words = (one.split() for one in inside.split(", "))
    parameters = (
        Parameter(*_TYPES[letter], name, _ROLES.get(name, Role.OTHER)) for letter, name in words
    )
    return Function(suffix, result, tuple(parameters))


def timing_table(variables: str, *lines: str, zeros: str = "", **more: object) -> TimingTable:
    """Return what is timed, under the keys that SUPERCOP's database lines have."""
    rows = tuple(map(timed, lines))
    settings = {"lengths": (*TABLE_BYTES, *LONG_BYTES), "scored": SCORED_BYTES, "decides": SCORE}
    return TimingTable(sizes(variables), rows, sizes(zeros), **settings | more)  # type: ignore[arg-type]


def operation(
    name: Op,
    own: tuple[Function, ...],
    constants: str,
    timing: TimingTable,
    tests: MakeTests | None = None,
    **more: object,
) -> Operation:
    """Return a row of the table; its tests have the variables of what is timed."""
    words = tuple(constants.split())
    table = tests(own, timing) if tests else NOT_TESTED
    return Operation(name.value, own, words, prefix=name.value, timing=timing, tests=table, **more)  # type: ignore[arg-type]
