# SPDX-License-Identifier: MIT
"""Which configurations won: the scores of a new shortlist."""

from collections import Counter
from collections.abc import Iterable

from assay.model import CellResult
from assay.summary.rows import STREAM, best_rows


def winning_tags(results: Iterable[CellResult]) -> dict[str, int]:
    """Count, per tag, the packages and sizes whose fastest sound cell it made."""
    rows = best_rows(results)
    wins = (
        r.result.configuration.tag for r in rows if not r.result.failed and STREAM in r.figures
    )
    return dict(Counter(wins))
