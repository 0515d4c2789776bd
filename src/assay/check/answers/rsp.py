# SPDX-License-Identifier: MIT
"""NIST's response files: CAVP, the lightweight and post-quantum KATs, the SHA-3 competition's.

All are blocks of `name = value`; the names say what a block is about.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from string import hexdigits

from msgspec import Struct
from msgspec.structs import replace

from assay.check.answers.asked import SEED_BYTES
from assay.check.answers.records import AnswerTask, Found, KnownAnswer, Result, Skip
from assay.check.answers.texts import CURE, Block, blocks
from assay.check.answers.wycheproof import CONTEXT, RND_BYTES
from assay.errors import VectorFormatError

NAMES = {
    "key": ("key", "k"),
    "nonce": ("nonce", "iv", "npub"),
    "ad": ("ad", "aad"),
    "message": ("msg", "pt", "plaintext", "in", "message", "m"),
    "ciphertext": ("ct", "ciphertext", "c"),
    "tag": ("tag", "mac", "t"),
    "digest": ("md",),
    "output": ("output",),
    "public": ("pk", "public"),
    "secret": ("sk", "secret"),
    "shared": ("ss", "shared"),
    "signed": ("sm",),
    "signature": ("sig", "signature"),
    "seed": ("seed",),
    "z": ("z",),
    "d": ("d",),
    "xi": ("xi",),
    "rng": ("rng",),
    "context": ("ctx", "context"),
    "damaged": ("ct_n",),
    "rejection": ("ss_n",),
}
COUNTERS = ("initial_block_counter", "counter")
DESCRIPTIVE = ("count", "result", "comment", "tcid", *COUNTERS)
DIGITS = re.compile(r"[0-9]{1,18}")
LENGTH = re.compile(r"\w*(?:len|length|bits|bytes)", re.ASCII)
_SESSION = frozenset(
    ("seed", "public", "secret", "shared", "ciphertext", "message", "signed", "signature")
)
_EXPANDED = frozenset(("seed", "public", "secret"))  # of blocks that state the random bytes, too
TAKEN = {
    AnswerTask.DIGEST: {"message", "digest"},
    AnswerTask.XOF: {"message", "output"},
    AnswerTask.CHAIN: {"digest"},
    AnswerTask.CHAIN_OF_THREE: {"digest"},
    AnswerTask.MAC: {"key", "message", "tag", "digest"},
    AnswerTask.SEAL: {"key", "nonce", "ad", "message", "ciphertext", "tag"},
    AnswerTask.STREAM: {"key", "nonce", "message", "ciphertext"},
    AnswerTask.BOX: {"public", "secret", "nonce", "message", "ciphertext", "tag"},
    AnswerTask.EXCHANGE: {"public", "secret", "shared"},
    AnswerTask.VERIFY: {"public", "secret", "message", "signature", "signed"},
    AnswerTask.KEM_SESSION: _SESSION,
    AnswerTask.SIGN_SESSION: _SESSION,
    AnswerTask.ENCRYPT_SESSION: _SESSION,
}
"""What a block about a task may say: what the function takes, and what belongs to it."""
ML_KEM = {*_EXPANDED, "d", "z", "message", "ciphertext", "shared", "damaged", "rejection"}
ML_DSA = {*_EXPANDED, "xi", "rng", "context", "message", "signed", "signature"}
SHOWN_NAMES, SHOWN_CHARACTERS = 8, 200


class _File(Struct):
    """What the blocks of a file share."""

    name: str
    comments: str
    seed: bytes | None = None


def answers(lines: list[str], name: str) -> Iterator[Found]:
    """Read a file; VectorFormatError names a line that is damaged."""
    comments = " ".join(line for line in lines if line.startswith("#")).upper()
    file = _File(name, comments)
    for block in blocks(lines, name):
        yield from _block(file, block)


def _block(file: _File, block: Block) -> Iterator[Found]:
    values = {
        ours: _bytes(block, theirs)
        for ours, spellings in NAMES.items()
        for theirs in spellings
        if theirs in block.values
    }
    have = set(values)
    if have == {"seed"}:
        file.seed = values["seed"]
    elif have == {"digest"} and "count" in block.values:
        yield from _complete(block, [_chain(file, block, values["digest"])])
    elif have:
        yield from _about(block, _cut(block, values))


def _complete(
    block: Block, found: Iterable[Found], taken: Collection[str] = ()
) -> Iterator[Found]:
    """Name in each answer the fields of its block that are not taken, by its task if not said."""
    for one in found:
        if isinstance(one, Skip):
            yield one
        else:
            yield replace(one, unfed=_unfed(block, taken or TAKEN[one.task]))


def _unfed(block: Block, taken: Collection[str]) -> tuple[str, ...]:
    """Name the fields of a block that are not taken; an empty one says nothing."""
    kept = {theirs for ours in taken for theirs in NAMES[ours]}
    return tuple(
        block.spelled[name]
        for name, value in block.values.items()
        if value and name not in kept and name not in DESCRIPTIVE and not LENGTH.fullmatch(name)
    )


def _about(block: Block, values: dict[str, bytes] | Skip) -> Iterator[Found]:
    """Find out what a block is about; the more telling names come first."""
    if isinstance(values, Skip):
        yield values
        return
    have = set(values)
    if {"d", "z", "public"} <= have:
        yield from _complete(block, _ml_kem(block, values), ML_KEM)
    elif {"xi", "public"} <= have:
        yield from _complete(block, _ml_dsa(block, values), ML_DSA)
    elif "seed" in have and have & {"shared", "signed", "ciphertext", "signature"}:
        yield from _complete(block, [_session(block, values)])
    elif (task := _task(values)) is not None:
        yield from _complete(block, [_symmetric(block, task, values)])
    elif have & {"digest", "output"}:
        yield Skip("a Monte Carlo chain of a XOF, whose lengths depend on its outputs")
    else:
        names = sorted(block.values)
        more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
        yield Skip(f"no operation has {', '.join(names[:SHOWN_NAMES])}{more}"[:SHOWN_CHARACTERS])


def _task(values: dict[str, bytes]) -> AnswerTask | None:
    have = set(values)
    longer = len(values.get("ciphertext", b"")) > len(values.get("message", b""))
    needs = (
        (AnswerTask.BOX, {"public", "secret", "nonce", "ciphertext"}, True),
        (AnswerTask.EXCHANGE, {"public", "secret", "shared"}, True),
        (AnswerTask.VERIFY, {"public", "message", "signature"}, True),
        (AnswerTask.SEAL, {"key", "nonce", "ciphertext"}, bool(have & {"ad", "tag"}) or longer),
        (AnswerTask.STREAM, {"key", "nonce", "ciphertext", "message"}, True),
        (AnswerTask.MAC, {"key", "message", "tag"}, True),
        (AnswerTask.MAC, {"key", "message", "digest"}, True),
        (AnswerTask.DIGEST, {"message", "digest"}, True),
        (AnswerTask.XOF, {"message", "output"}, True),
    )
    return next((task for task, names, more in needs if names <= have and more), None)


def _symmetric(block: Block, task: AnswerTask, values: dict[str, bytes]) -> Found:
    if any(block.values.get(name, "0").strip("0") for name in COUNTERS):
        return Skip("a stream that begins at a later block than the first")
    if task is AnswerTask.MAC and "digest" in values:
        values["tag"] = values.pop("digest")
    verdict = block.values.get("result", "")
    refused = "fail" in block.words or "ERROR" in verdict.upper() or verdict.startswith("F")
    result = Result.INVALID if refused else Result.VALID
    if task is AnswerTask.SEAL and not refused and "message" not in values:
        return Skip("an encryption without its message")
    return KnownAnswer(task, block.place, values, result)


def _chain(file: _File, block: Block, digest: bytes) -> Found:
    """Return one stretch of a Monte Carlo test: 1000 digests from the last stretch's."""
    if file.seed is None:
        raise VectorFormatError(f"{block.place}: a chain of digests without a seed above it", CURE)
    seed, file.seed = file.seed, digest
    task = AnswerTask.CHAIN if "SHA3-" in file.comments else AnswerTask.CHAIN_OF_THREE
    return KnownAnswer(task, block.place, {"seed": seed, "digest": digest})


