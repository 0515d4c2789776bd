# SPDX-License-Identifier: MIT
"""Whose fault it is that a package did not pass, by the check that decided and its words."""

import re
from enum import StrEnum

from assay.check.engine.examination import COMPILES, LINKS, LOADS
from assay.model import Verdict
from assay.model.compared import PATIENCE

_LIBRARY = re.compile(r"^it needs |apt-get|cannot be built|[Cc]argo|[Rr]ust")
_LAYOUT = re.compile(
    r"included but not in the package|, unknown here|nothing (?:that is compiled )?defines"
    r"|is a link to nothing"
)


class Fault(StrEnum):
    """Why a package did not pass; the value is how summaries call it."""

    CODE = "its code"
    TIME = "it needs more time than --patience allows"
    LAYOUT = "its layout: files are missing or not found"
    LIBRARY = "a library is missing here"
    MACHINE = "it is for another machine"
    UNKNOWN = "nothing to compare with, or not examined"


def fault_of(verdict: Verdict, check: str, reason: str) -> Fault:
    """Return whose fault a verdict on a package is, by its first check with that verdict."""
    if verdict is Verdict.OPEN:
        return Fault.TIME if check == PATIENCE else Fault.UNKNOWN
    if verdict is Verdict.SKIPPED:
        return Fault.LIBRARY if _LIBRARY.search(reason) else Fault.MACHINE
    missing = check in (COMPILES, LINKS) and _LAYOUT.search(reason)
    return Fault.LAYOUT if check == LOADS or missing else Fault.CODE
