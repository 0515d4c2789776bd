# SPDX-License-Identifier: MIT
"""Whether data and digest may stand anywhere, and nothing around them is touched."""

from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, Origin
from assay.check.hash.exercise import exercise
from assay.check.hash.session import HashSession
from assay.check.hash.trial import HashTrial
from assay.execute.agent import Buffer
from assay.execute.counting import difference

LENGTHS = (1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200)
MODULUS = 16


def alignment(trial: HashTrial) -> None:
    """Read data from, and write digests to, every address."""
    for size in trial.few_sizes:
        message = trial.bytes(LENGTHS[-1])
        with trial.desk(len(message), size) as desk:
            whole = desk.digest(message)
            far = desk.session.agent.buffer("moved data", len(message) + MODULUS)
            to = desk.session.agent.buffer("moved digest", size // 8 + MODULUS)
            for off in range(8 if trial.thorough else 4):
                desk.session.agent.write(far, message, off)
                for at in (off, 0):
                    desk.session.init(desk.ctx, size)
                    desk.session.update(desk.ctx, far.at(off), len(message))
                    desk.session.close(desk.ctx, to.at(at))
                    got = desk.session.agent.read(to, size // 8, at)
                    if got != whole:
                        raise CheckFailed(
                            f"data {off} bytes and the digest {at} bytes off alignment give "
                            "another digest",
                            f"message  {message.hex()}\nexpected {whole.hex()}\n"
                            f"actual   {got.hex()}",
                        )


def guard(trial: HashTrial) -> None:
    """Call every function with exactly the bytes that are its own."""
    step = trial.subject.context_alignment
    for size in trial.few_sizes:
        with trial.session() as session:
            ctx = session.agent.buffer("ctx", trial.subject.context_bytes, modulus=step)
            to = session.agent.buffer("digest", size // 8, modulus=1)
            for length in LENGTHS if trial.thorough else LENGTHS[::4]:
                _once(trial, session, (ctx, to), size, length)


def _once(
    trial: HashTrial, session: HashSession, places: tuple[Buffer, Buffer], size: int, length: int
) -> None:
    """Hash one message that ends where its buffer ends; look at everything around."""
    ctx, to = places
    data = session.agent.buffer("data", length, modulus=1, number=2)
    message = trial.bytes(length)
    session.agent.write(data, message)
    session.init(ctx, size)
    session.update(ctx, data, length)
    session.close(ctx, to)
    if session.agent.read(data) != message:
        raise CheckFailed(f"a message of {length} bytes is changed by hashing it")
    for buffer in (ctx, to, data):
        changed, first = session.agent.damage(buffer)
        if changed:
            raise CheckFailed(
                f"hashing {length} bytes writes outside of {buffer.label} "
                f"({buffer.size_bytes} bytes): {changed} bytes, the first at offset {first}"
            )


def aligned_accesses(trial: HashTrial) -> None:
    """Count accesses that are not aligned, with everything at odd addresses."""
    bench = trial.bench
    if bench is None or bench.counted is None:
        raise CheckSkipped("memory accesses can be counted on emulated targets only")
    if not bench.target.aligned:
        raise CheckInapplicable("this machine allows accesses at any address (A.3.5)")
    with bench.counted() as (agent, counting):
        before = counting.read()
        exercise(agent, trial.subject, trial.sizes[-1])
        counts = difference(counting.read(), before)
    found = [(name, n.misaligned) for name, n in counts.functions.items() if n.misaligned]
    if found:
        what = ", ".join(f"{name} {count}" for name, count in found)
        raise CheckFailed(f"accesses to addresses that are not a multiple of their size: {what}")


CHECKS = (
    Check(
        name="buffers/alignment",
        asks="May data and digest have any alignment (A.1.2)?",
        why="The API promises no alignment.",
        cure="Read and write single bytes, or use instructions for unaligned access.",
        run=alignment,
        origin=Origin.PAPER,
    ),
    Check(
        name="buffers/guard",
        asks="Does every function stay within its buffers?",
        why=(
            "Reading beyond a buffer crashes if the next page is not mapped; writing beyond it "
            "corrupts other data."
        ),
        cure=(
            "Look at the named function and offset. Common causes: a last block loaded whole, a "
            "digest written in pieces that are too large."
        ),
        run=guard,
    ),
    Check(
        name="buffers/aligned-accesses",
        asks="Is every memory access aligned, whatever the alignment of the buffers?",
        why=(
            "On misaligned accesses ARMv4 rotates the value, MIPS and SPARC trap, and other "
            "processors are slow. Emulators and kernels hide it."
        ),
        cure="Read data and write digests byte by byte, and keep words only in the context.",
        run=aligned_accesses,
        origin=Origin.PAPER,
    ),
)
