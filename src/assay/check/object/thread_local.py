# SPDX-License-Identifier: MIT
"""Whether a package keeps data per thread, for every kind."""

from pathlib import Path

from elftools.elf.constants import SH_FLAGS

from assay.check.check import Check, CheckFinding
from assay.check.object.linked import objects_of
from assay.check.trial import AnyTrial
from assay.elf.reading import open_object

EMULATED = "__emutls_v."  # where the target has no thread-local storage of its own


def run(trial: AnyTrial) -> None:
    """Report sections of which every thread has its own copy."""
    found = sorted({one for path in objects_of(trial) for one in _of_threads(path)})
    if found:
        raise CheckFinding(f"every thread has data of its own in it: {', '.join(found)}")


def _of_threads(path: Path) -> set[str]:
    with open_object(path) as elf:
        return {
            one.name
            for one in elf.iter_sections()
            if one["sh_size"] and (one["sh_flags"] & SH_FLAGS.SHF_TLS or EMULATED in one.name)
        }


CHECK: Check[AnyTrial] = Check(
    "object/thread-local",
    "Is the package free of data that every thread has by itself?",
    (
        "A context may be made by one thread and used by another. What the first one remembers "
        "of it beside the context is not there in the second, or is out of date."
    ),
    "Keep all state in the context, or in the arguments.",
    run,
)
