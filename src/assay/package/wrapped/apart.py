# SPDX-License-Identifier: MIT
"""What libraries hand over apart, and an operation has in one buffer, or the other way round.

SUPERCOP's `crypto_aead` has the tag behind the ciphertext, and its `crypto_sign` the message
behind the signature. Most libraries have a parameter for each, of a fixed length. The roles here
are C expressions of an operation's parameters, so that a call needs no more than they say;
a signature is made beside the outputs, which may overlap the inputs. Where signing takes the
public key as well, it is kept behind the secret one, as SUPERCOP's Ed25519 has it. Small libraries
add a keystream to a message where it lies, and an operation has a buffer for either.
"""

import re
from collections.abc import Iterator, Sequence

from assay.model.api import Api, Function
from assay.model.operation import Op
from assay.package.wrapped.signature import Argument

SIGNATURE = "sig"  # the role: a buffer of CRYPTO_BYTES, which is copied before the message
FILLED = frozenset({"sm", "m"})  # outputs that the wrapper may copy itself
TAG = "CRYPTO_ABYTES"
TAGS = frozenset({"mac", "tag", "t", "auth_tag", "authtag", "digest", "at"})
_SIGNATURES = re.compile(r"_?c?(?:sig|signature)(?:_?out|_?bytes)?_?|rs", re.IGNORECASE)
_MESSAGES = frozenset(
    {"m", "msg", "message", "data", "in", "input", "hash", "digest", "message_hash"}
)
_DRAWN = frozenset({"seed", "coins", "rnd", "random", "entropy", "randomness", "rand"})
_OPTIONAL = frozenset({"key", "salt", "ctx", "context", "personal", "custom", "pre"})
_ADDS = re.compile("xor|crypt(?!o)", re.IGNORECASE)
_RANDOM = re.compile(r"(?:(?P<into>sk) ?= ?)?random\((?P<count>.+)\)")
_PUBLIC_KEYS = frozenset({"pk", "pub", "pubkey", "publickey", "public_key"})
BEHIND = "sk+CRYPTO_SECRETKEYBYTES-CRYPTO_PUBLICKEYBYTES"  # where signing finds the public key


def drawn(role: str) -> str:
    """Return how many random bytes `random(32)` draws; empty for another role."""
    found = _RANDOM.fullmatch(role.strip())
    return found["count"] if found else ""


def drawn_into(role: str) -> str:
    """Return the output into which `sk=random(32)` draws; empty for a variable of its own."""
    found = _RANDOM.fullmatch(role.strip())
    return (found["into"] or "") if found else ""


def place_in_buffer(one: Argument, name: str, function: Function, found: Sequence[str]) -> str:
    """Return where a pointer lies in what the operation has in one; empty if it is not known.

    `name` is the argument's in small letters; `found` are the roles of the others as far as they
    are known.
    """
    takes = {each.name for each in function.parameters}
    if "k" in takes and "clen" in takes and name in TAGS:
        encrypts = function.suffix == "_encrypt"
        if one.is_const is encrypts:
            return ""
        return "c+mlen" if encrypts else f"c+clen-{TAG}"
    if "sm" in takes and _SIGNATURES.fullmatch(name):
        opens = "pk" in takes
        return "" if one.is_const is not opens else "sm" if opens else SIGNATURE
    if {"sk", "sm"} <= takes and one.is_const and name in _PUBLIC_KEYS:
        return BEHIND
    if "pk" in takes and "sm" in found and one.is_const and name in _MESSAGES:
        return "sm+CRYPTO_BYTES"
    return ""


def length_in_buffer(owner: str, found: Sequence[str]) -> str:
    """Return the length of what lies in a buffer with something else; empty for another."""
    if owner in ("c+mlen", f"c+clen-{TAG}"):
        return TAG
    if owner == "c" and f"c+clen-{TAG}" in found:
        return f"clen-{TAG}"
    if owner == SIGNATURE or (owner == "sm" and "sm+CRYPTO_BYTES" in found):
        return "CRYPTO_BYTES"
    return "smlen-CRYPTO_BYTES" if owner == "sm+CRYPTO_BYTES" else ""


