# SPDX-License-Identifier: MIT
"""The rate from which on ciphers are skipped: the file `.skip-slow` of a reports folder.

It holds one number, in core cycles per byte of the long stream; without it none is skipped.
"""

import math
from pathlib import Path

from assay.errors import UsageError

SKIP_SLOW = ".skip-slow"


def parse_rate(text: str) -> float | None:
    """Read a rate in cycles/byte; None for an empty answer or 0, which skip nothing."""
    try:
        rate = float(text.strip() or 0)
    except ValueError:
        rate = math.nan
    if not 0 <= rate < math.inf:
        raise UsageError(
            f"{text.strip()[:40]!r} is no rate in cycles/byte", "Enter a number such as 50, or 0."
        )
    return rate or None


def slow_rate(reports: Path) -> float | None:
    """Return the rate that `configure` was given, in cycles/byte; None if it was given none."""
    path = reports / SKIP_SLOW
    return parse_rate(path.read_text(errors="replace")) if path.is_file() else None
