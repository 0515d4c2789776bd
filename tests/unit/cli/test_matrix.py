# SPDX-License-Identifier: MIT
"""What `assay check --target ...` prints below its matrix."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.engine.cells import CheckedCell
from assay.check.engine.verdict import TargetStanding
from assay.cli.verdict_tables import _show_findings
from assay.compile.recipe import Recipe
from assay.model import CheckResult, Target, Verdict


def on(name: str, *checks: CheckResult) -> TargetStanding:
    """Return how a package of one cell stands on a target."""
    row = stand_in(CheckedCell, recipe=stand_in(Recipe, variant=1), checks=checks)
    return stand_in(TargetStanding, target=stand_in(Target, name=name), rows=(row,))


def test_findings_are_shown_once_for_all_targets_where_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without --all a matrix said nothing of what was noted."""
    noted = CheckResult(
        "memory/stack-need", Verdict.FINDING, "it needs 314 KiB of stack", cure="Less."
    )
    alone = CheckResult("object/stack", Verdict.FINDING, "ntt.S does not say", cure="Say it.")
    passed = CheckResult("calls/sparse", Verdict.PASS)
    _show_findings([on("qemu-mips", noted, passed), on("qemu-arm", noted, alone), on("avr")])
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "qemu-mips, qemu-arm:",
        "  note memory/stack-need: it needs 314 KiB of stack",
        "       Less.",
        "qemu-arm:",
        "  note object/stack: ntt.S does not say",
        "       Say it.",
    ]
