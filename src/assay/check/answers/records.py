# SPDX-License-Identifier: MIT
"""A known answer, a file of them, and what came of comparing it, whatever the format."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

SHOWN_BYTES = 48
MOST_REASONS = 3

MOST_BYTES = 256 << 20  # of a file; those of McEliece have 220 MB


class AnswerTask(StrEnum):
    """What an answer is about; the value is how reports call it.

    The names of the values that a task has: `digest` and `output` of a `message`;
    `seed` of a chain; `tag`, `key`, `nonce`, `ad`, `ciphertext`; `public`, `secret`,
    `shared`; `signature` (detached) or `signed` (with the message); `random`, the bytes
    that `randombytes` gives to the function under test, and `key_random`, those that it
    gives to the key generation before; `drbg`, the 48 bytes that begin NIST's generator;
    `sha256` of the text of an answer.
    """

    DIGEST = "digest"
    XOF = "output of any length"
    CHAIN = "chain of digests"  # each digest is the next message (SHA-3)
    CHAIN_OF_THREE = "chain of digests of three digests"  # SHA-1 and SHA-2
    MAC = "tag"
    SEAL = "authenticated encryption"
    STREAM = "encryption with a stream"
    BOX = "public-key authenticated encryption"
    EXCHANGE = "shared secret"
    KEYPAIR = "key pair"
    ENCAPSULATE = "encapsulation"
    DECAPSULATE = "decapsulation"
    SIGN = "signature"
    VERIFY = "verification of a signature"
    KEM_SESSION = "key pair and encapsulation from a seed"
    SIGN_SESSION = "key pair and signature from a seed"
    ENCRYPT_SESSION = "key pair and encryption from a seed"
    FIRST = "digest of a KAT file's first answer"


class Result(StrEnum):
    """Whether the input is to be accepted, as Wycheproof has it."""

    VALID = "valid"
    INVALID = "invalid"
    ACCEPTABLE = "acceptable"  # may be refused; if it is not, the answer must be right


class KnownAnswer(Struct, frozen=True):
    """One answer. `place` is where it stands in the file.

    `note` and `flags` are what the file says of it. `unfed` names fields that belong to
    the question and that no function of this task takes: without them it cannot be asked.
    `of` is the primitive's name in a file that has several.
    """

    task: AnswerTask
    place: str
    values: Mapping[str, bytes]
    result: Result = Result.VALID
    note: str = ""
    flags: tuple[str, ...] = ()
    unfed: tuple[str, ...] = ()
    of: str = ""

    def value(self, name: str) -> bytes:
        """Return a value; empty if the file has none."""
        return self.values.get(name, b"")


class Skip(Struct, frozen=True):
    """Something in a file that no package can be asked, and why."""

    reason: str


Found = KnownAnswer | Skip


class AnswerFile(Struct, frozen=True):
    """A file that was read; `skipped` counts what is in it but cannot be asked, per reason."""

    path: Path
    format: str
    answers: tuple[KnownAnswer, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


class Mismatch(Struct, frozen=True):
    """A difference: of what, and what was expected and came; None where there is no value."""

    what: str
    expected: bytes | None = None
    got: bytes | None = None


class AnswerEvidence(Struct, frozen=True):
    """The first answer that the package does not give."""

    answer: KnownAnswer
    mismatch: Mismatch

    def lines(self) -> tuple[str, ...]:
        """Describe it: where, what, the inputs, both values; long ones are cut."""
        said = "; ".join(filter(None, [self.answer.note, ", ".join(self.answer.flags)]))
        said = f" ({said})" if said else ""
        first = f"{self.answer.place}, {self.answer.task}{said}: {self.mismatch.what}"
        values = [f"  {name} = {shown(value)}" for name, value in self.answer.values.items()]
        if self.mismatch.expected is not None:
            values.append(f"  expected {shown(self.mismatch.expected)}")
        if self.mismatch.got is not None:
            values.append(f"  got      {shown(self.mismatch.got)}")
        return (first, *values)


class FileAgreement(Struct):
    """What came of a file: counts, the first evidence, and what was skipped, per reason.

    `accepted` counts those of `passed` that were valid inputs: who refuses everything
    passes all the others. `wrong` counts those of `failed` per kind of difference and flags,
    `unfed` those of `skipped` that have an input which the package does not take, and `opened`
    those of which only the decryption or verification was compared, with the reason. `repeated`
    names fields that were ignored, as they repeat keys in other encodings.
    """

    skipped: Counter[str]
    passed: int = 0
    failed: int = 0
    accepted: int = 0
    evidence: AnswerEvidence | None = None
    wrong: Counter[str] = field(default_factory=Counter)
    unfed: int = 0
    opened: Counter[str] = field(default_factory=Counter)
    repeated: set[str] = field(default_factory=set)

    @property
    def compared(self) -> int:
        """How many answers were compared."""
        return self.passed + self.failed

    @property
    def good(self) -> bool:
        """Return whether valid inputs were compared, and everything was right."""
        return self.accepted > 0 and self.failed == 0

    def sentence(self) -> str:
        """State the counts in one sentence."""
        if not self.compared:
            return f"no answer of the file fits this package, {self._left} not compared"
        only = "" if self.accepted or self.failed else ", none of them to an input that is valid"
        return f"{self.passed} of {self.compared} answers right{only}"

    def reasons(self) -> tuple[str, ...]:
        """Explain why answers were not compared, or not whole, the commonest reasons first."""
        total = self.compared + self._left
        opened = tuple(
            f"{count} of {total} answers compared by opening only: {reason}"
            for reason, count in self.opened.items()
        )
        often = sorted(self.skipped.items(), key=lambda one: -one[1])
        said = tuple(
            f"{count} of {total} answers not compared: {reason}"
            for reason, count in often[:MOST_REASONS]
        )
        if (more := len(often) - len(said)) > 0:
            said += (f"{more} further reasons",)
        if self.repeated:
            said += (f"ignored: {', '.join(sorted(self.repeated))} (keys in other encodings)",)
        return (*opened, *said)

    @property
    def _left(self) -> int:
        return sum(self.skipped.values())


def shown(value: bytes) -> str:
    """Write bytes in hexadecimal, cut after some, with their number."""
    if not value:
        return "(nothing)"
    more = "..." if len(value) > SHOWN_BYTES else ""
    return f"{value[:SHOWN_BYTES].hex()}{more} ({len(value)} bytes)"
