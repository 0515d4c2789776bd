# SPDX-License-Identifier: MIT
"""What each parameter of a C function is to an operation, guessed from its name and its type."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from assay.errors import UsageError
from assay.model.api import Api, Function, Parameter, Way
from assay.package.wrapped.apart import (
    TAGS,
    in_place,
    is_given,
    length_in_buffer,
    place_in_buffer,
    unneeded,
)
from assay.package.wrapped.signature import Argument, Prototype

SECRET_NUMBER = "nsec"  # of AEADs, and of no bytes in all that are in use
UNCLEAR = "?"
# What people call the parameters of SUPERCOP's prototypes; the most certain first.
CALLED = {
    "out": "out output dst dest md digest hash h mac tag r res result buffer_out",
    "h": "h mac tag out output md digest dst",
    "q": "q out output shared shared_secret secret mypublic result r pub",
    "x": "x a s1 p1 lhs",
    "y": "y b s2 p2 rhs",
    "c": "c ciphertext cipher_text ct out output dst dest crypted enc in input src",
    "m": "m message msg plaintext plain_text pt in input src data text out output dst dest",
    "in": "in input src m message msg data buf d text plaintext",
    "k": "k key secret_key",
    "n": "n nonce iv npub seq scalar secret secret_key sk your_secret_key private_key mysecret",
    "p": "p point basepoint public_key pk their_public_key peer basepoint peer_public",
    "npub": "npub nonce iv n",
    "nsec": "nsec",
    "ad": "ad aad adata additional associated header hdr a",
    "pk": "pk public_key pub",
    "sk": "sk secret_key private_key priv",
    "sm": "sm signed_message signed out",
    "statebytes": "statebytes state h iv ctx",
}
_READ, _WRITTEN = frozenset({"in", "input", "src"}), frozenset({"out", "output", "dst", "dest"})
_LENGTH = re.compile(r"_?(?:len(?:gth)?|size|sz|bytes|n)(?:_p)?$")
_BYTES = re.compile(
    r"\b(?:void|char|byte|octet|short|int|long|unsigned|word\d*|limb|u?int\d+(?:_t)?|(?:u|__[bl]e)\d+)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"size_t|\b(?:int|long)\b|u?int\d+_t")
_BITS = re.compile(r"_?(?:size_?)?bits?(?:_?(?:len(?:gth)?|size))?$")  # `kbits`, `databitlen`
_EITHER = re.compile(r"(?:len(?:gth)?|size|sz)_b$")  # bits to some, bytes to others
_COUNTER = re.compile("counter|ctr")
_COUNTED = re.compile(r"(?:size_t|unsigned long|unsigned int|u?int(?:32|64)_t) ?\*")
_COUNTING = re.compile(r"len|size|sz|bytes|count$|cnt$|num|^n|^l$")
_TAG = re.compile(r"(?:auth_?)?(?:mac|tag)")  # whose length stands beside no tag of its own
_COUNTS = frozenset({"n", "len", "length", "size", "count", "cnt", "nbytes", "bytes", "num", "l"})


def _names(parameter: Parameter) -> list[str]:
    return [parameter.name, *CALLED.get(parameter.name, "").split()]


def _bare(name: str) -> str:
    return re.sub(r"^(?:p|b|_)?(?=[A-Z_])", "", name).strip("_").lower() or name.lower()


def guess(signature: Prototype, function: Function, operation: Api) -> tuple[str, ...]:
    """Return an expression for each parameter, in the operation's names; UNCLEAR for some."""
    return _Guess(with_const(signature.arguments, function), function, operation).roles()


def with_const(arguments: Sequence[Argument], function: Function) -> Sequence[Argument]:
    """Return parameters with the const that some authors write nowhere, as names tell it.

    Of one buffer alone nothing is told: it may be changed where it lies.
    """
    pointers = [one for one in arguments if one.is_pointer and is_bytes(one)]
    alone = len(pointers) == 1 and {"c", "m"} <= {one.name for one in function.parameters}
    if alone or any(one.is_const for one in pointers):
        return arguments
    read = {one.name for one in pointers if _is_read(_bare(one.name), function)}
    outputs = [one for one in function.parameters
               if one.way is Way.OUT and has_bytes(one)]  # fmt: skip
    written = [
        next((each.name for each in pointers
              if each.name not in read and _bare(each.name) in _names(one)), "")
        for one in outputs
    ]  # fmt: skip
    if all(written):  # what is left is read
        rest = (one for one in pointers if not _COUNTED.fullmatch(one.type))
        read |= {one.name for one in rest if _bare(one.name) not in TAGS} - {*written}
    return [replace(one, type=f"const {one.type}") if one.name in read and one in pointers else one
            for one in arguments]  # fmt: skip


def _is_read(name: str, function: Function) -> bool:
    """Return whether a parameter of this name is only read by a function."""
    if name in TAGS and function.suffix in ("_decrypt", "_verify"):
        return True
    takers = [one for one in function.parameters if name in _names(one)]
    ways = {one.way for one in takers}
    return name in _READ or (ways == {Way.IN} and name not in _WRITTEN)


