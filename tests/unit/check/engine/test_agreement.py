# SPDX-License-Identifier: MIT
"""What is said of the cells of one package that computed different things."""

from assay.check.check import CheckFinding
from assay.check.engine.agreement import ComputedCell, agreement
from assay.model import Cell, CheckResult, Verdict
from assay.model.compared import CONFIGURATIONS, TARGETS

A, B = (("question 0", "aa"), ("question 1", "a1")), (("question 0", "bb"),)
PASSED, FAILED = (CheckResult("vectors/verified", one) for one in (Verdict.PASS, Verdict.FAIL))
BUFFERS = CheckResult("buffers/guard", Verdict.FAIL)


def cell(
    name: str,
    outputs: tuple[tuple[str, str], ...],
    *more: CheckResult,
    target: str = "native",
) -> ComputedCell:
    """Make a cell of a code of its own that computed something."""
    own = CheckResult(CONFIGURATIONS, Verdict.SKIPPED, outputs=outputs)
    return ComputedCell(Cell("toy/ref", 1, name, target), name, (own, *more))


def said(*cells: ComputedCell, check: str = CONFIGURATIONS) -> dict[str, Verdict]:
    """Return the verdicts of a comparison by configuration and target."""
    found = agreement(cells, lambda *_: "the smallest input\n")
    return {
        f"{cell.configuration} {cell.target}": one.verdict
        for cell, checks in found.items()
        for one in checks
        if one.check == check
    }


def test_configurations_that_differ_all_fail_and_both_groups_are_named() -> None:
    """Nobody knows which of them is right, so that none may be ranked."""
    cells = [cell("O1", A), cell("O2", A), cell("O3", B)]
    found = agreement(cells, lambda *_: "the smallest input\n")
    (checks,) = {tuple(one) for one in found.values()}
    assert len(found) == 3
    (failed,) = checks
    assert (failed.check, failed.verdict) == (CONFIGURATIONS, Verdict.FAIL)
    assert "O1 and O2 / O3 disagree" in failed.reason
    assert failed.evidence.startswith("group 1: O1 and O2\ngroup 2: O3\n")
    assert failed.evidence.endswith("the smallest input\n")


def test_the_group_that_alone_has_known_answers_is_right() -> None:
    """The others fail, even where their own known answers were not compared."""
    found = said(cell("O1", A, PASSED), cell("O2", A), cell("O3", B, FAILED), cell("Os", B))
    right, wrong = Verdict.PASS, Verdict.FAIL
    assert found == {"O1 native": right, "O2 native": right, "O3 native": wrong,
                     "Os native": wrong}  # fmt: skip


def test_groups_that_both_have_known_answers_fail_both() -> None:
    """Known answers do not have the inputs that differ."""
    assert set(said(cell("O1", A, PASSED), cell("O3", B, PASSED)).values()) == {Verdict.FAIL}


def test_a_group_that_other_checks_fail_does_not_fail_the_rest() -> None:
    """What overwrites memory computes something else, too; the rest gets a note, as no proof."""
    found = said(cell("O1", A), cell("O3", B, BUFFERS))
    assert found == {"O1 native": Verdict.FINDING, "O3 native": Verdict.FAIL}


def test_slow_code_is_compared_by_what_both_have_answered() -> None:
    """It answers fewer questions, which is no difference."""
    assert set(said(cell("O0", A[:1]), cell("O3", A)).values()) == {Verdict.PASS}


def test_a_cell_that_computed_nothing_is_in_no_group() -> None:
    """A crash is told by other checks; it does not accuse what works."""
    assert said(cell("O0", (), BUFFERS), cell("O3", A)) == {"O3 native": Verdict.SKIPPED}


def test_targets_that_differ_fail_and_are_named_by_target() -> None:
    """Within each target nothing disagrees."""
    cells = [cell("O2", A), cell("O2", A, target="arm"), cell("O2", B, target="s390x")]
    assert set(said(*cells, check=TARGETS).values()) == {Verdict.FAIL}
    found = agreement(cells, lambda *_: "")
    reasons = {one.reason for checks in found.values() for one in checks if one.check == TARGETS}
    assert reasons == {"different outputs for the same inputs: native and arm / s390x disagree"}


def test_configurations_of_one_target_that_differ_are_no_matter_of_targets() -> None:
    """There is a group with cells of both targets."""
    cells = (cell("O1", A), cell("O3", B), cell("O2", A, target="arm"))
    assert said(*cells, check=TARGETS) == {}
    assert said(*cells)["O3 native"] is Verdict.FAIL


def test_cells_that_draw_random_bytes_differently_get_a_note() -> None:
    """Their outputs cannot be compared, which accuses none."""

    def drawing(*_: object) -> str:
        raise CheckFinding("they draw random bytes differently")

    found = agreement([cell("O1", A), cell("O3", B)], drawing)
    assert {one.verdict for checks in found.values() for one in checks} == {Verdict.FINDING}


def test_an_equal_failure_of_before_is_kept_with_its_evidence() -> None:
    """A campaign that goes on does not look for the smallest input again."""
    cells = [cell("O1", A), cell("O3", B)]
    first = agreement(cells, lambda *_: "m = 00\n")
    again = [ComputedCell(one.cell, one.code, (*one.checks, *first[one.cell])) for one in cells]

    def never(*_: object) -> str:
        raise AssertionError

    assert agreement(again, never) == first
