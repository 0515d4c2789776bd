# SPDX-License-Identifier: MIT
"""What a results folder says of the packages in it, in one line."""

from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError
from assay.model import Verdict, overall
from assay.model.causes import causes
from assay.model.compared import glanced
from assay.store import Store
from assay.store.rows import StoredCell


class Judgement(Struct, frozen=True):
    """The verdict on a folder; of one that is not a pass the reason, in words."""

    verdict: Verdict
    reason: str = ""

    def __str__(self) -> str:
        """Write both in one line."""
        return f"{self.verdict}: {self.reason}" if self.reason else str(self.verdict)


def verdict_of(folder: Path) -> Judgement:
    """Read what the last campaign of a results folder came to.

    AssayError if there is none that has ended. Every cell counts but those that lost a race
    after a glance, and packages that cannot be loaded have failed.
    """
    with Store.open(folder, read_only=True) as store:
        campaigns, cells, broken = store.campaigns(), store.cells(), store.broken_packages()
    if not campaigns or campaigns[-1].finished_at is None:
        raise AssayError(f"no campaign has ended in {folder}", "Start the same command again.")
    cells = tuple(one for one in cells if not glanced(one.checks)) or cells
    verdicts = [Verdict.FAIL for _ in broken] + [_verdict(one) for one in cells]
    whole = overall(verdicts)
    if whole is Verdict.FAIL and broken:
        return Judgement(whole, f"{broken[0].selector} cannot be loaded: {broken[0].reason}")
    first = next((one for one in cells if _verdict(one) is whole), None)
    return Judgement(whole, _reason(first, whole) if first and whole is not Verdict.PASS else "")


def _verdict(cell: StoredCell) -> Verdict:
    return overall(one.verdict for one in cell.checks)


def _reason(cell: StoredCell, verdict: Verdict) -> str:
    """Return what decided: of failures the cause of the others."""
    checks = cell.checks
    decided = causes(checks) if verdict is Verdict.FAIL else ()
    found = (*decided, *(one for one in checks if one.verdict is verdict))
    first = next(iter(found), None)
    why = f"{first.check}: {first.reason}" if first else "nothing was examined"
    return f"{cell.build.cell.selector}: {why}"
