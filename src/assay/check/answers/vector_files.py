# SPDX-License-Identifier: MIT
"""Computing vectors through an agent, writing the file, and comparing them with a file.

Equality is byte for byte on every value; of the headers only the sizes and the
name count, so that files with an older `Profile:` line, or none, still serve.
A file with every v is compared where it has v; a file that lacks sizes or
vectors covers less, and the outcome says how much.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from assay.check.answers.texts import kept_while_unchanged
from assay.check.answers.vector_inputs import (
    LARGEST_FILL_BITS,
    LONG_STREAM_BYTES,
    VectorInput,
    vector_inputs,
)
from assay.check.answers.vector_text import (
    BANNER,
    END,
    Combination,
    Recorded,
    parse,
    primitive_block,
    set_heading,
    vector_block,
)
from assay.check.arena import ALIGNMENT, ROOM, Arena, BufferShape, PendingOutcome
from assay.check.budget import Budget
from assay.check.kinds import Connect, Coverage, FileVerdict, Vectors
from assay.check.routine import Variable
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage, accepted_sizes
from assay.execute.agent import Agent
from assay.model import Package, SizeChoice, StreamSubject, Verdict
from assay.model.api import Role
from assay.package.text import read_vector_text

LARGEST_BYTES = {"key": LARGEST_FILL_BITS // 8, "IV": LARGEST_FILL_BITS // 8, "AAD": 64}

VECTORS_AT_ONCE = 32


def vector_arena(session: StreamSession, longest: int = LONG_STREAM_BYTES) -> Arena:
    """Return an arena whose buffers serve all vectors with messages of up to `longest` bytes.

    They are roomy: what looks or writes beyond a size is the business of the
    checks that are about it, and vectors come out as they did originally. A context is not.
    """

    def place(name: str, variable: Variable) -> BufferShape:
        alignment = max(ALIGNMENT, variable.modulus)
        if variable.role is Role.STATE:
            return BufferShape(variable.size, alignment)
        size = longest if variable.role is Role.MESSAGE else LARGEST_BYTES.get(name, 0)
        return BufferShape(max(size, variable.size) + ROOM, alignment)

    return Arena(session, place)


class Computed(Struct, frozen=True):
    """A vector, and what comes out of it."""

    vector: VectorInput
    outcome: PendingOutcome

    @property
    def values(self) -> tuple[bytes, bytes | None]:
        """The ciphertext, and the MAC; None for APIs without one."""
        outputs = self.outcome.value.outputs
        return outputs["output"], outputs.get("MAC")


def compute(
    arena: Arena, subject: StreamSubject, sizes: SizeChoice, vector: VectorInput
) -> Computed:
    """Queue one vector: all inputs anew, fresh keysetup, then encrypt_packet.

    Code that changes an input would be given it for the next vector.
    """
    arena.forget()
    return Computed(vector, arena.begin(message_of(subject, sizes, vector).by("encrypt_packet")))


def message_of(subject: StreamSubject, sizes: SizeChoice, vector: VectorInput) -> CipherMessage:
    """Return the message of a vector, with what lies behind its key and IV."""
    key, iv = vector.key + vector.key_behind, vector.iv + vector.iv_behind
    return CipherMessage(subject, sizes, key, iv, vector.aad, vector.plaintext)


def combination_text(session: StreamSession, sizes: SizeChoice, *, long: bool) -> Iterator[str]:
    """Write one combination's part of the file, set by set."""
    arena = vector_arena(session)
    yield "\n" + primitive_block(session.subject, sizes)
    last_set = 0
    for vector in vector_inputs(session.subject, sizes, long=long):
        for number in range(last_set + 1, vector.set_number + 1):
            yield set_heading(number)  # of an empty set, too: set 5 where there is no IV
        last_set = vector.set_number
        done = compute(arena, session.subject, sizes, vector)
        yield vector_block(vector, *done.values)
    yield END


def file_text(
    connect: Callable[[], Agent], subject: StreamSubject, *, long: bool = False
) -> Iterator[str]:
    """Write the whole vector file, a fresh agent for every combination of sizes."""
    yield BANNER
    for sizes in accepted_sizes(subject):
        with connect() as agent:
            yield from combination_text(StreamSession(agent, subject), sizes, long=long)


class VectorDifference(Struct, frozen=True):
    """The first place where a vector is not what the file says."""

    sizes: SizeChoice
    set_number: int
    number: int
    label: str
    line: int
    expected: bytes
    actual: bytes

    def __str__(self) -> str:
        """Show both values, and mark the first byte that differs."""
        at = first_difference(self.expected, self.actual)
        title = f"Set {self.set_number}, vector# {self.number} (key/IV sizes {self.sizes}), "
        title += f"{self.label}, byte {at}; line {self.line} of the file:"
        expected, actual = _window(self.expected, at), _window(self.actual, at)
        return f"{title}\n  expected {expected}\n    actual {actual}"


