# SPDX-License-Identifier: MIT
"""Verdicts as continuous integration reads them, judged by parsers of other authors."""

import json
from pathlib import Path

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped
from msgspec.structs import replace
from sarif_pydantic import Sarif

from assay.campaign.gathering import check_texts
from assay.check.kinds import every_check
from assay.model import CheckResult, Verdict
from assay.report.ci.records import CellVerdict, Harvest
from assay.report.ci.summary import summary_text
from assay.report.ci.verdict_forms import annotations_text, junit_text, sarif_text

SOURCE = """\
#include "toy.h"

int toy_seal(int n);

int
toy_seal(int n)
{
    return n;
}
"""
GUARD = CheckResult(
    "buffers/guard", Verdict.FAIL, "reads behind an input", "Stay inside.", "at toy.c:8:5 (toy)"
)
CHECKS = (
    CheckResult("build/links", Verdict.PASS, "linked with -lm"),
    GUARD,
    CheckResult("memory/bounds", Verdict.FAIL, "reads", follows="buffers/guard"),
    CheckResult("vectors/verified", Verdict.OPEN, "100 %\nnot compared", "Add: vectors, please."),
    CheckResult("build/warnings", Verdict.FINDING, "toy_seal returns too early", "Look."),
    CheckResult("sanitize/threads", Verdict.SKIPPED, "slow"),
)


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CellVerdict:
    """Make verdicts on a package in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/toy.c").write_text(SOURCE)
    return CellVerdict(
        "toy", tmp_path / "toy", CHECKS, ("toy.c", "toy.h"), configuration="gcc_O2", seconds=1.5
    )


def test_junit_has_a_case_for_each_check_with_its_outcome(cell: CellVerdict) -> None:
    """What decides a pass and was not answered is an error, and nothing is green that is not."""
    read = JUnitXml.fromstring(junit_text(Harvest((cell,))).encode())
    (suite,) = read
    results = {case.name: [type(one) for one in case.result] for case in suite}
    assert results == {
        "build/links": [],
        "buffers/guard": [Failure],
        "memory/bounds": [Failure],
        "vectors/verified": [Error],
        "build/warnings": [],
        "sanitize/threads": [Skipped],
    }
    assert (read.tests, read.failures, read.errors, read.skipped) == (6, 2, 1, 1)
    assert (suite.name, suite.time) == ("toy (gcc_O2)", 1.5)


def test_junit_survives_what_no_xml_document_may_contain(cell: CellVerdict) -> None:
    """Evidence is bytes of submitted code."""
    check = replace(GUARD, evidence="\x1b[2J\x00]]> <!-- \ud800", reason='<&">')
    (suite,) = JUnitXml.fromstring(
        junit_text(Harvest((replace(cell, checks=(check,)),))).encode("utf-8")
    )
    (case,) = suite
    (failure,) = case.result
    assert failure.message == '<&">'


def test_junit_says_that_a_target_was_skipped(cell: CellVerdict) -> None:
    """A suite without any case would look like a pass."""
    skipped = replace(cell, checks=(), skipped="no compiler", target="avr")
    (suite,) = JUnitXml.fromstring(junit_text(Harvest((skipped,))).encode())
    assert [case.result[0].message for case in suite] == ["no compiler"]


def test_sarif_names_the_line_of_evidence_or_of_the_function(cell: CellVerdict) -> None:
    """The first line of the source is left for what names neither."""
    (run,) = Sarif.model_validate_json(sarif_text(Harvest((cell,)), check_texts())).runs
    assert run.results is not None
    places = {}
    for one in run.results:
        assert one.locations is not None
        place = one.locations[0].physical_location
        assert place is not None
        assert place.artifact_location is not None
        assert place.region is not None
        assert place.artifact_location.uri == "toy/toy.c"
        places[one.rule_id] = place.region.start_line
    assert places == {
        "buffers/guard": 8,
        "memory/bounds": 1,
        "vectors/verified": 1,
        "build/warnings": 6,
    }


def test_sarif_has_a_rule_with_help_for_each_check(cell: CellVerdict) -> None:
    """Results point into the list of rules; a check's help is its question, reason and cure."""
    document = json.loads(sarif_text(Harvest((cell,)), check_texts()))
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [
        one["ruleId"] for one in run["results"]
    ]
    guard = next(one for one in rules if one["id"] == "buffers/guard")
    known = every_check()["buffers/guard"]
    assert guard["shortDescription"]["text"] == known.asks
    assert known.cure in guard["help"]["text"]
    levels = {one["ruleId"]: one["level"] for one in run["results"]}
    assert levels == {
        "buffers/guard": "error",
        "memory/bounds": "note",
        "vectors/verified": "warning",
        "build/warnings": "note",
    }


def test_a_file_outside_of_the_working_folder_has_an_absolute_address(
    cell: CellVerdict, tmp_path: Path
) -> None:
    """A relative one would name a file of the repository."""
    away = replace(cell, root=tmp_path.parent / "away")
    (run,) = json.loads(sarif_text(Harvest((away,)), {}))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].startswith("file:///")


def test_annotations_are_one_escaped_line_each(cell: CellVerdict) -> None:
    """As GitHub's runner reads them; what follows from a failure has none of its own."""
    assert annotations_text(Harvest((cell,))).splitlines() == [
        (
            "::error file=toy/toy.c,line=8,title=buffers/guard%3A toy,col=5"
            "::reads behind an input (gcc_O2)%0AStay inside."
        ),
        (
            "::warning file=toy/toy.c,line=1,title=vectors/verified%3A toy"
            "::100 %25%0Anot compared (gcc_O2)%0AAdd: vectors, please."
        ),
        (
            "::notice file=toy/toy.c,line=6,title=build/warnings%3A toy"
            "::toy_seal returns too early (gcc_O2)%0ALook."
        ),
    ]


def test_the_summary_begins_with_the_counts_and_lists_causes_alone(cell: CellVerdict) -> None:
    """A reader of a pull request sees the verdict without a click."""
    text = summary_text(Harvest((cell, replace(cell, checks=CHECKS[:1]))))
    assert text.splitlines()[0] == "Assay: 1 pass, 1 fail."
    assert "reads behind an input" in text
    assert "memory/bounds" not in text
