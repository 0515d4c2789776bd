# SPDX-License-Identifier: MIT
"""Whether the setups of a series, which are not timed, do more than setups do.

A hundred keys and IVs are set up before each series. A cipher that computes keystream there, and
hands it out while it is timed, uses more processor time for it than its setups take when they
are timed. Agility is left out: its contexts are copied besides.
"""

import statistics
from collections.abc import Iterator, Sequence

from assay.measure.loops import SetupTime
from assay.model import Sample, SizeChoice
from assay.timing.witness import accuse

KEYS = 100  # as the agent sets up (harness/agent/stream_pool.c)
TIMED_SETUPS = ("setup/key", "setup/iv")
MOST_TIMES = 1.5  # what setups take where they are timed, batch after batch, in warm caches
REQUEST_SECONDS = 0.0002  # to read the request and to answer it, on slow machines too
FILLING_SECONDS = 8e-9  # for a random byte of keys, IVs and text: eight cycles at 1 GHz
LEAST_TEXT = 1500  # bytes, as the agent has them
LEAST_SETUPS = 3  # any one may be disturbed


def require_setups(
    setups: Sequence[SetupTime], samples: Sequence[Sample], rate: float, copying: int
) -> None:
    """Raise AgentLied if half of the setups at some sizes used more than timed ones say.

    `rate` is ticks per second. `copying` is the loop whose setups do more than others. Nothing
    is said where one of the setups was not timed.
    """
    for sizes in {one.sizes for one in setups}:
        timed = list(_seconds(sizes, samples, rate))
        used = [
            one.seconds for one in setups if one.sizes == sizes and one.measure.loop != copying
        ]
        if len(timed) < len(TIMED_SETUPS) or len(used) < LEAST_SETUPS:
            continue
        text = max(LEAST_TEXT, *(one.measure.call_bytes for one in setups))
        filled = KEYS * (sizes.key_bits + sizes.iv_bits + 14) / 8 + text
        anyway = REQUEST_SECONDS + FILLING_SECONDS * filled
        taken, most = statistics.median(used), MOST_TIMES * KEYS * sum(timed) + anyway
        if taken > most:
            accuse(
                f"setting up {KEYS} keys and IVs took {1000 * taken:.1f} ms of the processor, and "
                f"{1000 * most:.1f} ms at most is believed by what setups take when they are "
                "timed: it works ahead there"
            )


def _seconds(sizes: SizeChoice, samples: Sequence[Sample], rate: float) -> Iterator[float]:
    """Yield what a setup of each kind takes."""
    for one in samples:
        if one.sizes == sizes and one.measure in TIMED_SETUPS:
            yield statistics.median(one.ticks) / one.tests / rate