def first_difference(one: bytes, other: bytes) -> int:
    """Return the index of the first byte that differs (the shorter's length if none does)."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _window(value: bytes, at: int) -> str:
    """Show the row of 16 bytes around `at`, the byte itself in brackets."""
    start = at // 16 * 16
    row = value[start : start + 16]
    digits = [f"{byte:02X}" for byte in row]
    if at - start < len(digits):
        digits[at - start] = f"[{digits[at - start]}]"
    return (" ".join(digits) or "(nothing)") + (" ..." if len(value) > start + 16 else "")


def compare_vector(
    sizes: SizeChoice, recorded: Recorded, done: Computed
) -> VectorDifference | None:
    """Compare one vector with its record; both are seen as the file would show them."""
    actual = printed_values(done.vector, *done.values)
    for label in dict.fromkeys((*recorded.values, *actual)):
        ours, theirs = actual.get(label, b""), recorded.values.get(label, b"")
        if ours != theirs:
            where = (sizes, recorded.set_number, recorded.number, label, recorded.line)
            return VectorDifference(*where, theirs, ours)
    return None


def printed_values(vector: VectorInput, ciphertext: bytes, mac: bytes | None) -> dict[str, bytes]:
    """Return the labelled values as the file would show them."""
    values: dict[str, bytes] = {}
    label = ""
    for line in vector_block(vector, ciphertext, mac).splitlines()[1:]:
        name, equals, digits = line.partition(" = ")
        label = name.strip() if equals else label
        values[label] = values.get(label, b"") + bytes.fromhex(digits if equals else line)
    return values


@kept_while_unchanged
def read_combinations(path: Path) -> dict[SizeChoice, Combination]:
    """Read a vector file by sizes; VectorFormatError says where it is damaged."""
    return {one.sizes: one for one in parse(read_vector_text(path))}


def verify_file(
    connect: Callable[[], Agent], subject: StreamSubject, path: Path
) -> dict[SizeChoice, Coverage]:
    """Compare every size combination of the file that the package has; stop at a difference."""
    recorded = read_combinations(path)
    outcomes: dict[SizeChoice, Coverage] = {}
    for sizes in accepted_sizes(subject):
        if sizes in recorded:
            with connect() as agent:
                session = StreamSession(agent, subject)
                outcomes[sizes] = compare_combination(session, recorded[sizes])
            if outcomes[sizes].difference:
                break
    return outcomes


def compare_combination(
    session: StreamSession,
    recorded: Combination,
    longest: int = LONG_STREAM_BYTES,
    share: Budget | None = None,
) -> Coverage:
    """Compute every vector of one combination and compare it with the record.

    Those longer than `longest` bytes are left out: small targets have no room for them. Where
    the `share` of the time does not suffice for all, the long ones are left out first.
    """
    sizes = recorded.sizes
    known = {(one.set_number, one.number): one for one in recorded.vectors}
    usual = sum(1 for _ in vector_inputs(session.subject, sizes))
    arena, coverage = vector_arena(session, longest), Coverage()
    wanted: list[tuple[Recorded, VectorInput]] = []
    waiting: list[tuple[Recorded, Computed]] = []
    for vector in vector_inputs(session.subject, sizes, long=len(known) > usual):
        record = known.pop((vector.set_number, vector.number), None)
        if record is None:
            coverage.not_in_file += 1
        elif len(vector.plaintext) <= longest:
            wanted.append((record, vector))
    by_weight = sorted(wanted, key=_weight)
    for record, vector in share.each(session, by_weight, _weight) if share else wanted:
        waiting.append((record, compute(arena, session.subject, sizes, vector)))
        if len(waiting) == VECTORS_AT_ONCE:
            _settle(coverage, sizes, waiting)
        if coverage.difference:
            return coverage
    _settle(coverage, sizes, waiting)
    coverage.only_in_file = len(known)  # they belong to no set that is known for this cipher
    return coverage


def _weight(one: tuple[Recorded, VectorInput]) -> int:
    return one[1].weight()


def _settle(
    coverage: Coverage, sizes: SizeChoice, waiting: list[tuple[Recorded, Computed]]
) -> None:
    for record, done in waiting:
        coverage.count(compare_vector(sizes, record, done))
    waiting.clear()


def _text(_: Package, subject: StreamSubject, connect: Connect, long: bool) -> Iterator[str]:
    return file_text(connect, subject, long=long)


def _compared(_: Package, subject: StreamSubject, connect: Connect, path: Path) -> FileVerdict:
    """Compare with a file and say, for every size, how much agreed."""
    found = verify_file(connect, subject, path)
    if not found:
        none = f"{path} has no vectors for any size of {subject.name}"
        return FileVerdict((), Verdict.FAIL, none)
    lines = [f"{sizes}: {_agreement(coverage)}" for sizes, coverage in found.items()]
    missing = [str(sizes) for sizes in accepted_sizes(subject) if sizes not in found]
    failed = any(one.difference or not one.compared for one in found.values())
    if missing and not failed:
        lines.append(f"not in the file: {', '.join(missing)}")
    return FileVerdict(tuple(lines), Verdict.FAIL if failed else Verdict.PASS)


def _agreement(coverage: Coverage) -> str:
    says = f"{coverage.compared} vectors agree"
    if coverage.difference:
        says = f"differs: {coverage.difference}"
    elif coverage.not_in_file:
        says += f", {coverage.not_in_file} are not in the file"
    if coverage.only_in_file:
        says += f", {coverage.only_in_file} of the file belong to other sets"
    return says


# The rules of calls must be kept, not those of outputs.
VECTORS = Vectors(("api/", "state/", "agent/", "build/"), _text, _compared)
