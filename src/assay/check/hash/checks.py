# SPDX-License-Identifier: MIT
"""The checks of the kind `hash`, in the order in which they are run and shown.

Here is, too, whether digests are the published ones, as long as they should be, and of long
messages: as long as the API's types allow (A.3.5 of the Shabal paper).
"""

import time
from collections.abc import Callable
from dataclasses import replace

from assay.check import families
from assay.check.annex_a import header, instructions, linking, stepping
from assay.check.check import (
    Check,
    CheckFailed,
    CheckInapplicable,
    CheckOpen,
    CheckSkipped,
    Said,
    sharing,
)
from assay.check.evidence import compared_with
from assay.check.hash import whole
from assay.check.hash.trial import HashTrial
from assay.check.hash.vectors import ROOM_BYTES, HashBuffers, Vector, supported_sizes
from assay.check.lengths import everywhere
from assay.check.lengths.beyond import beyond_4_gib
from assay.check.memory import sanitized
from assay.check.schemes import library
from assay.check.schemes.library import running_hash
from assay.check.session import HashSession
from assay.execute.agent import AgentRefusal, Buffer
from assay.model import NATIVE_NAME
from assay.model.api import Promise
from assay.model.compared import GONE, UNCOMPARED
from assay.model.wire import HashFunction

SMALL_BYTES = 512  # what a board is asked to hash at most
FILLING = 0x5A
PER_MESSAGE = 128  # bytes whose time the beginning and the end of a message take

LIMIT = 1 << 32
LIMIT_REST = (1 << 29) + 77  # of 2^32 bytes alone a number of bits has none in its low word
PATIENCE_SECONDS = 300.0
PIECE = 1 << 30
PROBE = 1 << 20

Checks = tuple[Check[HashTrial], ...]


def verified(trial: HashTrial) -> str:
    """Hash every message of the verified vectors, the short ones first.

    Slow code gets fewer of them, and the remark says how many.
    """
    if not trial.vectors and trial.package.vectors:
        raise CheckOpen(f"{UNCOMPARED}: {trial.package.vectors} is gone", cure=GONE)
    if not trial.vectors:
        raise CheckOpen(
            f"{UNCOMPARED}: there is no verified.vectors in the folder or above it",
            cure="`assay vectors PACKAGE -o unverified.vectors` writes digests; compare them "
            "with another implementation's and name the file verified.vectors.",
        )
    known = trial.vectors
    if trial.on_board:
        known = tuple(one for one in known if len(one.message) <= SMALL_BYTES)
    if not known:
        raise CheckSkipped(f"no verified message has {SMALL_BYTES} bytes or fewer")
    longest = max(len(one.message) for one in known)
    budget = trial.budget()
    with trial.session() as session:
        desk = HashBuffers.of(session, longest, max(one.out_bits for one in known))
        answers = [
            (one, desk.hash(one.whole, rest=one.rest, out_bits=one.out_bits))
            for one in budget.each(session, sorted(known, key=_weight), _weight)
        ]
        for one, answer in answers:
            _compare(one, answer.data[: len(one.digest)], trial.package.reference)
    remarks = (compared_with(trial.package.reference), budget.remark("vectors"))
    return "; ".join(filter(None, remarks))


def _weight(one: Vector) -> int:
    """Return how many bytes take as long as it does."""
    return len(one.whole) + PER_MESSAGE


def _compare(one: Vector, got: bytes, reference: str) -> None:
    if got != one.digest:
        raise CheckFailed(
            f"the {one.out_bits}-bit digest of a message of {one.bits} bits is not the verified "
            "one",
            f"{reference or one.place}\nmessage  {one.message.hex()}\n"
            f"expected {one.digest.hex()}\nactual   {got.hex()}",
        )


