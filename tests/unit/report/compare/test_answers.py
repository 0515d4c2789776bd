# SPDX-License-Identifier: MIT
"""`assay compare`: what it says of results whose differences are known."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.mock.standing import stand_in
from tests.unit.report.compare.conftest import SPREAD, Compare, in_turn, stream, two
from tests.unit.report.conftest import FAILED, HARNESS, MACHINE, TSC, Campaigner, subject

from assay.cli.compare import command
from assay.errors import UsageError
from assay.model import Cell, Counter, Launch, Sample, SizeChoice
from assay.model.series import Series
from assay.report.compare.answers import Compared, ComparedMeasure
from assay.report.compare.sides import Side
from assay.stats.comparison import Answer, Comparison
from assay.store import Store

COUNTS = Counter("a qemu plugin that counts executed instructions", 1, 0.0, None, None,
                 exact_unit="instructions")  # fmt: skip


def test_a_faster_implementation_is_called_faster(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Each of seven measures, by the factor between the launches and with an interval."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 9.0})
    store.close()
    document = compare("x/ref", "x/opt")
    assert [row["measure"] for row in document["tables"][0]["rows"]] == [
        *("stream/long", "packet/40", "packet/576", "packet/1500"),
        *("agility", "setup/key", "setup/iv"),
    ]
    assert {row["answer"] for row in document["tables"][0]["rows"]} == {"faster"}
    row = stream(document)
    assert row["change_percent"] == pytest.approx(-10.0, abs=0.05)
    assert row["low_percent"] < -10.0 < row["high_percent"] < -9.5
    assert row["text"].startswith("faster by 10.0 % (9.")
    assert row["unit"] == "cycles/byte"
    assert document["doubts"] == []
    assert stream(compare("x/opt", "x/ref"))["answer"] == "slower"


def test_equal_speed_is_no_difference_and_says_what_would_have_been_seen(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """The spread of these launches is about 0.15 %."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 10.001})
    store.close()
    row = stream(compare("x/ref", "x/opt"))
    assert row["answer"] == "no difference seen"
    assert 0.1 < row["detectable_percent"] < 1.0
    assert "would have been seen" in row["text"]


