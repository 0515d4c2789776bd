# SPDX-License-Identifier: MIT
"""What costs trust in a machine's figures, as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.model import Finding, Trust
from assay.report.table import CellLook, Column, More, Note, Style, Table, listed

STYLES = {
    Trust.GOOD: Style.PASS,
    Trust.UNKNOWN: Style.UNKNOWN,
    Trust.COSTS: Style.OPEN,
    Trust.BADLY: Style.FAIL,
}


def findings_table(findings: Sequence[Finding]) -> Table:
    """List what costs trust in timings, what it costs and what to do; a row for each topic."""
    return listed(
        findings,
        Column("topic", "Topic", whole=True),
        Column("trust", "Verdict", style=lambda row: STYLES[row["trust"]]),
        Column("state", "Found", look=CellLook.PROSE, more=_costs),
        *map(Column, ("cost", "cure")),
    )


def _costs(row: Mapping[str, Any]) -> More:
    """State what a finding costs, and how to fix what costs trust."""
    cost = (Note(row["cost"]),) if row["cost"] else ()
    costly = row["cure"] and row["trust"] in {Trust.COSTS, Trust.BADLY}
    return More(below=(*cost, *((Note(row["cure"], Style.LEAD),) if costly else ())))
