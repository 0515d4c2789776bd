# SPDX-License-Identifier: MIT
"""Functions that lie among data: assembly that does not return to `.text` after its tables."""

from assay.check.check import CheckSkipped
from assay.check.object.linked import objects_of
from assay.check.operation.trial import OperationTrial
from assay.compile.supercop.names import namespace
from assay.elf.code import outside_code
from assay.elf.reading import ObjectError
from assay.model.supercop import LEAGUES

FAULT = "SIGSEGV"


def misplaced(trial: OperationTrial, account: str) -> str:
    """Explain a fault by a called function that cannot be executed; empty if none is so."""
    if FAULT not in account:
        return ""
    called = {
        namespace(trial.package, league) + suffix
        for league in LEAGUES
        for suffix in trial.subject.functions
    }
    try:
        found = [one for path in objects_of(trial) for one in outside_code(path)]
    except (CheckSkipped, ObjectError):
        return ""
    for name, section in found:
        if name in called:
            return f"{name} is defined in {section}, which is not executable; add `.text`"
    return ""
