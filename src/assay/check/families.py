# SPDX-License-Identifier: MIT
"""The checks that are asked of every kind, in families; a kind takes those that make sense."""

from assay.check.buffers import guard, inputs, places
from assay.check.calls import registers, sparse, surroundings
from assay.check.check import Check, sharing
from assay.check.lengths import beyond, dependence, splits
from assay.check.lengths.far import also_far
from assay.check.memory import passes, taken, valgrind
from assay.check.memory.passes import in_two_passes
from assay.check.object import calling, linked
from assay.check.state import earlier, history, left_behind, stages
from assay.check.trial import AnyTrial

Checks = tuple[Check[AnyTrial], ...]

LENGTHS: Checks = (
    *also_far((splits.SPLITS,)),
    splits.ZERO,
    beyond.BEYOND_4_KIB,
    beyond.BEYOND_4_MIB,
    beyond.BEYOND_2_GIB,
    dependence.DEPENDENCE,
    splits.EVERY,
)
STATE: Checks = (
    earlier.MANY_CALLS,
    *also_far((earlier.STACK,), few=True),
    earlier.RESIDUE,
    left_behind.CHECK,
)
CONTEXT: Checks = (
    *also_far(
        (stages.GARBAGE_BEFORE, stages.COPIED, stages.MOVED, stages.ERASED, stages.INTERLEAVED)
    ),
    history.CHECK,
    stages.ALIGNMENT,
)
BUFFERS: Checks = (
    *also_far((inputs.IN_PLACE, inputs.KEPT)),
    *also_far((inputs.READ_ONLY,), few=True),  # which launches an agent for each length
    *also_far((places.ALIGNED, guard.CHECK)),
    places.DISTANCE,
)
CALLS: Checks = (surroundings.DETERMINISTIC, sparse.CHECK)
PROCESSOR: Checks = (surroundings.PROCESSOR,)
THREADS: Checks = also_far((surroundings.THREADS,), few=True)
SURROUNDINGS: Checks = (surroundings.SURROUNDINGS,)
OBJECT: Checks = (linked.CONSTRUCTORS, calling.CHECK, linked.THREAD_LOCAL)
ABI: Checks = (
    *sharing(registers.NOTE, registers.CHECKS),
    surroundings.FLOATING_POINT_MODES,
    *also_far((taken.LEAK,), few=True),
    *also_far((taken.ALLOCATION,), few=True),
    taken.STACK_NEED,
)
SECRETS: Checks = valgrind.checks(in_two_passes(passes.use_marked))

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