def _session(block: Block, values: dict[str, bytes]) -> Found:
    """Return a post-quantum KAT: everything random comes from one generator."""
    drbg = values.pop("seed")
    if len(drbg) != SEED_BYTES:
        place = f"{block.place}: the seed has {len(drbg)} bytes"
        raise VectorFormatError(f"{place}, NIST's generator takes {SEED_BYTES}", CURE)
    task = AnswerTask.ENCRYPT_SESSION
    if values.keys() & {"signed", "signature"}:
        task = AnswerTask.SIGN_SESSION
    elif "shared" in values:
        task = AnswerTask.KEM_SESSION
    return KnownAnswer(task, block.place, {"drbg": drbg, **values})


def _ml_kem(block: Block, values: dict[str, bytes]) -> Iterator[Found]:
    """Yield the parts of an ML-KEM KAT that names d, z and m (FIPS 203, algorithms 19 to 21)."""
    random = values["d"] + values["z"]
    yield KnownAnswer(AnswerTask.KEYPAIR, block.place, {"random": random, **_keys(values)})
    if {"message", "ciphertext", "shared"} <= set(values):
        both = {"ciphertext": values["ciphertext"], "shared": values["shared"]}
        given = {"public": values["public"], "random": values["message"]}
        yield KnownAnswer(AnswerTask.ENCAPSULATE, block.place, {**given, **both})
        yield KnownAnswer(AnswerTask.DECAPSULATE, block.place, {"key_random": random, **both})
    if {"damaged", "rejection"} <= set(values):
        both = {"ciphertext": values["damaged"], "shared": values["rejection"]}
        note = "another ciphertext, implicit rejection"
        given = {"key_random": random, **both}
        yield KnownAnswer(AnswerTask.DECAPSULATE, block.place, given, note=note)


