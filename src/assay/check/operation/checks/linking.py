# SPDX-License-Identifier: MIT
"""What a package's object code defines."""

from assay.check.check import CheckFailed, CheckSkipped
from assay.check.object.linked import (
    C_LIBRARY,
    RESERVED,
    RESERVED_NAMES,
    names,
    names_of,
    objects_of,
)
from assay.check.operation.trial import OperationTrial

RANDOM = "randombytes"


def run_names(trial: OperationTrial) -> None:
    """Fail where the package defines what the harness or SUPERCOP's has.

    What only the C library has is hidden here and taken by SUPERCOP: a remark.
    """
    defined, _ = names_of(objects_of(trial)[:1])
    taken = sorted(n for n in defined if n.startswith(RESERVED) or n in RESERVED_NAMES)
    if RANDOM in taken:
        raise CheckFailed(
            f"it defines {RANDOM}: its random bytes are not those that tests give, so checksums "
            "and known answers cannot be compared",
            "\n".join(taken),
            "Remove it: randombytes belongs to SUPERCOP, and to whatever a program links.",
        )
    if taken:
        raise CheckFailed(
            f"it defines {', '.join(taken[:4])}, which others have",
            "\n".join(taken),
        )
    borrowed = sorted(defined & C_LIBRARY)
    if borrowed:
        raise CheckSkipped(
            f"it defines {', '.join(borrowed[:4])} of the C library: a program that it is "
            "linked with gets them, too (here they are hidden)"
        )


NAMES_CHECK = names(run_names)