def test_three_launches_are_no_answer_and_the_cure_is_a_number(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """One measure needs four launches; seven need six where one differs alone."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 20.0}, rounds=3)
    store.close()
    row = stream(compare("x/ref", "x/opt", "--by", "stream/long"))
    assert row["text"] == "cannot be said: needs 4 launches each, has 3 and 3"
    assert stream(compare("x/ref", "x/opt"))["needed"] == 6


def test_one_after_the_other_is_told(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """All launches of the first come before those of the second; the cure is named."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0})
    in_turn(campaigner, {other: 9.0})
    store.close()
    document = compare("x/ref", "x/opt")
    assert stream(document)["in_turn"] is False
    assert any("56 %" in doubt and "--measure" in doubt for doubt in document["doubts"])


@pytest.mark.parametrize(("threshold", "code"), [("1", 1), ("5", 0)])
def test_a_threshold_decides_the_exit_code(
    threshold: str, code: int, store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Three per cent slower fails 1 % and passes 5 %."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 10.3})
    store.close()
    document = compare("x/ref", "x/opt", "--threshold", threshold, expected=code)
    assert document["failed"] == bool(code)
    compare("x/opt", "x/ref", "--threshold", threshold)


def test_a_threshold_that_launches_cannot_decide_is_wrong_usage(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Passing for want of launches would be taken for a pass."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 20.0}, rounds=2)
    store.close()
    with pytest.raises(UsageError, match="cannot show"):
        compare("x/ref", "x/opt", "--threshold", "1")


def test_configurations_are_compared_for_every_implementation(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """By name or by tag; each implementation is a row."""
    cells = {}
    for name in ("x/ref", "y/ref"):
        package = campaigner.package(name)
        cells[campaigner.cell(package, "-O3", launches=0)] = 10.0
        cells[campaigner.cell(package, "-O2", launches=0)] = 11.0
    in_turn(campaigner, cells)
    store.close()
    document = compare("@gcc_default_O3", "@gcc-12_default_O2", "--by", "stream/long")
    found = [(row["a_implementation"], row["answer"]) for row in document["tables"][0]["rows"]]
    assert found == [("x/ref", "slower"), ("y/ref", "slower")]


def test_the_best_of_each_side_is_called_lucky(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Two implementations with two configurations each: the fastest of each, with a warning."""
    cells = {}
    for name, speeds in (("x/ref", (10.0, 9.0)), ("x/opt", (5.0, 6.0))):
        package = campaigner.package(name)
        for opt, speed in zip(("-O3", "-O2"), speeds, strict=True):
            cells[campaigner.cell(package, opt, launches=0)] = speed
    in_turn(campaigner, cells)
    store.close()
    document = compare("x/ref", "x/opt")
    row = stream(document)
    assert row["a_configuration"] == "gcc-12_default_O2"
    assert row["b_configuration"] == "gcc-12_default_O3"
    assert any("luckiest wins" in doubt for doubt in document["doubts"])
    assert len(compare("x/ref", "x/opt", "--all", "--by", "stream/long")["tables"][0]["rows"]) == 2


def test_one_machine_code_is_not_compared_with_itself(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Two options gave the same object code, which was measured once."""
    package = campaigner.package("x/ref")
    cell = campaigner.cell(package, "-O3")
    campaigner.cell(package, "-O2", launches=0, object_hash="object x/ref O3")
    store.close()
    assert cell.configuration == "gcc-12_default_O3"
    row = stream(compare("x/ref@gcc_default_O3", "x/ref@gcc_default_O2"))
    assert (row["same_code"], row["answer"]) == (True, "no difference seen")
    assert row["text"] == "the same machine code, measured once"


def test_ticks_are_compared_as_ticks_and_said_to_be_ticks(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """One side knows its cycles and the other does not: the counter is the same."""
    one, other = two(campaigner)
    for number in range(6):
        campaigner.launch(one, 10.0 * SPREAD[number])
        campaigner.launch(other, 9.0 * SPREAD[number], replace(TSC, cycles_per_tick=None))
    store.close()
    document = compare("x/ref", "x/opt")
    assert stream(document)["unit"] == "ticks/byte"
    assert any("ticks are not core cycles" in doubt for doubt in document["doubts"])


def test_two_machines_are_compared_with_a_warning(
    store: Store, campaigner: Campaigner, compare: Compare, tmp_path: Path
) -> None:
    """Where cycles are not known on both, it is time that is compared."""
    one, _ = two(campaigner)
    in_turn(campaigner, {one: 10.0})
    store.close()
    with Store.create(tmp_path / "other") as there:
        there.put_machine(replace(MACHINE, host="elsewhere"))
        other = Campaigner(there)
        slow = replace(TSC, name="MFTB instruction", ticks_per_second=1.2e9, cycles_per_tick=None)
        cell = other.cell(other.package("x/ref"), launches=0)
        for number in range(6):
            other.launch(cell, 10.0 * SPREAD[number], slow)
    document = compare("x/ref", str(tmp_path / "other"))
    row = stream(document)
    assert row["unit"] == "ns/byte"
    assert row["change_percent"] == pytest.approx(100.0, abs=0.2)
    said = " ".join(document["doubts"])
    assert "different machines" in said
    assert "different counters" in said


def test_what_failed_a_check_is_named(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """It may be fast because it is wrong."""
    one, _ = two(campaigner)
    bad = campaigner.cell(campaigner.package("x/bad"), checks=(FAILED,), launches=0)
    in_turn(campaigner, {one: 10.0, bad: 1.0})
    store.close()
    assert any("failed checks: x/bad" in doubt for doubt in compare("x/ref", "x/bad")["doubts"])


def counted(campaigner: Campaigner, name: str, instructions: int) -> None:
    """Store what an emulator counted of a package's stream."""
    package = campaigner.package(name)
    cell = campaigner.cell(package, launches=0)
    build = next(each for each in campaigner.store.cells() if each.build.cell == cell)
    there = replace(cell, target="qemu-amd64")
    emulated = replace(build.build, cell=there, object_hash=f"counted {name}")
    campaigner.store.put_build(emulated, package, build.configuration, HARNESS)
    campaigner.store.put_subject(there, subject(package.primitive))
    campaigner.store.put_checks(there, ())
    sample = Sample("stream/long", SizeChoice(128, 64), 1, 1, 4096, (instructions,))
    for _ in range(2):
        campaigner.store.put_launch(
            Launch(there, f"counted {name}", 0, "2026-11-21T10:00:00+00:00", COUNTS, (1.0, 1.0),
                   (1.0, 1.0), 0.0, 0.1, "bubblewrap", (sample,))
        )  # fmt: skip


def test_counts_are_exact_and_a_second_witness(
    store: Store, campaigner: Campaigner, compare: Compare
) -> None:
    """Two launches suffice, one instruction is a difference, and times have it beside them."""
    counted(campaigner, "x/ref", 40_000)
    counted(campaigner, "x/opt", 39_000)
    in_turn(campaigner, {Cell("x/ref", 1, "gcc-12_default_O3"): 10.0,
                         Cell("x/opt", 1, "gcc-12_default_O3"): 9.0})  # fmt: skip
    store.close()
    rows = compare("x/ref", "x/opt")["tables"][0]["rows"]
    (exact,) = (row for row in rows if row["exact"])
    assert exact["text"] == "faster: 2.5 % fewer instructions"
    assert (exact["target"], exact["p"]) == ("qemu-amd64", 0.0)
    timed = next(row for row in rows if row["measure"] == "stream/long" and not row["exact"])
    assert timed["witness_change_percent"] == pytest.approx(-2.5)
    assert compare("x/opt", "x/ref", "--threshold", "2", expected=1)["failed"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("x/ref", "x/none"), "'x/none' is not in"),
        (("x/ref", "x/idle"), "x/idle' is in .*, and was not measured"),
        (("x/ref@nothing", "x/opt"), "nothing was measured with 'nothing'"),
        (("x/ref", "@"), "'@' means nothing"),
        (("x/ref", "x/opt", "--by", "none"), "no measure in common"),
    ],
)
def test_a_name_that_means_nothing_is_told_with_a_cure(
    words: tuple[str, ...],
    message: str,
    store: Store,
    campaigner: Campaigner,
    compare: Compare,
) -> None:
    """Nothing is compared by guess."""
    one, other = two(campaigner)
    in_turn(campaigner, {one: 10.0, other: 9.0})
    campaigner.cell(campaigner.package("x/idle"), launches=0)
    store.close()
    with pytest.raises(UsageError, match=message) as raised:
        compare(*words)
    assert raised.value.cure


def test_terminal_and_page_say_the_same(
    store: Store, campaigner: Campaigner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hostile names do no harm, and the page needs no other file."""
    hostile = "<script>alert(1)<"
    one, other = two(campaigner, (hostile, "x/opt"))
    in_turn(campaigner, {one: 10.0, other: 10.3})
    store.close()
    page = tmp_path / "page.html"
    words = [
        hostile,
        "x/opt",
        "--results",
        str(tmp_path),
        "--threshold",
        "1",
        "--output",
        f"html:{page}",
    ]
    assert command.main(words, standalone_mode=False) == 1
    text = capsys.readouterr().out
    assert "slower by 3.0 %" in text
    assert "7 rows are slower by more than 1 %." in text
    html = page.read_text()
    assert "slower by 3.0 %" in html
    assert "<script>alert" not in html
    assert "src=" not in html
    assert "href=" not in html


F, S, U = Answer.FASTER, Answer.SAME, Answer.UNKNOWN


@pytest.mark.parametrize(
    ("answers", "settled"),
    [
        ([F, F, F, U, U, U, U], True),
        ([F, F, U, U, U, U, U], False),
        ([F, F, F, S, S, U, U], True),
        ([F, F, F, S, S, S, U], True),
        ([F, F, F, S, S, S, S], False),
        ([S] * 7, False),
        ([], True),
    ],
)
def test_a_look_ends_where_half_of_what_can_be_said_tells_the_sides_apart(
    answers: list[Answer], settled: bool
) -> None:
    """Of a third of the measures at least; measures that say nothing are not waited for."""
    rows = tuple(
        stand_in(ComparedMeasure, same_code=False, first=stand_in(Series, counts=False),
                 comparison=stand_in(Comparison, answer=one))
        for one in answers
    )  # fmt: skip
    side = stand_in(Side)
    assert Compared(side, side, rows, 0.95, None, (0, 0)).settled is settled
