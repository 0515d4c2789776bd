# SPDX-License-Identifier: MIT
"""The summary of many packages as tables, files and a page: no package vanishes from it."""

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.unit.report.browsing import NEEDS_CHROMIUM, UNRAISED, Watched

from assay.check.engine.summary import Summary
from assay.cli.sweep import not_loaded, outcomes_table, summary_tables
from assay.model import BrokenPackage, CheckResult, Verdict
from assay.report.formats.data_files import csv_text
from assay.report.formats.html import html_text
from assay.report.table import Report

HOSTILE = "<script>alert(1)</script>"
WORKS = CheckResult("toy/works", Verdict.PASS, "")
CHECKS = {
    "a": [WORKS],
    "b": [WORKS, CheckResult("toy/works", Verdict.FAIL, "byte 3 is wrong")],
    "c": [CheckResult("toy/works", Verdict.FAIL, "byte 7 is wrong")],
    "d": [CheckResult("build/fits", Verdict.SKIPPED, "it is for armeabi, and this is amd64")],
    "e": [CheckResult("build/fits", Verdict.SKIPPED, "it needs OpenSSL")],
    "f": [CheckResult("checksum/small", Verdict.OPEN, "correctness not compared")],
    "g": [CheckResult("package/loads", Verdict.FAIL, f"the package has {HOSTILE}")],
}


def summary() -> Summary:
    """Add up seven packages, by all four verdicts and all five faults."""
    made = Summary()
    for name, checks in CHECKS.items():
        place = f"crypto_hash/{name}/ref"
        made.add(BrokenPackage(place, place, Path("/tree") / place, "", ""), checks)
    return made


def test_reasons_are_grouped_by_whose_fault_it_is_and_the_longest_list_is_last() -> None:
    """Every package that did not pass is counted in one group and in one line."""
    verdicts, *groups = summary_tables(summary())
    assert [one.title for one in groups][-1] == "Not passed, its code: 2"
    assert sum(row.values["count"] for one in groups for row in one.rows) == len(CHECKS) - 1
    total = verdicts.rows[-1].values
    assert (total["all"], total["pass"], total["fail"]) == (7, 1, 3)
    assert (total["open"], total["skipped"]) == (1, 2)


def test_every_package_has_a_row_with_its_own_reason() -> None:
    """Those that passed, too, and in the order given."""
    rows = list(csv.DictReader(io.StringIO(csv_text(Report((outcomes_table(summary()),))))))
    assert [row["package"] for row in rows] == [f"crypto_hash/{name}/ref" for name in CHECKS]
    assert rows[0] == {
        "package": "crypto_hash/a/ref", "verdict": "pass", "check": "", "reason": "", "fault": "",
        "seconds": "",
    }  # fmt: skip
    assert rows[2]["reason"] == "byte 7 is wrong"
    assert rows[4]["fault"] == "a library is missing here"


def test_the_summary_says_what_outputs_were_compared_with() -> None:
    """A package counts once for a check, and as wrong if one of its files is."""
    made = Summary()
    right = CheckResult("answers/verified", Verdict.PASS, "1 of 1 answers right")
    wrong = CheckResult("answers/verified", Verdict.FAIL, "0 of 1 answers right")
    for name, checks in {"a": [right, right], "b": [right, wrong], "c": [WORKS]}.items():
        place = f"crypto_hash/{name}/ref"
        made.add(BrokenPackage(place, place, Path("/tree") / place, "", ""), checks)
    table = summary_tables(made)[1]
    assert [one.values for one in table.rows] == [
        {"with": "known answers (answers/verified)", "right": 1, "wrong": 1}
    ]


def test_the_summary_lists_what_took_longest_and_which_part_of_all() -> None:
    """Of what nobody knows the time of, such as packages that do not load, nothing is said."""
    made = Summary()
    for number, seconds in enumerate((0.5, 0.0, 6.0, 1.5)):
        place = f"crypto_hash/{number}/ref"
        made.add(BrokenPackage(place, place, Path("/tree") / place, "", ""), [WORKS], seconds)
    table = summary_tables(made)[1]
    assert "mean 2.7 s, median 1.5 s" in table.title
    assert [(one.values["package"][-5], one.values["share"]) for one in table.rows] == [
        ("2", "75 %"), ("3", "19 %"), ("0", "6 %")
    ]  # fmt: skip


def test_an_empty_sweep_is_a_table_of_nothing() -> None:
    """As where a pattern chose no package."""
    (verdicts,) = summary_tables(Summary())
    assert [one.values["operation"] for one in verdicts.rows] == ["in all"]


def page(folder: Path) -> str:
    """Write the page and return its address."""
    made = summary()
    report = Report((*summary_tables(made), outcomes_table(made)), not_loaded(made))
    path = folder / "summary.html"
    path.write_text(html_text(report))
    return path.as_uri()


@pytest.mark.browser
@NEEDS_CHROMIUM
@UNRAISED
def test_the_page_shows_all_packages_and_sorts_them(browser: Browser, tmp_path: Path) -> None:
    """Nothing is fetched, and a hostile reason is text."""
    watched = Watched(browser.new_page())
    opened = watched.page
    opened.goto(page(tmp_path))
    expect(opened.locator("h2").first).to_have_text("Verdicts by operation")
    expect(opened.locator("h2").last).to_have_text("All packages: 7")
    every = opened.locator("section").last
    names = every.locator("td.name")
    expect(every.locator("tbody tr")).to_have_count(len(CHECKS))
    expect(every.get_by_text(HOSTILE)).to_have_count(1)
    every.get_by_role("button", name="Verdict").click()
    expect(names.first).to_have_text("crypto_hash/b/ref")
    assert watched.is_quiet()