def has_bytes(one: Parameter) -> bool:
    """Return whether a parameter of an operation has bytes, as the nonce of RC4 has not."""
    return one.name != SECRET_NUMBER and one.size != "0"


def is_bytes(one: Argument) -> bool:
    """Return whether a pointer is to bytes or words, and not to a length or to a context."""
    kind = one.items or one.type
    return _BYTES.search(kind) is not None and not re.search(r"size_t|long long", kind)


class _Guess:
    """What the parameters of a function are to an operation's, as far as it is found."""

    def __init__(self, arguments: Sequence[Argument], function: Function, operation: Api) -> None:
        self.arguments, self.function, self.operation = arguments, function, operation
        self.names = [_bare(one.name) for one in arguments]
        self.pointers = [n for n, one in enumerate(arguments) if one.is_pointer and is_bytes(one)]
        ways = (Way.OUT, Way.IN, Way.BOTH)
        self.data = [one for one in function.parameters if one.way in ways]
        self.found = [UNCLEAR] * len(arguments)

    def roles(self) -> tuple[str, ...]:
        """Assign what is most certain first, and lengths when their owners are known."""
        if not any(one.name for one in self.arguments):
            self._by_order()
        self._by_name()
        for at in (*self.pointers, *self.pointers):  # a message may stand before its signature
            if self.found[at] == UNCLEAR:
                one, name = self.arguments[at], self.names[at]
                self.found[at] = place_in_buffer(one, name, self.function, self.found) or UNCLEAR
        self._by_rest()
        for at in self.pointers:
            if self.found[at] == UNCLEAR:
                name = self.names[at]
                self.found[at] = unneeded(at, name, self.arguments, self.function) or UNCLEAR
        self._lengths()
        return tuple(self.found)

    def _by_order(self) -> None:
        """Assign pointers without names in the operation's order, if there is one for each."""
        for writes in (True, False):
            mine = [at for at in self.pointers if self.arguments[at].is_const is not writes]
            wanted = [one for one in self.data if (one.way is not Way.IN) is writes]
            if len(mine) == len(wanted):
                for at, one in zip(mine, wanted, strict=True):
                    self.found[at] = one.name

    def _by_name(self) -> None:
        for at in self.pointers:
            read = self.arguments[at].is_const
            fitting = (one for one in self.data if read is (one.way is Way.IN))
            called = (one.name for one in fitting if self.names[at] in _names(one))
            free = (name for name in called if name not in self.found)
            self.found[at] = next(free, self.found[at])

    def _by_rest(self) -> None:
        """Assign what is left, if it is one of each sort; a counter is a nonce, if anything."""
        for writes in (True, False):
            left = [at for at in self.pointers if self.found[at] == UNCLEAR
                    and self.arguments[at].is_const is not writes]  # fmt: skip
            rest = [one.name for one in self.data if one.name not in self.found
                    and has_bytes(one) and (one.way is not Way.IN) is writes]  # fmt: skip
            if len(left) == len(rest) == 1:
                counts = _COUNTER.search(self.arguments[left[0]].name.lower())
                if not counts or rest[0] in ("n", "npub"):
                    self.found[left[0]] = rest[0]

    def _lengths(self) -> None:
        """Assign numbers: the length of what they are named after, or of what stands before them.

        Of what stands before them, one number alone says how long it is.
        """
        beside: list[int] = []
        for at, one in enumerate(self.arguments):
            if self.found[at] != UNCLEAR:
                continue
            if one.is_pointer:
                if not is_bytes(one) or _COUNTED.fullmatch(one.type):
                    self.found[at] = self._length_pointer(at)
                continue
            if _EITHER.search(self.names[at]):
                continue
            if _BITS.search(self.names[at]):
                self.found[at] = self._in_bits(at)
                continue
            other = self._owner(at)
            if other is None:
                beside.append(at)
                self.found[at] = _tag_length(one.name, self.operation)
                if self.found[at] != UNCLEAR:
                    continue
            owner = self._before(at) if other is None else self.found[other]
            self.found[at] = self._length_of(one.name, owner)
        for at in beside:
            role, named = self.found[at], _stem(self.arguments[at].name)
            if role.isidentifier() and self.found.count(role) > 1 and named:
                self.found[at] = UNCLEAR

    def _in_bits(self, at: int) -> str:
        """Return the bits of what a number is named after, which may stand elsewhere."""
        stem = _BITS.sub("", self.names[at])
        near = (
            self.found[other]
            for other, one in enumerate(self.arguments)
            if stem not in ("", "n", "num") and one.is_pointer
            and self.names[other].startswith(stem)
        )  # fmt: skip
        words = {name: CALLED[name].split() for name in ("k", "n", "npub", "out") if stem != "n"}
        called = (name for name, known in words.items() if stem in known)
        for owner in (*near, *called):
            size = self._length_of("", owner)
            if size != UNCLEAR:
                return f"8*{size}" if size.isidentifier() else f"8*({size})"
        return UNCLEAR

    def _length_pointer(self, at: int) -> str:
        """Return what the address of a length gets: one of the operation's, or a fixed one."""
        kind, owner = self.arguments[at].type, self.found[at - 1] if at else ""
        if not _NUMBER.search(kind):
            return UNCLEAR
        fixed = length_in_buffer(owner, ())
        if not fixed and owner in ("out", "h") and "BYTES" in self.operation.constants:
            fixed = "CRYPTO_BYTES"
        if fixed:
            return f"&({kind.replace('*', '').strip()}){{{fixed}}}"
        outs = (one.name for one in self.function.parameters if one.way is Way.LENGTH_OUT)
        return next(outs, UNCLEAR)

    def _owner(self, at: int) -> int | None:
        """Return which parameter a number is named after, if it is after one."""
        stem = _LENGTH.sub("", self.names[at])
        bare = {n: self.names[n] for n, one in enumerate(self.arguments) if one.is_pointer}
        found = [other for other, name in bare.items() if name.startswith(stem)]
        counted = [other for other, name in bare.items() if f"n{name}" == stem]  # `nheader`
        named = _stem(self.arguments[at].name)
        return next(iter((*found, *counted) if named else counted), None)

    def _before(self, at: int) -> str:
        """Return what the operation has where the pointer before a number stands."""
        before = [self.found[n] for n in range(at) if self.arguments[n].is_pointer]
        return before[-1] if before else [*self.found, UNCLEAR][at + 1]

    def _length_of(self, called: str, owner: str) -> str:
        """Return the number that says how long a parameter of the operation is."""
        if owner == "NULL":
            return "0"
        if called and not _COUNTING.search(called.lower()):
            return UNCLEAR  # a counter, or which hash
        if inner := length_in_buffer(owner, self.found):
            return inner
        numbers = [one.name for one in self.function.parameters if one.way is Way.LENGTH]
        for number in (f"{owner}len", "mlen", "inlen", "clen", "len"):
            own = number == f"{owner}len" or owner in ("c", "m", "in")
            if number in numbers and own and owner not in ("out", "h"):
                return number
        fixed = {"k": "KEYBYTES", "npub": "NPUBBYTES", "n": "NONCEBYTES", "out": "BYTES",
                 "h": "BYTES"}  # fmt: skip
        constant = fixed.get(owner, "")
        return f"CRYPTO_{constant}" if constant in self.operation.constants else UNCLEAR


