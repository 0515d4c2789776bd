# SPDX-License-Identifier: MIT
"""What a package's object code defines, and what it calls."""

from dataclasses import dataclass
from pathlib import Path

from assay.check.check import CheckFailed, CheckSkipped
from assay.check.object.linked import names, objects_of
from assay.check.object.reserved import C_LIBRARY, RESERVED, RESERVED_NAMES
from assay.check.operation.trial import OperationTrial
from assay.elf.reading import global_symbols, open_object

RANDOM = "randombytes"


@dataclass(frozen=True, slots=True)
class ObjectContents:
    """Names of a package's object code, before any name is hidden."""

    defined: frozenset[str]
    called: frozenset[str]


def contents(path: Path) -> ObjectContents:
    """Read an object file."""
    with open_object(path) as elf:
        defined, called = global_symbols(elf)
    return ObjectContents(defined, called)


def _contents(trial: OperationTrial) -> ObjectContents:
    first, *_ = objects_of(trial)
    if "linking" not in trial.notes:
        trial.notes["linking"] = contents(first)
    found: ObjectContents = trial.notes["linking"]
    return found


def run_names(trial: OperationTrial) -> None:
    """Fail where the package defines what the harness or SUPERCOP's has.

    What only the C library has is hidden here and taken by SUPERCOP: a remark.
    """
    defined = _contents(trial).defined
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
