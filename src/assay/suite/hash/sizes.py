# SPDX-License-Identifier: MIT
"""Which output sizes a hash supports, found out by looking at what it writes."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from assay.execute.agent import AgentError
from assay.suite.check import CheckFailed
from assay.suite.hash.session import HashSession

Lend = Callable[[], AbstractContextManager[HashSession]]

CANDIDATES = (128, 160, 192, 224, 256, 320, 384, 448, 512)
ROOM_BYTES = 160
FILLINGS = (0x00, 0xFF)


def supported_sizes(lend: Lend, candidates: tuple[int, ...] = CANDIDATES) -> tuple[int, ...]:
    """Give the sizes in bits for which exactly as many bytes are written.

    `lend` lends a session (a trial's `session`).

    The API has no way to ask. What a size that is not supported does is undefined,
    so a fault means no.
    """
    return tuple(size for size in candidates if _writes(lend, size))


def _writes(lend: Lend, out_bits: int) -> bool:
    """Whether a digest of that size fills its bytes and no others."""
    seen: set[int] = set()
    try:
        with lend() as session:
            ctx = session.context()
            to = session.agent.buffer("digest", ROOM_BYTES)
            for filling in FILLINGS:
                session.agent.fill(to, filling)
                session.init(ctx, out_bits)
                session.close(ctx, to)
                data = session.agent.read(to)
                seen |= {at for at, value in enumerate(data) if value != filling}
    except (AgentError, CheckFailed):
        return False
    return bool(seen) and max(seen) + 1 == out_bits // 8