def unneeded(at: int, name: str, arguments: Sequence[Argument], function: Function) -> str:
    """Return what a parameter gets that the operation has not: NULL, or random bytes.

    Keys of hashes and contexts of signatures are left out if their length is told; seeds are
    drawn if theirs is declared.
    """
    one = arguments[at]
    takes = {each.name for each in function.parameters}
    if name in _OPTIONAL and one.is_const and not takes & {"k", name}:
        after = arguments[at + 1] if at + 1 < len(arguments) else None
        counts = after is not None and not after.is_pointer
        return (
            "NULL" if counts and re.search("len|size|bytes", after.name if after else "") else ""
        )
    size = one.array.strip("[] ")
    return f"random({size})" if name in _DRAWN and size and not takes & {"k", "n"} else ""


def is_given(name: str, roles: Sequence[str]) -> bool:
    """Return whether the wrapper itself fills an output that a library has not."""
    if name == "sm":
        return SIGNATURE in roles
    return name == "m" and any(re.search(r"\bsm\s*\+", role) for role in roles)


def in_place(function: Function, roles: Sequence[str]) -> bool:
    """Return whether a keystream is added to a message where it lies: to a copy of it."""
    both = function.suffix == "_xor" and "c" in roles
    return both and not any(re.search(r"\bm\b", role) for role in roles)


def copied(roles: Sequence[str]) -> Iterator[str]:
    """Yield the lines that copy the message to where a call adds to it.

    Key and nonce may lie there, too.
    """
    for one, size in (("k", "CRYPTO_KEYBYTES"), ("n", "CRYPTO_NONCEBYTES")):
        if one in roles:
            yield f"    unsigned char own_{one}[{size}];"
            yield f"    memcpy(own_{one}, {one}, {size});\n    {one} = own_{one};"
    yield "    if (c != m)\n        memmove(c, m, mlen);"


def fitting(operation: Api, name: str, functions: Sequence[Function]) -> Sequence[Function]:
    """Return the operation's functions that one of this name may be: all, but those of a stream.

    What encrypts by its name adds a keystream, and makes none.
    """
    adds = operation.name == Op.STREAM and _ADDS.search(name) is not None
    return [one for one in functions if one.suffix == "_xor" or not adds] or functions


def before_call(function: Function, roles: Sequence[str]) -> Iterator[str]:
    """Yield the lines that stand before a call: room for a signature, and too short inputs."""
    takes = {each.name for each in function.parameters}
    if function.suffix == "_decrypt":
        yield f"    if (clen < {TAG})\n        return -1;"
    if SIGNATURE in roles:
        yield f"    unsigned char {SIGNATURE}[CRYPTO_BYTES];"
    if "smlen" in takes and is_given("m", roles):
        yield "    if (smlen < CRYPTO_BYTES)\n        return -1;"


def kept(function: Function, roles: Sequence[str]) -> Iterator[str]:
    """Yield the line that keeps the public key, if the `roles` of any function want it."""
    if function.suffix == "_keypair" and BEHIND in roles:
        yield f"    memcpy({BEHIND}, pk, CRYPTO_PUBLICKEYBYTES);"


def after_call(function: Function, roles: Sequence[str]) -> Iterator[str]:
    """Yield the lines that make one output of several."""
    takes = {each.name for each in function.parameters}
    if SIGNATURE in roles:
        yield "    memmove(sm + CRYPTO_BYTES, m, mlen);"
        yield f"    memcpy(sm, {SIGNATURE}, CRYPTO_BYTES);"
    if "smlen" in takes and is_given("m", roles):
        yield "    memmove(m, sm + CRYPTO_BYTES, smlen - CRYPTO_BYTES);"
