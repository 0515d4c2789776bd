# SPDX-License-Identifier: MIT
"""Recognises Microsoft's compiler, which answers to no option of the others."""

import re
import tempfile
from pathlib import Path

from assay.toolchain.process import run

_BANNER = re.compile(r"Microsoft \(R\) .*?Compiler Version (?P<version>[\d.]+) for (?P<cpu>\w+)")


def refusal(words: list[str]) -> str:
    """Return why a command named `cl` is not used, with its version if it is Microsoft's.

    The agent and its adapters are GNU C (statement expressions, attributes, `asm`), which
    clang, gcc, icc and icx take and cl does not.
    """
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        outcome = run(words, Path(folder))
    match = _BANNER.search(f"{outcome.messages}\n{outcome.output}")
    if match is None:
        return "it does not answer as Microsoft's compiler, or as any other"
    return (
        f"Microsoft C/C++ {match['version']} for {match['cpu']} cannot compile the agent, "
        "which is GNU C; for Windows use clang or mingw-w64 (docs/reference/targets.md)"
    )
