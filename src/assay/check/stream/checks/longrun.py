# SPDX-License-Identifier: MIT
"""Whether a stream of more than four gigabytes repeats itself."""

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.stream.trial import Trial
from assay.execute.agent import AgentRefusal
from assay.model.wire import StreamFunction

STEP_BYTES = 65536  # as in harness/agent/stream_long.c
STEPS = (1 << 32) // STEP_BYTES + 16
LIMIT_MS = 100_000
PATIENCE_SECONDS = 180.0
GIB = 1 << 30


def run(trial: Trial) -> None:
    """Encrypt zeros beyond 2^32 bytes; the beginnings of all steps must differ."""
    if not trial.deep:
        raise CheckSkipped("slow; run it with `--deep`")
    if trial.on_board:
        raise CheckSkipped("a board would take days")
    sizes = trial.sizes[-1]
    with trial.fresh_session() as session:
        agent = session.agent
        ctx, room = session.context(), agent.buffer("stream", STEP_BYTES)
        key, iv = agent.buffer("key", sizes.key_bits // 8), agent.buffer("IV", sizes.iv_bits // 8)
        agent.write(key, trial.bytes(key.size_bytes))
        agent.write(iv, trial.bytes(iv.size_bytes))
        session.call(StreamFunction.KEYSETUP, ctx, key, *sizes.bits())
        session.call(StreamFunction.IVSETUP, ctx, iv)
        agent.flush()
        try:
            reader = agent.answer(
                StreamFunction.LONG, (ctx, room), (STEPS, LIMIT_MS), PATIENCE_SECONDS
            )
        except AgentRefusal:
            raise CheckSkipped(f"its blocks do not fill {STEP_BYTES} bytes") from None
        done, repeats, first = (reader.number(size) for size in (8, 1, 8))
    if repeats:
        again = done - STEP_BYTES
        raise CheckFailed(f"the keystream from byte {again} on is that from byte {first} on")
    if done < STEPS * STEP_BYTES:
        raise CheckSkipped(f"it made {done / GIB:.1f} of 4 GiB in {LIMIT_MS // 1000} seconds")


CHECKS = (
    Check(
        name="lengths/period",
        asks="Is the keystream of one IV free of repetitions for four gigabytes?",
        why=(
            "A counter that is too short repeats the keystream, which reveals the difference of "
            "two plaintexts to an eavesdropper."
        ),
        cure="Give the counter the specified width, and carry into all of it.",
        run=run,
    ),
)
