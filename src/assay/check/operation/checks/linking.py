# SPDX-License-Identifier: MIT
"""What a package's object code defines, what it calls, and what runs before it is called."""

from dataclasses import dataclass
from pathlib import Path

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.object.reserved import C_LIBRARY, RESERVED, RESERVED_NAMES
from assay.check.operation.trial import OperationTrial
from assay.elf.reading import global_symbols, open_object

CXX = "c++"
BEFORE_MAIN = (".init_array", ".ctors", ".preinit_array", ".init")
AFTER_MAIN = (".fini_array", ".dtors", ".fini")


@dataclass(frozen=True, slots=True)
class ObjectContents:
    """Names and sections of a package's object code, before any name is hidden."""

    defined: frozenset[str]
    called: frozenset[str]
    sections: frozenset[str]


def contents(path: Path) -> ObjectContents:
    """Read an object file."""
    with open_object(path) as elf:
        defined, called = global_symbols(elf)
        filled = frozenset(one.name for one in elf.iter_sections() if one["sh_size"])
    return ObjectContents(defined, called, filled)


def _contents(trial: OperationTrial) -> ObjectContents:
    build = trial.bench.build if trial.bench else None
    if build is None or not build.objects or not build.objects[0].is_file():
        raise CheckSkipped("the object code is not there any more")
    if "linking" not in trial.notes:
        trial.notes["linking"] = contents(build.objects[0])
    found: ObjectContents = trial.notes["linking"]
    return found


def run_names(trial: OperationTrial) -> None:
    """Fail where the package defines what the harness or SUPERCOP's has.

    What only the C library has is hidden here and taken by SUPERCOP: a remark.
    """
    defined = _contents(trial).defined
    taken = sorted(n for n in defined if n.startswith(RESERVED) or n in RESERVED_NAMES)
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


def run_constructors(trial: OperationTrial) -> None:
    """Fail where code runs before or after everything that the API asks for."""
    sections = _contents(trial).sections
    found = sorted(name for name in sections if name.startswith((*BEFORE_MAIN, *AFTER_MAIN)))
    if found and trial.details.language == CXX:
        raise CheckSkipped("it is C++, whose objects have constructors")
    if found:
        raise CheckFailed(f"code runs without being called: {', '.join(found)}")


NAMES_CHECK = Check(
    "object/names",
    "Are the package's names distinct from those of tests and measurements?",
    (
        "A package with its own cycle counter would time itself; one with its own randombytes "
        "would not be tested with the bench's."
    ),
    "Make the function static, or name it with CRYPTO_NAMESPACE.",
    run_names,
)
CONSTRUCTORS_CHECK = Check(
    "object/constructors",
    "Does no code run before the first call of an API function?",
    (
        "SUPERCOP accepted a package whose constructor printed the expected checksum and ended "
        "the program."
    ),
    "Remove the constructor, and compute tables at compile time or in the function.",
    run_constructors,
)
