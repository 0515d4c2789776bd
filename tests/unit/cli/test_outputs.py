# SPDX-License-Identifier: MIT
"""`--output FORMAT:FILE`: files beside what a command prints."""

import json
import shutil
from pathlib import Path

import pytest
from junitparser import JUnitXml
from tests.unit.cli.calling import Assay, calling

ROOT = Path(__file__).parents[3]


@pytest.fixture
def assay(
    tmp_path: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line in a folder with a package."""
    shutil.copytree(ROOT / "benchmarks/rc4/ref", tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return calling(monkeypatch, capsys)


def test_check_writes_each_file_that_was_asked_for(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the paragraphs; a summary is added to what the step's file has already."""
    (tmp_path / "step.md").write_text("# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    wanted = ("junit:v.xml", "json:v.json", "csv:v.csv", "annotations", "summary")
    done = assay("check", "mine", *(word for one in wanted for word in ("--output", one)))
    assert done.code == 3
    assert "OPEN  mine: correctness not compared" in done.out
    assert "::warning file=mine/rc4.c,line=1,title=vectors/verified" in done.out
    (record,) = json.loads((tmp_path / "v.json").read_text())
    read = JUnitXml.fromfile(str(tmp_path / "v.xml"))
    assert read.tests == len(record["checks"])
    assert read.errors == 1
    assert len((tmp_path / "v.csv").read_text().splitlines()) == 1 + len(
        [*record["checks"], *record["warnings"]]
    )
    assert (tmp_path / "step.md").read_text().startswith("# Before\nAssay: 1 open.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("junit",), "error: --output 'junit' names no file\n  Write junit:FILE, or junit:-."),
        (("summary",), "or set GITHUB_STEP_SUMMARY"),
        (("cobertura:x",), "there is no format 'cobertura'\n  There are csv, json, latex,"),
        (("junit:no/x.xml",), "there is no folder no\n  Make it"),
        (("junit:x", "sarif:x"), "--output names x twice"),
    ],
)
def test_a_file_that_could_not_be_written_is_refused_before_anything_is_done(
    assay: Assay, words: tuple[str, ...], message: str
) -> None:
    """Not after an hour of checks."""
    done = assay("check", "mine", *(part for word in words for part in ("--output", word)))
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