def _ml_dsa(block: Block, values: dict[str, bytes]) -> Iterator[Found]:
    """Yield the parts of an ML-DSA KAT that names xi (FIPS 204, algorithms 1 and 2)."""
    keys = _keys(values)
    yield KnownAnswer(AnswerTask.KEYPAIR, block.place, {"random": values["xi"], **keys})
    if "signed" not in values or "message" not in values:
        return
    if values.get("context"):
        yield Skip(CONTEXT)
        return
    rnd = values.get("rng", bytes(RND_BYTES))
    given = {"key_random": values["xi"], "random": rnd, "message": values["message"]}
    yield KnownAnswer(AnswerTask.SIGN, block.place, {**given, "signed": values["signed"]})


def _keys(values: dict[str, bytes]) -> dict[str, bytes]:
    return {name: values[name] for name in ("public", "secret") if name in values}


def _cut(block: Block, values: dict[str, bytes]) -> dict[str, bytes] | Skip:
    """Take as much of the message as `Len` (bits) says; `mlen` (bytes) must fit."""
    if "len" in block.values and "message" in values:
        bits = _number(block, "len")
        if bits > len(values["message"]) * 8:
            raise _damaged(block, "len", f"{len(values['message'])} bytes of message")
        if 1 < bits == len(values["message"]):
            what = f"Len seems to be in bytes, as Msg has {bits}; it is in bits"
            raise _damaged(block, "len", what)
        if bits % 8:
            return Skip("a message that ends inside a byte")
        values["message"] = values["message"][: bits // 8]
    if block.values.get("mlen") == "0" and values.get("message") == b"\0":
        values["message"] = b""  # CAVP writes 00 for nothing
    for length, name in (("mlen", "message"), ("smlen", "signed"), ("clen", "ciphertext")):
        there = length in block.values and name in values
        if there and _number(block, length) != len(values[name]):
            raise _damaged(block, length, f"{len(values[name])} bytes")
    return values


def _number(block: Block, name: str) -> int:
    if not DIGITS.fullmatch(block.values[name]):
        raise _damaged(block, name, "no number of at most 18 digits")
    return int(block.values[name])


def _bytes(block: Block, name: str) -> bytes:
    """Read hexadecimal digits, or a text in quotation marks."""
    value = block.values[name]
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].encode()
    try:
        return bytes.fromhex(value)
    except ValueError:
        odd = "an odd number of hexadecimal digits, as where a file was cut off"
        cut = len(value) % 2 and not set(value) - set(hexdigits)
        raise _damaged(block, name, odd if cut else "not hexadecimal") from None


def _damaged(block: Block, name: str, what: str) -> VectorFormatError:
    file = block.place.rpartition(":")[0]
    value = block.values[name][:40]
    return VectorFormatError(f"{file}:{block.lines[name]}: {name} = {value}: {what}", CURE)
