# SPDX-License-Identifier: MIT
"""Whether messages may be as long as the API's types allow (A.3.5)."""

import time

from assay.check.check import CheckFailed, CheckSkipped
from assay.check.hash.trial import HashTrial
from assay.check.lengths.beyond import beyond_4_gib
from assay.check.schemes.library import running_hash
from assay.check.session import HashSession
from assay.execute.agent import AgentRefusal, Buffer
from assay.model import NATIVE_NAME
from assay.model.wire import HashFunction

LIMIT = 1 << 32
REST = 77
PATIENCE_SECONDS = 300.0
PIECE = 1 << 30
PROBE = 1 << 20


def run(trial: HashTrial) -> None:
    """Hash 2^32 + 77 zero bytes in one call, in pieces, and 77 alone."""
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
            ("one", (LIMIT + REST,)),
            ("pieces", (*[PIECE] * (LIMIT // PIECE), REST)),
            ("cut", (REST,)),
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
        raise CheckFailed("of a length of 2^32 + 77 only the low 32 bits are used", lines)
    if digests["one"] != digests["pieces"]:
        raise CheckFailed("2^32 + 77 bytes in one call are not those bytes in pieces", lines)
    known = running_hash(trial.package.primitive, size // 8)
    if known and (expected := known.of_zeros(LIMIT + REST)) != digests["one"]:
        raise CheckFailed(
            "2^32 + 77 bytes have another digest than by Python's library",
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


CHECK = beyond_4_gib(run)
