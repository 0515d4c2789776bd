# SPDX-License-Identifier: MIT
"""What flows from stage to stage: frozen records, and nothing that acts.

Units stand in names (`_bytes`, `_bits`, `_ns`); what is unknown is None, never 0.
"""

from assay.model.kinds import PackageKind
from assay.model.measuring import (
    Beats,
    Canaries,
    Conditions,
    Counter,
    Direction,
    Launch,
    Sample,
)
from assay.model.notes import Dropped, Slower, Unreached, Unused
from assay.model.packages import (
    GOALS,
    BrokenPackage,
    OperationDetails,
    Package,
    PackageRole,
    Quirk,
)
from assay.model.results import Campaign, Finding, Machine, Trust
from assay.model.subjects import (
    HashSubject,
    OperationSubject,
    SizeChoice,
    StreamSubject,
    Subject,
)
from assay.model.targets import NATIVE_NAME, Runner, Runtime, Target
from assay.model.toolchains import Compiler, Configuration
from assay.model.work import (
    Build,
    BuildStage,
    Cell,
    CheckResult,
    LibraryFile,
    Linked,
    Stacks,
    Verdict,
    overall,
)

__all__ = [
    "GOALS",
    "NATIVE_NAME",
    "Beats",
    "BrokenPackage",
    "Build",
    "BuildStage",
    "Campaign",
    "Canaries",
    "Cell",
    "CheckResult",
    "Compiler",
    "Conditions",
    "Configuration",
    "Counter",
    "Direction",
    "Dropped",
    "Finding",
    "HashSubject",
    "Launch",
    "LibraryFile",
    "Linked",
    "Machine",
    "OperationDetails",
    "OperationSubject",
    "Package",
    "PackageKind",
    "PackageRole",
    "Quirk",
    "Runner",
    "Runtime",
    "Sample",
    "SizeChoice",
    "Slower",
    "Stacks",
    "StreamSubject",
    "Subject",
    "Target",
    "Trust",
    "Unreached",
    "Unused",
    "Verdict",
    "overall",
]