def _stem(name: str) -> str:
    """Return whose length a number is by its name; empty where it says of nothing's."""
    return "" if _bare(name) in _COUNTS else _LENGTH.sub("", _bare(name))


def _tag_length(name: str, operation: Api) -> str:
    """Return the constant that a tag's length is; UNCLEAR for other numbers."""
    stem = _stem(name)
    if "ABYTES" in operation.constants and stem != _bare(name) and _TAG.fullmatch(stem):
        return "CRYPTO_ABYTES"
    return UNCLEAR


def given(text: str, signature: Prototype) -> tuple[str, ...]:
    """Read `--roles`: an expression for each parameter."""
    parts = tuple(_parts(text)) if text.strip() else ()
    if len(parts) != len(signature.arguments):
        raise UsageError(
            f"--roles has {len(parts)} roles, and {signature.name} {len(signature.arguments)} "
            "parameters",
            "Name one for each, in their order; 0 and NULL are allowed.",
        )
    return parts


def _parts(text: str) -> Iterator[str]:
    """Yield what commas separate, outside of brackets."""
    depth, part = 0, ""
    for one in text:
        depth += (one in "({[") - (one in ")}]")
        if one == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += one
    yield part.strip()


def require_clear(roles: Sequence[str], signature: Prototype, function: Function) -> None:
    """Raise UsageError for parameters whose roles could not be guessed, with what to write."""
    unclear = [
        str(one) for one, role in zip(signature.arguments, roles, strict=True) if role == UNCLEAR
    ]
    names = [one.name for one in function.parameters]
    lacking = unused(function, roles)
    if unclear or lacking:
        what = f"it is unclear what {', '.join(unclear)} is" if unclear else ""
        lacks = f"nothing is given {', '.join(lacking)}" if lacking else ""
        raise UsageError(
            f"{signature.name}: {'; '.join(filter(None, (what, lacks)))}",
            f'Say it for each parameter: --roles "{",".join(roles)}" with {", ".join(names)}, '
            "a constant such as CRYPTO_KEYBYTES, random(32) for a seed of 32 bytes, "
            "sk=random(32) for a secret key that is drawn, 8*inlen for a length in bits, or C "
            "such as NULL, clen-16 or &(size_t){CRYPTO_BYTES} in place of each ?.",
        )


def doubts(roles: Sequence[str], function: Function) -> int:
    """Return how many parameters are unclear, on both sides."""
    return roles.count(UNCLEAR) + len(unused(function, roles))


def unused(function: Function, roles: Sequence[str]) -> list[str]:
    """Return the parameters of an operation's function that no role has."""
    return [one.name for one in function.parameters
            if one.way is not Way.LENGTH_OUT and has_bytes(one)
            and not is_given(one.name, roles)
            and not (one.name == "m" and in_place(function, roles))
            and not any(re.search(rf"\b{one.name}\b", role) for role in roles)]  # fmt: skip
