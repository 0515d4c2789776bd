# SPDX-License-Identifier: MIT
"""The checks that are asked of every kind, in families; a kind takes those that make sense."""

from assay.check.abi import modes, registers
from assay.check.buffers import alignment, distance, guard, in_place, inputs_kept, read_only
from assay.check.calls import deterministic, processor, sparse, surroundings, threads
from assay.check.check import Check, sharing
from assay.check.context import alignment as context_alignment
from assay.check.context import copied, erased, garbage, history, interleaved
from assay.check.lengths import (
    beyond_2_gib,
    beyond_4_kib,
    beyond_4_mib,
    dependence,
    every,
    splits,
    zero,
)
from assay.check.lengths.far import also_far
from assay.check.memory import allocation, leaks, marking, stack_need, valgrind
from assay.check.memory.passes import in_two_passes
from assay.check.object import calling, starting, thread_local
from assay.check.state import calls, left_behind, leftovers, stack
from assay.check.trial import AnyTrial

Checks = tuple[Check[AnyTrial], ...]

LENGTHS: Checks = (
    *also_far((splits.CHECK,)),
    zero.CHECK,
    beyond_4_kib.CHECK,
    beyond_4_mib.CHECK,
    beyond_2_gib.CHECK,
    dependence.CHECK,
    every.CHECK,
)
STATE: Checks = (
    calls.CHECK,
    *also_far((stack.CHECK,), few=True),
    leftovers.CHECK,
    left_behind.CHECK,
)
CONTEXT: Checks = (
    *also_far((garbage.CHECK, copied.COPIED, copied.MOVED, erased.CHECK, interleaved.CHECK)),
    history.CHECK,
    context_alignment.CHECK,
)
BUFFERS: Checks = (
    *also_far((in_place.CHECK, inputs_kept.CHECK)),
    *also_far((read_only.CHECK,), few=True),  # which launches an agent for each length
    *also_far((alignment.CHECK, guard.CHECK)),
    distance.CHECK,
)
CALLS: Checks = (deterministic.CHECK, sparse.CHECK)
PROCESSOR: Checks = (processor.CHECK,)
THREADS: Checks = also_far((threads.CHECK,), few=True)
SURROUNDINGS: Checks = (surroundings.CHECK,)
OBJECT: Checks = (starting.CHECK, calling.CHECK, thread_local.CHECK)
ABI: Checks = (
    *sharing(registers.NOTE, registers.CHECKS),
    modes.CHECK,
    *also_far((leaks.CHECK,), few=True),
    allocation.CHECK,
)
NEED: Checks = (stack_need.CHECK,)  # of functions that are called one by one
SECRETS: Checks = valgrind.checks(in_two_passes(marking.use))

CHECKS: Checks = (
    *CALLS,
    *PROCESSOR,
    *SURROUNDINGS,
    *THREADS,
    *STATE,
    *LENGTHS,
    *CONTEXT,
    *BUFFERS,
)
