# SPDX-License-Identifier: MIT
"""What is timed of each operation, under the keys that SUPERCOP's database lines have.

A group is a set of variables and the calls that work on them one after another: what
one call writes the next one reads, so that a decryption is given a true ciphertext.
Every single call has inputs of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.model import OperationSubject

SCORED_BYTES = 1536  # what SUPERCOP compares implementations by
SCORED_ITEMS = 768  # of crypto_sort
MILLION = 1_000_000  # two lengths in one number: 1000000 * first + message

LENGTH = "#"  # before a variable: its length
WRITTEN = "&"  # the address for a length that is written, of which only the last is kept
KEPT = "@"  # the length that was written when this slice was made


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A call of every slice: a function, and for each parameter a variable.

    `key` names the measure, empty where a call only prepares. `returns` is what it must
    return, None where any will do. Before it, a byte in the middle of every slice of
    `forged` is changed; then what is written does not matter.
    """

    key: str
    suffix: str
    arguments: tuple[str, ...]
    returns: int | None = 0
    forged: str = ""


@dataclass(frozen=True, slots=True)
class TimedGroup:
    """Variables with their bytes per call, and tasks in order.

    `size` is what the measures are called by, None without a message. `zeros` says how
    many leading bytes of a variable are 0. `scored` are the keys that make the score.
    """

    size: int | None
    variables: dict[str, int]
    tasks: tuple[TimedCall, ...]
    zeros: dict[str, int] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)

    def length(self, name: str) -> int:
        """Return the length that a call is told for a variable."""
        return self.lengths.get(name, self.variables[name])


def _task(
    key: str, suffix: str, arguments: str, returns: int | None = 0, forged: str = ""
) -> TimedCall:
    return TimedCall(key, suffix, tuple(arguments.split()), returns, forged)


FIXED = {
    "crypto_verify": (
        {"x": "BYTES", "y": "BYTES"},
        (_task("cycles", "", "x y", -1),),
    ),
    "crypto_core": (
        {"h": "OUTPUTBYTES", "n": "INPUTBYTES", "k": "KEYBYTES", "c": "CONSTBYTES"},
        (_task("cycles", "", "h n k c"),),
    ),
    "crypto_rng": (
        {"r": "OUTPUTBYTES", "n": "KEYBYTES", "k": "KEYBYTES"},
        (_task("cycles", "", "r n k"),),
    ),
    "crypto_scalarmult": (
        {"a": "SCALARBYTES", "b": "SCALARBYTES", "c": "BYTES", "d": "BYTES", "e": "BYTES"},
        (
            _task("base_cycles", "_base", "c a"),
            _task("", "_base", "d b"),
            _task("cycles", "", "e a d"),
        ),
    ),
    "crypto_dh": (
        {"a": "SECRETKEYBYTES", "b": "SECRETKEYBYTES", "c": "PUBLICKEYBYTES",
         "d": "PUBLICKEYBYTES", "e": "BYTES"},
        (
            _task("keypair_cycles", "_keypair", "c a"),
            _task("", "_keypair", "d b"),
            _task("cycles", "", "e d a"),
        ),
    ),
    "crypto_kem": (
        {"p": "PUBLICKEYBYTES", "s": "SECRETKEYBYTES", "k": "BYTES", "c": "CIPHERTEXTBYTES",
         "t": "BYTES"},
        (
            _task("keypair_cycles", "_keypair", "p s"),
            _task("enc_cycles", "_enc", "c k p"),
            _task("dec_cycles", "_dec", "t c s"),
        ),
    ),
}  # fmt: skip

UNSCORED = frozenset(("keypair_cycles", "beforenm_cycles"))  # SUPERCOP does them beforehand


def group(subject: OperationSubject, size: int, second: int = 0) -> TimedGroup:
    """Return what is timed for a message of `size` bytes (items of crypto_sort).

    `second` is the length of the associated data, or of the output of crypto_xof. Where
    an operation has no message both are ignored.
    """
    if subject.operation in FIXED:
        names, tasks = FIXED[subject.operation]
        return TimedGroup(
            None, {name: subject.constant(each) for name, each in names.items()}, tasks
        )
    return _SIZED[subject.operation](subject, size, second)


def has_message(operation: str) -> bool:
    """Return whether the measures depend on the length of a message."""
    return operation not in FIXED and operation not in ("crypto_encode", "crypto_decode")


def scored(subject: OperationSubject) -> TimedGroup:
    """Return the group whose calls together make the score of an implementation."""
    if subject.operation == "crypto_sort":
        return group(subject, SCORED_ITEMS)
    both = subject.operation in ("crypto_aead", "crypto_xof")
    return group(subject, SCORED_BYTES, SCORED_BYTES if both else 0)


# ------------------------------------------------------------ operations with a message


