# SPDX-License-Identifier: MIT
"""Whether a message may come in pieces, empty ones among them (A.1.2)."""

from assay.check.check import Check, Origin
from assay.check.hash.session import HashSession
from assay.check.hash.trial import HashBuffers, HashTrial, wrong_digest
from assay.execute.agent import Buffer
from assay.model.api import Promise

LONGEST = 300
PLANS = 12
EVERY_SPLIT_UP_TO = 145  # two blocks of most hashes, and what hangs over


def pieces(trial: HashTrial) -> None:
    """Split messages at every place, into bytes, and at random places."""
    for size in trial.few_sizes:
        message = trial.bytes(LONGEST)
        with trial.desk(LONGEST, size) as desk:
            whole = desk.digest(message[:EVERY_SPLIT_UP_TO])
            step = 1 if trial.thorough else 9
            for at in range(0, EVERY_SPLIT_UP_TO + 1, step):
                _expect(desk, whole, (at, EVERY_SPLIT_UP_TO - at))
            _expect(desk, whole, (1,) * EVERY_SPLIT_UP_TO)
            whole = desk.digest(message)
            for _ in range(PLANS):
                _expect(desk, whole, _plan(trial, LONGEST))


def _plan(trial: HashTrial, length: int) -> tuple[int, ...]:
    """Cut a length at random places, sometimes at the same place twice."""
    cuts = sorted(trial.random.randrange(length + 1) for _ in range(trial.random.randrange(1, 9)))
    return tuple(b - a for a, b in zip((0, *cuts), (*cuts, length), strict=True))


def _expect(desk: HashBuffers, whole: bytes, plan: tuple[int, ...]) -> None:
    """Hash what is in the data buffer piece by piece."""
    session, at = desk.session, 0
    session.init(desk.ctx, desk.out_bits)
    for length in plan:
        session.update(desk.ctx, desk.data.at(at), length)
        at += length
    session.close(desk.ctx, desk.to)
    got = session.agent.read(desk.to)
    if got != whole:
        said = ", ".join(map(str, plan[:20])) + (", ..." if len(plan) > 20 else "")
        message = session.agent.read(desk.data, at)
        raise wrong_digest(
            session,
            f"{at} bytes in {len(plan)} pieces give another digest than in one",
            f"pieces   {said}\nmessage  {message.hex()}\nin one   {whole.hex()}\n"
            f"pieces   {got.hex()}",
        )


def empty(trial: HashTrial) -> None:
    """Add nothing, from NULL, at all stages; and never call the function at all."""
    for size in trial.few_sizes:
        message = trial.bytes(77)
        with trial.desk(len(message), size) as desk:
            session = desk.session
            whole = desk.digest(message)
            session.init(desk.ctx, size)
            nowhere = None if Promise.EMPTY in trial.api.promises else desk.data
            session.update(desk.ctx, nowhere, 0)
            for at in range(0, 77, 7):
                session.update(desk.ctx, desk.data.at(at), 7)
                session.update(desk.ctx, nowhere, 0)
            session.close(desk.ctx, desk.to)
            _same(session, desk.to, whole, "calls with no data change the digest")
            nothing = desk.digest(b"")
            session.init(desk.ctx, size)
            session.close(desk.ctx, desk.to)
            _same(
                session, desk.to, nothing,
                "a message without any data has another digest than one of no bytes",
            )  # fmt: skip


def _same(session: HashSession, to: Buffer, expected: bytes, complaint: str) -> None:
    got = session.agent.read(to)
    if got != expected:
        evidence = f"expected {expected.hex()}\nactual   {got.hex()}"
        raise wrong_digest(session, complaint, evidence)


CHECKS = (
    Check(
        name="update/pieces",
        asks="Is the digest the same however the message is split into calls?",
        why="Networks and disks deliver data in pieces of any size.",
        cure="Look at pieces that end exactly at, just before or just after the end of a block.",
        run=pieces,
        origin=Origin.PAPER,
    ),
    Check(
        name="update/empty",
        asks="Does a call with no data do nothing, and may it be left out (A.1.2)?",
        why="Callers pass on empty buffers, and messages may be empty. Compact hashes are also "
        "given a null pointer.",
        cure="Return at once if len is zero, and finish the empty message like any other.",
        run=empty,
        origin=Origin.PAPER,
    ),
)
