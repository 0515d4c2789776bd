# SPDX-License-Identifier: MIT
"""The form in which every API is described: functions, typed parameters, and what is around them.

The rows are in `assay.model.apis` and, for operations, in
`assay.model.operations`. Loaders, adapters, skeletons, checks, messages and docs read them.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from assay.model.kinds import PackageKind
from assay.model.timed import NOT_TIMED, TimingTable

STEM = "xxx"
"""Stands for the name of a package's header in the names of an API's functions and types."""

_PROTOTYPE = re.compile(
    r"(?:/\* (?P<says>[^*]*(?:\*(?!/)[^*]*)*) \*/ )?"
    r"(?P<result>\w+) (?P<name>\w+)\((?P<parameters>[^)]*)\);"
)


class Way(StrEnum):
    """What a parameter is to its function; the value is its letter in an agent's table."""

    OUT = "o"  # bytes that are written
    IN = "i"  # bytes that are read
    BOTH = "b"  # bytes that are read and written
    LENGTH = "n"  # a number
    LENGTH_OUT = "r"  # the address of a number that is written


class Role(StrEnum):
    """What the bytes or the number of a parameter are to the primitive."""

    STATE = "state"
    KEY = "key"
    NONCE = "nonce"
    MESSAGE = "message"
    CIPHERTEXT = "ciphertext"  # with its tag, or a message with its signature
    PUBLIC_KEY = "public key"
    KEYSTREAM = "keystream"
    DATA = "associated data"
    MAC = "MAC"
    DIGEST = "digest"
    PREVIOUS = "previous ciphertext"
    SIZE = "size"  # of a key, a nonce, a MAC or a digest: fixed for a whole message
    LENGTH = "length"  # of what this call is given
    BITS = "last bits"
    ACTION = "direction"
    OTHER = "other"


class Promise(StrEnum):
    """What the rules of an API demand beyond the right outputs.

    Where an API does not promise something, code that lacks it has no defect.
    """

    COPIES = "a context may be copied at any time"
    IN_PLACE = "the output may overwrite the input"
    ERASED = "inputs may be erased once they have been taken"
    MODES = "results do not depend on floating-point modes"
    EMPTY = "a call may have no data, from a null pointer"
    REENTRANT = "threads and signal handlers may use the code at the same time"
    ANNEX_A = "object code, header and instructions follow Annex A of the Shabal paper"


class Parameter(Struct, frozen=True):
    """A parameter: its C type, as the prototype has it, and what it is for.

    `size` is its size in bytes, in the names of other parameters and of constants.
    """

    way: Way
    type: str
    name: str = ""
    role: Role = Role.OTHER
    size: str = ""

    def __str__(self) -> str:
        """Write it as in a prototype."""
        return f"{self.type}{'' if self.type.endswith(' *') else ' '}{self.name}"


class Function(Struct, frozen=True):
    """A function: `_xor` of `crypto_stream_xor`, empty for `crypto_stream`.

    `suffix` is its name without the prefix of its API. `says` is what it does, for skeletons.
    """

    suffix: str
    result: str
    parameters: tuple[Parameter, ...]
    says: str = ""


class CallTable(Struct, frozen=True):
    """A variable that names an implementation's functions for a framework.

    `header` declares the variable `name`; `members` are those of the functions, in their order.
    """

    header: str
    name: str
    members: tuple[str, ...]


class Marks(Struct, frozen=True):
    """By what a folder is known to hold a package of an API.

    `headers` are names of header files. A header of another name is one, too, if its code
    matches all patterns in `declares`; there `xxx` stands for the header's name. Folders with a
    file of `unless` are of another API. `called` is what messages call such a header.
    """

    headers: tuple[str, ...] = ()
    declares: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    guard: str = ""
    called: str = ""


