# SPDX-License-Identifier: MIT
"""The checks that are asked of every kind, in families; a kind takes those that make sense."""

from assay.check.abi import registers
from assay.check.buffers import alignment, guard, in_place, inputs_kept
from assay.check.calls import deterministic
from assay.check.check import Check
from assay.check.context import alignment as context_alignment
from assay.check.context import copied, erased, garbage, interleaved
from assay.check.lengths import dependence, long, splits, zero
from assay.check.memory import leaks, marking, valgrind
from assay.check.memory.passes import in_two_passes
from assay.check.object import calling, starting
from assay.check.state import calls, stack
from assay.check.trial import AnyTrial

Checks = tuple[Check[AnyTrial], ...]

LENGTHS: Checks = (splits.CHECK, zero.CHECK, long.CHECK, dependence.CHECK)
STATE: Checks = (calls.CHECK, stack.CHECK)
CONTEXT: Checks = (
    garbage.CHECK,
    copied.COPIED,
    copied.MOVED,
    erased.CHECK,
    interleaved.CHECK,
    context_alignment.CHECK,
)
BUFFERS: Checks = (in_place.CHECK, inputs_kept.CHECK, alignment.CHECK, guard.CHECK)
CALLS: Checks = (deterministic.CHECK,)
OBJECT: Checks = (starting.CHECK, calling.CHECK)
ABI: Checks = (*registers.CHECKS, leaks.CHECK)
SECRETS: Checks = valgrind.checks(in_two_passes(marking.use))

CHECKS: Checks = (*CALLS, *STATE, *LENGTHS, *CONTEXT, *BUFFERS)