def written(trial: HashTrial) -> str | None:
    """Look at which bytes behind `dst` are written, for every size."""
    if not trial.stated_sizes and not supported_sizes(trial.session):
        raise CheckFailed("no size from 128 to 512 bits gives a digest of that length")
    for size in trial.sizes:
        with trial.session() as session:
            desk = HashBuffers.of(session, 0, size, ROOM_BYTES)
            session.agent.fill(desk.to, FILLING)
            data = desk.hash().data
        beyond = [at for at in range(size // 8, ROOM_BYTES) if data[at] != FILLING]
        if beyond:
            raise CheckFailed(
                f"a digest of {size // 8} bytes also writes byte {beyond[0]} behind it"
            )
        if data[: size // 8] == bytes([FILLING]) * (size // 8):
            raise CheckFailed(f"for a digest of {size} bits nothing is written")
    if trial.stated_sizes or trial.api.sizes:
        return None
    return (
        f"the sizes {', '.join(map(str, trial.sizes))} were found out by trying; "
        f"`#define {trial.package.header.removesuffix('.h')}_SIZES` in the header states them"
    )


VERIFIED = (
    Check(
        name="digest/verified",
        asks="Are the digests those of the verified vectors, for all sizes and bit lengths?",
        why=(
            "A package with other digests computes another function. Short trials compare all "
            "vectors as well; boards, those with messages of up to 512 bytes."
        ),
        cure="Compare the evidence with the specification: padding, byte order, the last bits.",
        run=verified,
    ),
    Check(
        name="digest/length",
        asks="Does the last call write all bytes of the digest, and no more?",
        why="There is room for the digest alone; what is written behind it destroys other data.",
        cure="Write whole words only within the digest.",
        run=written,
    ),
)


def run_beyond_4_gib(trial: HashTrial) -> None:
    """Hash 2^32 + 2^29 + 77 zero bytes in one call, in pieces, and without the 2^32."""
    if not trial.deep:
        raise CheckSkipped("slow; run it with `--deep`")
    bench = trial.bench
    if bench is None or bench.roomy is None or bench.target.name != NATIVE_NAME:
        raise CheckSkipped("emulated, it would take hours")
    size = trial.sizes[-1]
    with bench.roomy() as agent:
        session = HashSession(agent, trial.subject)
        if session.agent.pointer_bits < 64:
            raise CheckSkipped("size_t has 32 bits here")
        ctx = session.context()
        to = session.agent.buffer("digest", size // 8)
        _skip_if_slow(session, ctx, size)
        digests = {}
        for name, plan in (
            ("one", (LIMIT + LIMIT_REST,)),
            ("pieces", (*[PIECE] * (LIMIT // PIECE), LIMIT_REST)),
            ("cut", (LIMIT_REST,)),
        ):
            session.call(HashFunction.INIT, ctx, size)
            for length in plan:
                numbers = (length & 0xFFFFFFFF, length >> 32)
                session.agent.call(HashFunction.LONG_UPDATE, (ctx,), numbers)
                try:
                    session.agent.flush(PATIENCE_SECONDS)
                except AgentRefusal:
                    raise CheckSkipped("there is no room for 4 GiB of zeros") from None
            session.call(HashFunction.CLOSE, ctx, to, 0, 0)
            digests[name] = session.agent.read(to)
    lines = "\n".join(f"{name:7}{digest.hex()}" for name, digest in digests.items())
    if digests["one"] == digests["cut"]:
        raise CheckFailed("of a length of 2^32 + 2^29 + 77 only the low 32 bits are used", lines)
    if digests["one"] != digests["pieces"]:
        raise CheckFailed(
            "2^32 + 2^29 + 77 bytes in one call are not those bytes in pieces", lines
        )
    known = running_hash(trial.package.primitive, size // 8)
    if known and (expected := known.of_zeros(LIMIT + LIMIT_REST)) != digests["one"]:
        raise CheckFailed(
            "2^32 + 2^29 + 77 bytes have another digest than by Python's library",
            f"{lines}\nlibrary {expected.hex()}",
        )


def _skip_if_slow(session: HashSession, ctx: Buffer, size: int) -> None:
    """Raise CheckSkipped where one call would take longer than an answer is waited for."""
    session.call(HashFunction.INIT, ctx, size)
    session.agent.flush()
    began = time.monotonic()
    session.agent.call(HashFunction.LONG_UPDATE, (ctx,), (PROBE, 0))
    session.agent.flush(PATIENCE_SECONDS)
    seconds = (time.monotonic() - began) * LIMIT / PROBE
    if seconds > PATIENCE_SECONDS / 2:
        raise CheckSkipped(f"the code is slow: a call with 4 GiB would take {seconds:.0f} seconds")


BEYOND_4_GIB = beyond_4_gib(run_beyond_4_gib)


def of_annex_a(checks: Checks, *general: str) -> Checks:
    """Ask checks only where the API has the rules of Annex A, except those that are general."""
    return tuple(
        one if one.name in general else replace(one, run=_promised(one)) for one in checks
    )


def _promised(check: Check[HashTrial]) -> Callable[[HashTrial], Said]:
    def run(trial: HashTrial) -> Said:
        if Promise.ANNEX_A not in trial.api.promises:
            raise CheckInapplicable(f"the API {trial.api.name} has no such rule")
        return check.run(trial)

    return run


# What makes the code compute, with sanitizers.
SANITIZED: Checks = (
    *VERIFIED,
    *whole.BITS,
    *families.LENGTHS,
    *families.CONTEXT,
)
SANITIZED_THREADS = tuple(one for one in whole.REENTRANT if one.name == "reentrant/threads")

CHECKS: Checks = (
    *VERIFIED,
    library.CHECK,
    *whole.CHECKS,
    *whole.BITS,
    *families.CHECKS,
    everywhere.OWN_BYTES,
    *of_annex_a(stepping.ALIGNED_ACCESSES),
    BEYOND_4_GIB,
    *whole.REENTRANT,
    *sharing("header", of_annex_a(header.CHECKS, "header/prototypes")),
    *families.OBJECT,
    *sharing("annex-a", of_annex_a(linking.CHECKS)),
    *sharing("annex-a", of_annex_a(instructions.CHECKS)),
    *sharing("annex-a", of_annex_a(stepping.CHECKS)),
    *families.ABI,
    *families.SECRETS,
    *sanitized.checks(sanitized.quietly(SANITIZED), sanitized.quietly(SANITIZED_THREADS)),
)
