# SPDX-License-Identifier: MIT
"""Reasons files: what they accept, what has become of no use, and what is wrong in them."""

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.model import CheckResult, Verdict
from assay.model.secrets import Leak
from assay.package.leaks import Reasons, read_accepted

ENTRY = """
[[accepted]]
function = "*rej_uniform"
kind = "branch"
reason = "The matrix is public."
"""
EVIDENCE = "Conditional jump\n    clean_rej_uniform (indcpa.c:120)\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a file with one entry."""
    (tmp_path / "reasons.toml").write_text(ENTRY)
    return tmp_path / "reasons.toml"


def test_an_entry_accepts_its_kind_in_functions_that_fit_its_pattern(path: Path) -> None:
    """Another kind in the same function still leaks."""
    reasons = Reasons.of([path], [])
    assert reasons.accept("kyber/ref", Leak("branch", "clean_rej_uniform (indcpa.c:120)"))
    assert not reasons.accept("kyber/ref", Leak("address", "clean_rej_uniform (indcpa.c:120)"))
    assert not reasons.accept("kyber/ref", Leak("branch", "poly_frommsg (poly.c:170)"))


def test_a_check_passes_if_all_of_its_places_are_accepted(path: Path) -> None:
    """One that is not keeps the verdict as it was."""
    reasons = Reasons.of([path], [])
    one = CheckResult("secrets/timing", Verdict.FAIL, evidence=EVIDENCE)
    more = CheckResult("secrets/timing", Verdict.FAIL, evidence=EVIDENCE + "Use of\n    f (a.c:1)")
    assert reasons.verdict("kyber/ref", one) is Verdict.PASS
    assert reasons.verdict("kyber/ref", more) is Verdict.FAIL
    nothing = CheckResult("secrets/timing", Verdict.OPEN)
    assert reasons.verdict("kyber/ref", nothing) is Verdict.OPEN


def test_an_entry_that_matches_nothing_is_named_with_its_line(path: Path) -> None:
    """Until it has matched."""
    reasons = Reasons.of([path], [])
    assert reasons.unused == (
        f"{path}:2: branch in *rej_uniform matches nothing here: delete or correct it",
    )
    reasons.accept("kyber/ref", Leak("branch", "rej_uniform"))
    assert not reasons.unused


@pytest.mark.parametrize(
    ("text", "said", "cure"),
    [
        (ENTRY.replace("branch", "jump"), ":4: there is no kind 'jump'", "branch, address"),
        (ENTRY.replace("reason", "because"), ":5: there is no key 'because'", "reason"),
        (ENTRY.replace("The matrix is public.", " "), ":5: reason needs a text", "guide"),
        (ENTRY + ENTRY.replace('kind = "branch"', "kind = 3"), ":9: kind needs a text", "guide"),
        (ENTRY + "[[", "is no TOML", "guide"),
        (ENTRY.replace('kind = "branch"', ""), ":2: kind needs a text", "guide"),
        (ENTRY.replace("public", "\\u001b[2J"), ":5: reason needs a text on one line", "guide"),
        (ENTRY + "[x]\n", ":6: there is no table 'x'", "[[accepted]]"),
        ("accepted = 1\n", "has something else than tables [[accepted]]", "guide"),
        ("x=" + "[" * 20000, "cannot be read", "guide"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_cure(
    path: Path, text: str, said: str, cure: str
) -> None:
    """Nothing is taken for accepted."""
    path.write_text(text)
    with pytest.raises(UsageError) as failed:
        read_accepted(path)
    assert said in str(failed.value)
    assert cure in failed.value.cure


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (ENTRY.replace("[[accepted]]", "[[ accepted ]]  # of BIKE"), 2),
        ("accepted = [{function = 'f', kind = 'branch', reason = 'r'}]", 0),
    ],
)
def test_tables_may_be_written_as_toml_allows(path: Path, text: str, line: int) -> None:
    """Only where their heads are lines of their own have they one."""
    path.write_text(text)
    assert [one.line for one in read_accepted(path)] == [line]
