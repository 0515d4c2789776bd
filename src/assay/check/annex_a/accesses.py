# SPDX-License-Identifier: MIT
"""Whether all accesses to memory are aligned (A.3.5)."""

from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, Origin
from assay.check.hash.trial import HashTrial, exercise
from assay.execute.counting import difference


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
