# SPDX-License-Identifier: MIT
"""The checks of the kind `hash`, in the order in which they are run and shown."""

from collections.abc import Callable
from dataclasses import replace

from assay.check import families
from assay.check.annex_a import header, instructions, linking, stepping
from assay.check.check import Check, CheckInapplicable, Said, sharing
from assay.check.hash.checks import verified, whole
from assay.check.hash.trial import HashTrial
from assay.check.memory import sanitized
from assay.check.schemes import library
from assay.model.api import Promise

Checks = tuple[Check[HashTrial], ...]

# What makes the code compute, with sanitizers.
SANITIZED: Checks = (
    *verified.CHECKS,
    *whole.BITS,
    *families.LENGTHS,
    *families.CONTEXT,
)
SANITIZED_THREADS = tuple(one for one in whole.REENTRANT if one.name == "reentrant/threads")


def of_annex_a(checks: Checks, *general: str) -> Checks:
    """Ask checks only where the API has the rules of Annex A, except those that are general."""
    return tuple(
        one if one.name in general else replace(one, run=_promised(one)) for one in checks
    )


def _promised(check: Check[HashTrial]) -> Callable[[HashTrial], Said]:
    def run(trial: HashTrial) -> Said:
        if Promise.ANNEX_A not in trial.api.promises:
            raise CheckInapplicable(f"the API {trial.api.name} has no such rule")
        return check.run(trial)

    return run


CHECKS: Checks = (
    *verified.CHECKS,
    library.CHECK,
    *whole.CHECKS,
    *whole.BITS,
    *families.CHECKS,
    *of_annex_a(stepping.ALIGNED_ACCESSES),
    verified.BEYOND_4_GIB,
    *whole.REENTRANT,
    *sharing("header", of_annex_a(header.CHECKS, "header/prototypes")),
    *families.OBJECT,
    *sharing("annex-a", of_annex_a(linking.CHECKS)),
    *sharing("annex-a", of_annex_a(instructions.CHECKS)),
    *sharing("annex-a", of_annex_a(stepping.CHECKS)),
    *families.ABI,
    *families.NEED,
    *families.SECRETS,
    *sanitized.checks(sanitized.quietly(SANITIZED), sanitized.quietly(SANITIZED_THREADS)),
)
