# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `hash`, and its checks in the order in which they run."""

from collections.abc import Callable

from msgspec.structs import replace

from assay.check import families
from assay.check.annex_a import header, instructions, linking, stepping
from assay.check.answers.digests import VECTORS, VERIFIED
from assay.check.calls import hashing
from assay.check.check import Check, CheckInapplicable, Said, sharing
from assay.check.hash.trial import HashTrial, exercise
from assay.check.keystream import everywhere
from assay.check.kinds import Kind
from assay.check.lengths import beyond_4_gib
from assay.check.memory import sanitized
from assay.check.schemes import library
from assay.check.session import describe_hash as describe
from assay.model.api import Promise

Checks = tuple[Check[HashTrial], ...]


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


# What makes the code compute, with sanitizers.
SANITIZED: Checks = (
    *VERIFIED,
    *hashing.BITS,
    *families.LENGTHS,
    *families.CONTEXT,
)
SANITIZED_THREADS = tuple(one for one in hashing.REENTRANT if one.name == "reentrant/threads")

CHECKS: Checks = (
    *VERIFIED,
    library.CHECK,
    *hashing.CHECKS,
    *hashing.BITS,
    *families.CHECKS,
    everywhere.OWN_BYTES,
    *of_annex_a(stepping.ALIGNED_ACCESSES),
    beyond_4_gib.OF_HASHES,
    *hashing.REENTRANT,
    *sharing("header", of_annex_a(header.CHECKS, "header/prototypes")),
    *families.OBJECT,
    *sharing("annex-a", of_annex_a(linking.CHECKS)),
    *sharing("annex-a", of_annex_a(instructions.CHECKS)),
    *sharing("annex-a", of_annex_a(stepping.CHECKS)),
    *families.ABI,
    *families.SECRETS,
    *sanitized.checks(sanitized.quietly(SANITIZED), sanitized.quietly(SANITIZED_THREADS)),
)
KIND = Kind(describe, HashTrial, CHECKS, exercise, VECTORS)
