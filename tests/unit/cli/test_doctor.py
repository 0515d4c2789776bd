# SPDX-License-Identifier: MIT
"""`assay doctor`: the exit code follows the class, and JSON has what the text has."""

import json

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from assay.cli import doctor
from assay.model import Finding, Machine, Trust

GOOD = Finding("load", Trust.GOOD, "load 0.01 on 2 processors")
COSTS = Finding("turbo", Trust.COSTS, "turbo on", "The clock moves.", "echo 0 > boost")
BADLY = Finding("virtualisation", Trust.BADLY, "virtual (kvm)", "Others.", "Bare metal.")
MACHINE = Machine("h", "C", "x", 1, 1, "k", "s", None, None, None, None, None)


@pytest.mark.parametrize(
    ("findings", "letter", "code"),
    [((GOOD,), "A", 0), ((GOOD, COSTS), "B", 0), ((GOOD, COSTS, BADLY), "C", 1)],
)
def test_only_what_costs_much_trust_fails(
    monkeypatch: pytest.MonkeyPatch, findings: tuple[Finding, ...], letter: str, code: int
) -> None:
    """Both forms have the class and everything that costs trust, with its cure."""
    monkeypatch.setattr(doctor, "describe", lambda: replace(MACHINE, findings=findings))
    monkeypatch.setattr(doctor, "stated", lambda: "of one sort")
    monkeypatch.setattr(doctor, "strongest_stated", lambda: "with strong bars")
    text = CliRunner().invoke(doctor.command, [], standalone_mode=False)
    record = CliRunner().invoke(doctor.command, ["--json"], standalone_mode=False)
    assert text.return_value == record.return_value == code
    assert f"class {letter}" in text.output
    known = json.loads(record.output)
    assert known["class"] == letter
    assert known["control_groups"] == "of one sort"
    assert "Control groups: of one sort" in text.output
    assert known["jail"] == "with strong bars"
    assert "Jail: with strong bars" in text.output
    assert known["data_independent_timing"]["why"] in text.output
    assert [one["state"] for one in known["findings"]] == [one.state for one in findings]
    for one in findings:
        assert one.state in text.output
        assert one.cure in text.output


@pytest.mark.parametrize("form", ["csv", "latex", "markdown", "html"])
def test_the_findings_have_every_format(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """What is found, what it costs and how to fix it."""
    monkeypatch.setattr(doctor, "describe", lambda: replace(MACHINE, findings=(GOOD, COSTS)))
    monkeypatch.setattr(doctor, "stated", lambda: "of one sort")
    monkeypatch.setattr(doctor, "strongest_stated", lambda: "with strong bars")
    text = CliRunner().invoke(doctor.command, ["--format", form], standalone_mode=False).output
    for words in (GOOD.state, COSTS.topic, COSTS.state, COSTS.cost):
        assert words in text
    assert "echo 0" in text
