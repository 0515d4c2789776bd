# SPDX-License-Identifier: MIT
"""The answer that `assay show` opens with: what is fastest, by how much, how sure that is."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from tests.unit.report.conftest import MACHINE, Campaigner

from assay.cli import show
from assay.report.leads import lead, winners
from assay.store import Store
from assay.summary.ranks import Entrant, ranking


def launches(middle: float, count: int = 6) -> tuple[float, ...]:
    """Give launches that spread by 0.3 %."""
    return tuple(middle * (1 + 0.001 * (number - 1)) for number in range(count))


def row(name: str, middle: float, count: int = 6, **changes: object) -> Entrant:
    """Give a row of a table."""
    return replace(Entrant(name, middle, launches(middle, count)), **changes)


def answer(*rows: Entrant) -> str:
    """Return what stands above a table with these rows."""
    return lead(rows, ranking(rows), "cycles/byte")


def test_the_fastest_is_named_with_its_distance_and_the_interval_of_that() -> None:
    """Four is 20 % less than five, whatever stands below."""
    said = answer(row("a/x", 5.0), row("b/y", 4.0), row("c/z", 9.0))
    assert said.startswith("b/y is the fastest: 4.00 cycles/byte, 20.0 % (")
    assert said.endswith("95 % confidence) less than a/x.")


def test_rows_that_are_not_separated_share_the_answer() -> None:
    """Which of them is in front is luck."""
    said = answer(row("a/x", 4.0), row("b/y", 4.001), row("c/z", 9.0))
    assert said == "a/x, b/y share the first place; a/x takes 4.00 cycles/byte."


def test_configurations_of_one_implementation_do_not_beat_each_other() -> None:
    """With --all it has several rows, of which the best one counts."""
    said = answer(row("a/x", 4.0), row("a/x", 4.5), row("b/y", 5.0))
    assert said.startswith("a/x is the fastest: 4.00 cycles/byte, 20.0 % (")
    assert answer(row("a/x", 4.0), row("a/x", 4.5)) == ""


@pytest.mark.parametrize(
    "second", [row("b/y", 5.0, count=2), row("b/y", 5.0, estimated=True), Entrant("b/y", 5.0, ())]
)
def test_too_few_launches_are_no_answer(second: Entrant) -> None:
    """Nor are estimated cycles, or an unknown number of processes."""
    said = answer(row("a/x", 4.0), second)
    assert said.endswith("b/y takes 5.00: which is faster is not settled.")


def test_slower_rows_do_not_change_what_is_said_of_the_first() -> None:
    """With --all there are more of them, and no table of theirs has places if one has none."""
    known = [row("a/x", 4.0), row("b/y", 5.0)]
    unsettled = [*known, row("c/z", 9.0, count=2)]
    assert ranking(unsettled).places == (None, None, None)
    disturbed = [replace(one, disturbed=True) for one in unsettled]
    front = "a/x is in front: it takes 4.00 cycles/byte, and b/y takes 5.00. Too few quiet"
    for rows in (known, unsettled):
        said = lead(disturbed[: len(rows)], ranking(rows), "cycles/byte")
        assert said.startswith(front)


@pytest.mark.parametrize("count", [1, 6])
def test_no_noise_makes_a_difference_of_four_times(count: int) -> None:
    """Neighbours took up to 2.2 times as long; launches are not in turn, so three times count."""
    rows = [replace(row(name, middle, count), disturbed=True)
            for name, middle in (("a/x", 4.0), ("b/y", 16.0), ("c/z", 40.0))]  # fmt: skip
    said = answer(*rows)
    assert said.startswith("a/x is the fastest: 4.00 cycles/byte, at least 2")
    assert said.endswith(" % less than b/y, even if noise slowed only the latter.")
    near = replace(rows[1], values=(11.9, *rows[1].values))
    assert "is the fastest" not in answer(rows[0], near)


def test_exact_counts_need_no_launches() -> None:
    """An emulator counts the same every time."""
    counts = (("a/x", 75.0), ("b/y", 100.0))
    said = answer(*(Entrant(name, count, (count,), exact=True) for name, count in counts))
    assert said == "a/x is the fastest: 75.00 cycles/byte, 25.0 % less than b/y."


def test_what_dropped_out_of_a_race_wins_nothing() -> None:
    """Its launches were the luckiest of many."""
    assert answer(row("a/x", 3.0, dropped=True), row("b/y", 4.0)) == ""


@pytest.mark.parametrize(
    ("disturbed", "expected"),
    [("", "hc-128/fast is the fastest: "), ("a neighbour", "hc-128/fast is in front: ")],
)
def test_show_opens_with_the_answer(
    store: Store, campaigner: Campaigner, disturbed: str, expected: str
) -> None:
    """For readers alone; of disturbed launches nothing is sure."""
    store.put_machine(MACHINE)
    for name, speed in (("salsa20/ref", 5.5), ("hc-128/fast", 2.1)):
        cell = campaigner.cell(campaigner.package(name), speed=speed, launches=0)
        for number in range(6):
            campaigner.launch(cell, speed * (1 + 0.001 * number), disturbed=disturbed)
    store.close()
    folder = str(store.path.parent)
    first = CliRunner().invoke(show.command, [folder]).stdout.splitlines()[0]
    assert first.startswith("Stream ciphers: hc-128/fast ")
    assert expected in " ".join(CliRunner().invoke(show.command, [folder]).stdout.split())
    for form in ("csv", "json"):
        assert "fastest" not in CliRunner().invoke(show.command, [folder, "--format", form]).stdout


def test_of_several_machines_the_answer_says_who_is_first_where() -> None:
    """Machines with one winner stand together; a place that is shared is no victory."""
    firsts = [("a", "x/simd", 2.0, True), ("b", "y/ref", 3.0, False), ("c", "x/simd", 2.5, True)]
    assert winners(firsts, "cycles/byte") == (
        "the fastest is x/simd on a (2.00 cycles/byte) and c (2.50 cycles/byte); "
        "y/ref on b (3.00 cycles/byte, not separated from others)."
    )
    assert winners(firsts[:1], "cycles/byte") == ""


def test_show_of_two_machines_opens_with_who_wins_where(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """The second folder is the same results under another machine's name."""
    store.put_machine(MACHINE)
    for name, speed in (("salsa20/ref", 6.5), ("hc-128/fast", 2.0)):
        cell = campaigner.cell(campaigner.package(name), speed=speed, launches=0)
        for number in range(6):
            campaigner.launch(cell, speed * (1 + 0.001 * number))
    store.close()
    shutil.copytree(store.path.parent, tmp_path / "other")
    with Store.create(tmp_path / "other") as other:
        other.put_machine(replace(MACHINE, host="other"))
    folders = [str(store.path.parent), str(tmp_path / "other")]
    said = " ".join(CliRunner().invoke(show.command, folders).stdout.split())
    assert said.startswith(f"Stream ciphers: the fastest is hc-128/fast on {MACHINE.host} (")
    assert " and other (" in said.partition("Machines")[0]
