# SPDX-License-Identifier: MIT
"""What a launch of a hash times: a long message and short ones, with one size of digest."""

from dataclasses import dataclass
from functools import partial

from assay.check.hash.vectors.parse import read_family
from assay.measure.counted import CountedAgent
from assay.measure.hash.footprint import count
from assay.measure.hash.measures import SIZES, measures, take
from assay.measure.task import Batches, Count, Measured, Take
from assay.model import HashSubject, Package, Sample
from assay.plan.effort import Effort
from assay.timing.clock import CounterOption

OUT_BITS = 256  # of the digest, where the package has that size


@dataclass(frozen=True, slots=True)
class HashTask:
    """Both measures, or the one that the effort names."""

    subject: HashSubject
    out_bits: int
    effort: Effort

    @property
    def asked(self) -> frozenset[Measured]:
        """Return the measures; a hash has no sizes of key and IV."""
        listed = measures(self.subject, self.out_bits, self.effort)
        return frozenset((one.name, SIZES) for one in listed)

    @property
    def counting(self) -> tuple[Count, ...]:
        """Return what counts both measures in one agent."""
        return (partial(_counted, self.subject, self.out_bits),)

    def taking(self, counter: CounterOption, batches: Batches) -> Take:
        """Return what takes them in a launch; proofs are asked for afterwards."""
        rate = counter.ticks_per_second
        return lambda agent, _, random: take(
            agent, self.subject, self.out_bits, self.effort, rate, batches, random
        )


def _counted(subject: HashSubject, out_bits: int, counter: CountedAgent) -> list[Sample]:
    listed = measures(subject, out_bits, Effort())
    both = zip(listed, count(counter, subject, out_bits), strict=True)
    return [one.sample(1, (round(steps.amount),), None, steps.work_bytes) for one, steps in both]


def digest_bits(package: Package) -> int:
    """Return the size of the digest to measure: 256 bits, or the largest that there is."""
    known = set(package.sizes)
    if not known and package.vectors is not None and not package.reference:
        known = {one.out_bits for one in read_family(package.vectors)}
    return OUT_BITS if OUT_BITS in known or not known else max(known)