def _code(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    """crypto_encode and crypto_decode."""
    items = subject.constant("ITEMS") * subject.constant("ITEMBYTES")
    order = "y x" if subject.operation == "crypto_encode" else "x y"
    del size
    variables = {"x": items, "y": subject.constant("STRBYTES")}
    return TimedGroup(None, variables, (_task("cycles", "", order, None),))


def _sort(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    variables = {"x": size * subject.constant("BYTES")}
    return TimedGroup(size, variables, (_task("cycles", "", "x #x", None),), lengths={"x": size})


def _hashblocks(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    variables = {"h": subject.constant("STATEBYTES"), "m": size}
    left = size % (subject.constant("BLOCKBYTES") or 1)
    return TimedGroup(size, variables, (_task("cycles", "", "h m #m", left),))


def _xof(_: OperationSubject, size: int, second: int) -> TimedGroup:
    variables = {"h": second, "m": size}
    return TimedGroup(
        MILLION * second + size, variables, (_task("cycles", "", "h #h m #m", None),)
    )


def _hash(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    variables = {"h": subject.constant("BYTES"), "m": size}
    return TimedGroup(size, variables, (_task("cycles", "", "h m #m"),))


def _stream(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    variables = {"k": subject.constant("KEYBYTES"), "n": subject.constant("NONCEBYTES")}
    variables |= {"m": size, "c": size, "s": size}
    tasks = (_task("cycles", "", "s #s n k"), _task("xor_cycles", "_xor", "c m #m n k"))
    return TimedGroup(size, variables, tasks)


def _auth(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    variables = {"h": subject.constant("BYTES"), "m": size, "k": subject.constant("KEYBYTES")}
    tasks = (_task("cycles", "", "h m #m k"), _task("verify_cycles", "_verify", "h m #m k"))
    return TimedGroup(size, variables, tasks)


def _secretbox(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    zeros = subject.constant("ZEROBYTES")
    variables = {"k": subject.constant("KEYBYTES"), "n": subject.constant("NONCEBYTES")}
    variables |= dict.fromkeys("mct", size + zeros)
    tasks = (
        _task("cycles", "", "c m #m n k"),
        _task("open_cycles", "_open", "t c #c n k"),
        _task("forgery_open_cycles", "_open", "t c #c n k", -1, "c"),
    )
    return TimedGroup(size, variables, tasks, {"m": zeros})


def _aead(subject: OperationSubject, size: int, second: int) -> TimedGroup:
    variables = {"k": subject.constant("KEYBYTES"), "p": subject.constant("NPUBBYTES")}
    variables |= {"s": subject.constant("NSECBYTES"), "r": subject.constant("NSECBYTES")}
    longer = size + subject.constant("ABYTES")
    variables |= {"a": second, "m": size, "c": longer, "t": longer}
    opened = "t & r c @c a #a p k"
    tasks = [_task("encrypt_cycles", "_encrypt", "c & m #m a #a s p k")]
    tasks.append(_task("decrypt_cycles", "_decrypt", opened))
    if longer:
        tasks.append(_task("forgery_decrypt_cycles", "_decrypt", opened, None, "c"))
    return TimedGroup(MILLION * second + size, variables, tuple(tasks))


def _box(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    zeros = subject.constant("ZEROBYTES")
    secret, public = subject.constant("SECRETKEYBYTES"), subject.constant("PUBLICKEYBYTES")
    shared = subject.constant("BEFORENMBYTES")
    variables = {"a": secret, "b": secret, "y": public, "z": public, "e": shared, "f": shared}
    variables |= {"n": subject.constant("NONCEBYTES")} | dict.fromkeys("mcdt", size + zeros)
    return TimedGroup(size, variables, tuple(_box_tasks()), {"m": zeros})


def _box_tasks() -> Iterator[TimedCall]:
    yield _task("keypair_cycles", "_keypair", "y a")
    yield _task("", "_keypair", "z b")
    yield _task("beforenm_cycles", "_beforenm", "e z a")
    yield _task("", "_beforenm", "f y b")
    yield _task("cycles", "", "c m #m n z a")
    yield _task("open_cycles", "_open", "t c #c n y b")
    yield _task("forgery_open_cycles", "_open", "t c #c n y b", -1, "c")
    yield _task("afternm_cycles", "_afternm", "d m #m n e")
    yield _task("open_afternm_cycles", "_open_afternm", "t d #d n f")
    yield _task("forgery_open_afternm_cycles", "_open_afternm", "t d #d n f", -1, "d")


def _messages(subject: OperationSubject, size: int, _: int) -> TimedGroup:
    """crypto_sign and crypto_encrypt."""
    longer = size + subject.constant("BYTES")
    variables = {"p": subject.constant("PUBLICKEYBYTES"), "s": subject.constant("SECRETKEYBYTES")}
    variables |= {"m": size, "c": longer, "t": longer}
    first, then = "sp" if subject.operation == "crypto_sign" else "ps"
    tasks = (
        _task("keypair_cycles", "_keypair", "p s"),
        _task("cycles", "", f"c & m #m {first}"),
        _task("open_cycles", "_open", f"t & c @c {then}"),
    )
    return TimedGroup(size, variables, tasks)


_SIZED = {
    "crypto_encode": _code,
    "crypto_decode": _code,
    "crypto_sort": _sort,
    "crypto_hashblocks": _hashblocks,
    "crypto_xof": _xof,
    "crypto_hash": _hash,
    "crypto_stream": _stream,
    "crypto_onetimeauth": _auth,
    "crypto_auth": _auth,
    "crypto_secretbox": _secretbox,
    "crypto_aead": _aead,
    "crypto_box": _box,
    "crypto_sign": _messages,
    "crypto_encrypt": _messages,
}
