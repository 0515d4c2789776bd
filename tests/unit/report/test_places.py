# SPDX-License-Identifier: MIT
"""Places in the tables of stream ciphers: what is not separated shares one."""

import csv
import io
import json

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.unit.report.conftest import FAILED, TSC, Campaigner, load

from assay.model import Counter, Dropped
from assay.report.cells import cell_report
from assay.report.formats.data_files import csv_text, json_text
from assay.report.formats.forms import WRITERS
from assay.report.formats.terminal import render
from assay.store import Store
from assay.store.rows import Notes
from assay.summary.cells import Results
from assay.summary.ranks import EXACT_NOTE
from assay.summary.rows import Detail

# Launches of one cell lie within 0.8 % (see the campaigner): a and b overlap, c does not.
SPEEDS = {"a/ref": 4.0, "b/ref": 4.01, "c/ref": 5.0, "d/ref": 6.0}
EXPECTED = {"a/ref": (1, 2), "b/ref": (1, 2), "c/ref": (3, 3), "d/ref": None}


def loaded(store: Store, campaigner: Campaigner, launches: int = 5) -> Results:
    """Fill a store with three sound packages and one that failed."""
    for name, speed in SPEEDS.items():
        checks = {"checks": (FAILED,)} if name == "d/ref" else {}
        campaigner.cell(campaigner.package(name), speed=speed, launches=launches, **checks)  # type: ignore[arg-type]
    return load(store)


