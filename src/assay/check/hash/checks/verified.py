# SPDX-License-Identifier: MIT
"""Whether the digests are the published ones, and as long as they should be."""

from assay.check.check import Check, CheckFailed, CheckOpen, CheckSkipped
from assay.check.evidence import compared_with
from assay.check.hash.sizes import ROOM_BYTES, supported_sizes
from assay.check.hash.trial import HashTrial
from assay.check.hash.vectors.parse import Vector
from assay.model.compared import GONE, UNCOMPARED
from assay.model.wire import HashFunction

SMALL_BYTES = 512  # what a board is asked to hash at most
FILLING = 0x5A
PER_MESSAGE = 128  # bytes whose time the beginning and the end of a message take


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
    with trial.session() as session, budget.share(session.agent, 1) as share:
        ctx = session.context()
        data = session.agent.buffer("data", max(longest, 1))
        to = session.agent.buffer("digest", max(len(one.digest) for one in known))
        answers = []
        for one in sorted(known, key=lambda one: len(one.whole)):
            if not share.affords(len(one.whole) + PER_MESSAGE):
                continue
            session.agent.write(data, one.whole)
            session.call(HashFunction.INIT, ctx, one.out_bits)
            session.call(HashFunction.UPDATE, ctx, data, len(one.whole))
            session.call(HashFunction.CLOSE, ctx, to, *one.rest)
            answers.append((one, session.agent.fetch(to, len(one.digest))))
        for one, answer in answers:
            _compare(one, answer.data, trial.package.reference)
    remarks = (compared_with(trial.package.reference), budget.remark("vectors"))
    return "; ".join(filter(None, remarks))


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
            ctx = session.context()
            to = session.agent.buffer("digest", ROOM_BYTES)
            session.agent.fill(to, FILLING)
            session.call(HashFunction.INIT, ctx, size)
            session.call(HashFunction.CLOSE, ctx, to, 0, 0)
            data = session.agent.read(to)
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


CHECKS = (
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
