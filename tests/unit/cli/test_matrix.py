# SPDX-License-Identifier: MIT
"""What `assay check --target ...` prints below its matrix."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.cli.verdict_tables import _show_findings
from assay.model import CheckResult, Verdict


def on(name: str, *checks: CheckResult) -> Any:
    """Return how a package of one cell stands on a target."""
    row = SimpleNamespace(recipe=SimpleNamespace(variant=1), checks=checks)
    return SimpleNamespace(target=SimpleNamespace(name=name), rows=(row,))


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
