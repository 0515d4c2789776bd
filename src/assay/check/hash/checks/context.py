# SPDX-License-Identifier: MIT
"""Whether the context is all the state there is, wherever it stands (A.1.1, A.2.3)."""

from assay.check.check import Check, CheckFailed, Origin
from assay.check.hash.session import HashSession
from assay.check.hash.trial import HashTrial, unless
from assay.execute.agent import Buffer
from assay.model.api import Promise

LENGTH = 200
STOPS = (0, 1, 63, 64, 65, 127, 128, 199, 200)
AGAIN = 8  # a buffer that is made anew each time: small targets have no room for sixteen
GARBAGE = (0x00, 0xFF, 0xA5)


def garbage(trial: HashTrial) -> None:
    """Fill the context with anything before a message begins."""
    for size in trial.sizes if trial.thorough else trial.few_sizes:
        message = trial.bytes(70)
        with trial.desk(len(message), size) as desk:
            seen = {}
            for filling in GARBAGE:
                desk.session.agent.fill(desk.ctx, filling)
                seen[filling] = desk.digest(message)
            desk.session.agent.write(desk.ctx, trial.bytes(desk.ctx.size_bytes))
            seen[-1] = desk.digest(message)
        if len(set(seen.values())) > 1:
            lines = [f"{'random' if k < 0 else hex(k)}: {v.hex()}" for k, v in seen.items()]
            raise CheckFailed(
                "the digest depends on what the context held before init", "\n".join(lines)
            )


def clone(trial: HashTrial) -> None:
    """Copy the context at many places to another address; both go on alike."""
    size = trial.sizes[-1]
    message = trial.bytes(LENGTH)
    with trial.desk(LENGTH, size) as desk:
        session = desk.session
        whole = desk.digest(message)
        for residue in (0, 1):
            twin = session.context(f"copy {residue}", residue=residue)
            for at in STOPS:
                session.init(desk.ctx, size)
                session.update(desk.ctx, desk.data, at)
                session.agent.copy_bytes(twin, desk.ctx)
                session.agent.fill(desk.ctx, 0xEE)
                _go_on(session, twin, desk.data, at, desk.to)
                _judge(session.agent.read(desk.to), whole, f"a copy made after {at} bytes")


def _go_on(session: HashSession, ctx: Buffer, data: Buffer, at: int, to: Buffer) -> None:
    session.update(ctx, data.at(at), LENGTH - at)
    session.close(ctx, to)


def _judge(got: bytes, whole: bytes, what: str) -> None:
    if got != whole:
        raise CheckFailed(
            f"{what} gives another digest", f"expected {whole.hex()}\nactual   {got.hex()}"
        )


def interleaved(trial: HashTrial) -> None:
    """Hash several messages at once, of several sizes, byte by byte in turn."""
    sizes = (trial.sizes * 3)[-3:]
    messages = [trial.bytes(LENGTH) for _ in sizes]
    alone = []
    for size, message in zip(sizes, messages, strict=True):
        with trial.desk(LENGTH, size) as desk:
            alone.append(desk.digest(message))
    with trial.session() as session:
        contexts = [session.context(f"ctx {i}") for i in range(len(sizes))]
        data = [session.agent.buffer(f"data {i}", LENGTH) for i in range(len(sizes))]
        to = session.agent.buffer("digest", 64)
        for ctx, size, buffer, message in zip(contexts, sizes, data, messages, strict=True):
            session.agent.write(buffer, message)
            session.init(ctx, size)
        for at in range(0, LENGTH, 8):
            for ctx, buffer in zip(contexts, data, strict=True):
                session.update(ctx, buffer.at(at), 8)
        for ctx, size, expected in zip(contexts, sizes, alone, strict=True):
            session.close(ctx, to)
            got = session.agent.read(to, size // 8)
            _judge(got, expected, "hashing several messages at the same time")


def anywhere(trial: HashTrial) -> None:
    """Put the context at every address that its type allows."""
    size = trial.sizes[-1]
    message = trial.bytes(LENGTH)
    step = trial.subject.context_alignment
    with trial.desk(LENGTH, size) as desk:
        whole = desk.digest(message)
        for residue in range(16 // step if step < 16 else 1):
            there = desk.session.agent.buffer(
                "ctx", trial.subject.context_bytes, modulus=max(16, step), residue=residue * step,
                number=AGAIN,
            )  # fmt: skip
            desk.session.init(there, size)
            desk.session.update(there, desk.data, LENGTH)
            desk.session.close(there, desk.to)
            got = desk.session.agent.read(desk.to)
            _judge(got, whole, f"a context {residue * step} bytes off an address divisible by 16")


CHECKS = (
    Check(
        name="context/garbage",
        asks="Does a message begin well whatever the context held before?",
        why="Contexts often lie on a stack that other code has used.",
        cure="Set every field when a message begins.",
        run=garbage,
        origin=Origin.PAPER,
    ),
    Check(
        name="context/clone",
        asks=(
            "May a context be copied with memcpy at any time, to any address, and continue there?"
        ),
        why=(
            "Copying gives the hash of the input so far. A pointer into the context itself "
            "breaks it."
        ),
        cure="Keep no addresses in the context, and no state outside it.",
        run=clone,
        origin=Origin.PAPER,
        excuse=unless(Promise.COPIES),
    ),
    Check(
        name="context/interleaved",
        asks="May several messages be hashed at the same time?",
        why="Applications do so; writable data outside the contexts mixes the messages.",
        cure="Move static data into the context.",
        run=interleaved,
        origin=Origin.PAPER,
    ),
    Check(
        name="context/alignment",
        asks="May the context have every alignment that its type allows?",
        why=(
            "Assembly often assumes more than the header promises. It then works until a "
            "structure around the context changes."
        ),
        cure=(
            "Rely only on the alignment of the declared fields, or declare fields with a larger "
            "one."
        ),
        run=anywhere,
        origin=Origin.PAPER,
    ),
)