class Api(Struct, frozen=True):
    """An API, and what belongs to it, its functions in the order of the wire.

    `kind` is the sort of agent. The names of functions begin with `prefix`. `constants` are
    what the header may define (of an operation, without `CRYPTO_`); `optional` functions need
    not exist, and `related` ones are called where a package's header declares them.

    `phases` is a regular expression over the functions, and those that headers make of them for
    blocks and packets: the order in which they may be called (`assay.model.wire`).
    `marks` say how a package is recognised; `answers` are the files with known answers, the best
    first, whose names may be patterns. `sizes` are those of the outputs, in bits, where the API
    fixes them. `parts` are folders of the harness with a source for this API, compiled with the
    package's header; `sees` those that it may include from. `package_words` and `adapter_words`
    are options for a package and its adapter, with `{api}`, `{variant}`, `{header}` and `{stem}`.
    `table` is the variable by which a framework of others calls implementations of this API.
    `timing` says what is timed.
    """

    name: str
    functions: tuple[Function, ...]
    constants: tuple[str, ...] = ()
    optional: tuple[Function, ...] = ()
    related: tuple[Function, ...] = ()
    kind: PackageKind = PackageKind.OPERATION
    prefix: str = ""
    phases: str = ""
    marks: Marks = Marks()
    answers: tuple[str, ...] = ()
    package_words: tuple[str, ...] = ("-Ipackage",)
    adapter_words: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    sees: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    promises: frozenset[Promise] = frozenset()
    table: CallTable | None = None
    timing: TimingTable = NOT_TIMED

    @property
    def short(self) -> str:
        """The name without `crypto_`."""
        return self.name.removeprefix("crypto_")

    @property
    def roles(self) -> frozenset[Role]:
        """The roles of all parameters."""
        every = (*self.functions, *self.optional)
        return frozenset(one.role for function in every for one in function.parameters)

    def pointer(self, function: Function, variable: str, stem: str = STEM) -> str:
        """Write the definition of a pointer to a function that has the declared type."""
        head, _, inside = self.prototype(function, stem).partition("(")
        result, _, name = head.rpartition(" ")
        return f"{result} (*const {variable})({inside} = {name};"

    def has(self, suffix: str) -> bool:
        """Return whether there is a function, optional ones included."""
        return any(one.suffix == suffix for one in (*self.functions, *self.optional))

    def prototype(self, function: Function, stem: str = STEM) -> str:
        """Write a function's prototype, less the semicolon; `stem` is the header's name."""
        inside = ", ".join(map(str, function.parameters)) or "void"
        text = f"{function.result} {self.prefix}{function.suffix}({inside})"
        return re.sub(rf"\b{STEM}(?![a-zA-Z])", stem, text)


def functions_of(prefix: str, roles: Mapping[str, str], declarations: str) -> tuple[Function, ...]:
    """Read prototypes as a header has them; a comment says what the function behind it does.

    `roles` says of every name of a parameter: role and size in bytes, as in `key keysize/8`.
    """
    found = _PROTOTYPE.finditer(" ".join(declarations.split()))
    return tuple(_function(prefix, roles, match) for match in found)


def _function(prefix: str, roles: Mapping[str, str], match: re.Match[str]) -> Function:
    inside = [one for one in match["parameters"].strip().split(", ") if one != "void"]
    parameters = tuple(_parameter(roles, one) for one in inside)
    suffix = match["name"].removeprefix(prefix)
    return Function(suffix, match["result"], parameters, match["says"] or "")


def _parameter(roles: Mapping[str, str], text: str) -> Parameter:
    name = re.split(r"[ *]", text)[-1]
    type_ = text.removesuffix(name).strip()
    word, _, size = roles[name].partition(" ")
    role = Role[word.upper()]
    return Parameter(_way(type_, role), type_, name, role, size)


def _way(type_: str, role: Role) -> Way:
    """Return what a parameter is by its type; what is kept from call to call is read, too."""
    if not type_.endswith("*"):
        return Way.LENGTH
    if type_.startswith("const "):
        return Way.IN
    return Way.BOTH if role in (Role.STATE, Role.PREVIOUS) else Way.OUT