def shown(results: Results) -> str:
    """Print as a wide terminal would."""
    console = Console(width=220, file=io.StringIO(), highlight=False)
    console.print(render(cell_report(results), console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_shows_shared_places(store: Store, campaigner: Campaigner) -> None:
    """And says what a place is."""
    text = shown(loaded(store, campaigner))
    words = [line.split()[:2] for line in text.splitlines()[2:6]]
    assert words == [["1-2", "A"], ["1-2", "B"], ["3", "C"], ["-", "D"]]
    assert "place: ranks that are not separated share one" in text
    assert "too few launches to be told from any" not in text


def test_one_disturbed_package_does_not_change_the_unit_of_the_table(
    store: Store, campaigner: Campaigner
) -> None:
    """Its loops of known cost disagreed: its figures are estimated, marked, and not ranked."""
    loaded(store, campaigner)
    disagreeing = replace(TSC, cycles_per_tick=None)
    late = campaigner.cell(campaigner.package("e/ref"), speed=5.0, launches=0)
    for number in range(5):
        campaigner.launch(late, 5.0 + number / 100, disagreeing, "loops of known cost disagree")
    results = load(store)
    text = shown(results)
    assert "cycles" in text
    assert "ticks" not in text
    (table,) = json.loads(json_text(cell_report(results, Detail.PACKAGES, "json")))["tables"]
    rates = {row["package"]: row["stream/long"] for row in table["rows"]}
    # The median launch of both takes 5.02 ticks a byte, and the others have 1.25 cycles a tick.
    assert rates["e/ref"] == pytest.approx(rates["c/ref"])
    assert table["unit"] == "cycles/byte, setups cycles/setup"
    remarks = {row["package"]: row["remarks"] for row in table["rows"]}
    assert [one for one, said in remarks.items() if "estimated" in said] == ["e/ref"]
    assert {row["place"] for row in table["rows"]} == {None}
    assert "No places: estimated core cycles of e/ref. `assay run e/ref --launches" in text


def test_a_configuration_of_one_launch_does_not_stand_for_a_package_that_has_others(
    store: Store, campaigner: Campaigner
) -> None:
    """With many configurations one of them is lucky: the other has the place, as on the site."""
    results = loaded(store, campaigner)
    alone = cell_report(results).tables
    campaigner.cell(campaigner.package("c/ref"), "-O1", speed=3.0, launches=1)
    assert [one.rows for one in cell_report(load(store)).tables] == [one.rows for one in alone]


def test_three_launches_give_no_places_and_the_cure_is_named(
    store: Store, campaigner: Campaigner
) -> None:
    """A reader must not take the order of such a table for a result."""
    text = shown(loaded(store, campaigner, 3))
    assert [line.split()[0] for line in text.splitlines()[2:6]] == ["-"] * 4
    assert "No places: too few launches of a/ref, b/ref, c/ref to be told from any other." in text
    assert "`assay run a/ref b/ref c/ref --launches 4`" in text


@pytest.mark.parametrize("form", ["terminal", "latex", "markdown", "html", "csv", "json"])
def test_a_slower_row_has_no_place_where_a_faster_one_is_not_settled(
    store: Store, campaigner: Campaigner, form: str
) -> None:
    """One launch of the fastest: nobody is number 1, and the command that settles it is named."""
    campaigner.cell(campaigner.package("fast/ref"), speed=3.0, launches=1)
    campaigner.cell(campaigner.package("slow/ref"), speed=5.0, launches=5)
    results = load(store)
    report = cell_report(results, form=form)
    assert not any(any(table.places) for table in report.tables)
    if form not in {"csv", "json"}:
        text = shown(results) if form == "terminal" else WRITERS[form](report)
        assert "too few launches of fast/ref" in text
        assert "assay run fast/ref --launches 4" in text.replace("-{}-", "--")
    else:
        (table,) = json.loads(json_text(report))["tables"]
        assert [row["place"] for row in table["rows"]] == [None, None]


def test_a_row_that_dropped_out_takes_no_place_and_is_behind_all_that_have_one(
    store: Store, campaigner: Campaigner
) -> None:
    """Its few launches may have been lucky: if its figure is better, there are no places."""
    for name, speed in SPEEDS.items():
        campaigner.cell(campaigner.package(name), speed=speed)
    gone = campaigner.cell(campaigner.package("late/ref"), speed=7.0, launches=1)
    key = store.key(gone)
    assert key is not None
    Notes(store).put(key, Dropped(1, 20.0, "gcc_default_O3", "object", 1))
    assert [line.split()[0] for line in shown(load(store)).splitlines()[2:7]] == [
        *("1-2", "1-2", "3", "4", "-")
    ]
    campaigner.cell(campaigner.package("slowest/ref"), speed=9.0)
    text = shown(load(store))
    assert [line.split()[0] for line in text.splitlines()[2:8]] == ["-"] * 6
    assert "`assay run late/ref --exhaustive --launches" in text


def test_json_and_csv_have_the_same_places(store: Store, campaigner: Campaigner) -> None:
    """As two numbers, and as text."""
    results = loaded(store, campaigner)
    (table,) = json.loads(json_text(cell_report(results, Detail.PACKAGES, "json")))["tables"]
    found = {row["package"]: row["place"] for row in table["rows"]}
    assert found == {name: place and list(place) for name, place in EXPECTED.items()}
    text = csv_text(cell_report(results, Detail.PACKAGES, "csv"))
    places = {row["package"]: row["place"] for row in csv.DictReader(io.StringIO(text))}
    assert places == {"a/ref": "1-2", "b/ref": "1-2", "c/ref": "3", "d/ref": ""}


def test_exact_counts_have_places_of_their_own(store: Store, campaigner: Campaigner) -> None:
    """Equal counts share a place, any other difference is one, and nothing is tested."""
    counts = Counter("a plugin", 1, 0.0, None, None, exact_unit="instructions")
    for name, speed in {"a/ref": 4.0, "b/ref": 4.0, "c/ref": 4.01}.items():
        cell = campaigner.cell(campaigner.package(name), launches=0)
        for _ in range(2):
            campaigner.launch(cell, speed, counts)
    text = shown(load(store))
    assert [line.split()[0] for line in text.splitlines()[2:5]] == ["1-2", "1-2", "3"]
    assert EXACT_NOTE in text
    assert "Mann-Whitney" not in text
    assert "Fewer than" not in text
