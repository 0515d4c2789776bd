# SPDX-License-Identifier: MIT
"""The marks by which packages say what is no secret any more, for every instrument.

Projects switch theirs on by macros, and all but SUPERCOP's `crypto_declassify` are requests to
valgrind in the end. Where something else follows secrets, a header of the harness takes the place
of valgrind's and leads to that function (`harness/marks/`).
"""

import shutil
from pathlib import Path

from assay.compile.parts import HARNESS
from assay.model import Configuration

# mlkem-native, mldsa-native, BoringSSL.
SWITCHES = (
    "-DMLK_CONFIG_CT_TESTING_ENABLED",
    "-DMLD_CONFIG_CT_TESTING_ENABLED",
    "-DBORINGSSL_CONSTANT_TIME_VALIDATION",
)
FOLDER = "marks"
FIRST = f"{FOLDER}/valgrind/memcheck.h"


def marks(*, valgrind: bool, inside_package: bool) -> str:
    """Return the options by which a package's marks are heard, by valgrind or another one."""
    up = "../" if inside_package else ""
    ours = () if valgrind else ("-isystem", f"{up}{FOLDER}", "-include", f"{up}{FIRST}")
    return " ".join((*SWITCHES, *ours))


def place_marks(home: Path, configuration: Configuration) -> None:
    """Put the header where the options say, if they do."""
    if any(one.endswith(FIRST) for one in configuration.opt.split()):
        shutil.copytree(HARNESS / FOLDER, home / FOLDER)
