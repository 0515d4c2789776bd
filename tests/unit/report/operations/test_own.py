# SPDX-License-Identifier: MIT
"""From a results store to the records of eBACS."""

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.report.conftest import series_of
from tests.unit.report.operations.filled import O2, O3, TICKS, Fake, measurements, sample

from assay.cli import show
from assay.model import (
    BuildStage,
    CheckResult,
    Verdict,
)
from assay.model.supercop import ObjectSize
from assay.report.curves import Choice, Records
from assay.report.operations import operation_report
from assay.report.supercop.own import database_records, outcome_of, own_records
from assay.store import Store


def test_ticks_become_cycles_per_call_over_all_launches(fake: Fake) -> None:
    """Each of 800 and 1600 ticks for 2 calls is 500 and 1000 cycles at 1.25 a tick.

    The stabilised quartiles of 500, 500, 1000, 1000: means of positions 4 to 12, 12 to 20 and
    20 to 28 of the 32.
    """
    cell = fake.cell(fake.package())
    fake.launch(cell, sample("cycles/576", 800, 800, tests=2))
    fake.launch(cell, sample("cycles/576", 1600, 1600, tests=2))
    (one,) = measurements(fake.store)
    assert (one.key, one.size, one.unit, one.launches) == ("cycles", 576, "cycles", 2)
    assert (one.q1, one.median, one.q3) == (500, 750, 1000)
    assert one.values == (500, 500, 1000, 1000)
    assert (one.source.machine, one.source.abi, one.source.date) == ("bench", "amd64", "20261121")
    assert one.source.version.startswith("assay-")
    assert one.subject.implementation == "crypto_hash/sha256/ref"
    assert one.subject.league == "constbranchindex"
    assert one.subject.compiler == "gcc -march=native -O3"


def test_a_code_that_does_not_know_its_cycles_is_in_ticks_and_no_other(fake: Fake) -> None:
    """One failed calibration moves no other figure, and database lines are what was measured."""
    first = fake.cell(fake.package())
    fake.launch(first, sample("cycles/576", 800))
    other = fake.cell(fake.package("crypto_hash/md5/ref"))
    fake.launch(other, sample("cycles/576", 900), counter=TICKS)
    found = measurements(fake.store)
    assert {(one.subject.primitive, one.unit, one.median) for one in found} == {
        ("sha256", "cycles", 1000),
        ("md5", "ticks", 900),
    }


def test_a_table_estimates_the_cycles_of_what_knows_ticks_alone(fake: Fake) -> None:
    """A disturbed launch makes no table of its own: it says so, and has no place."""
    first = fake.cell(fake.package())
    other = fake.cell(fake.package("crypto_hash/md5/ref"))
    for ticks in (800, 808, 816, 824):
        fake.launch(first, sample("score/-", ticks), sample("cycles/576", ticks))
        fake.launch(
            other, sample("score/-", ticks), sample("cycles/576", ticks - 96), counter=TICKS
        )
    report = operation_report(own_records(fake.store), ["crypto_hash"], Choice(size=576))
    (table,) = report.tables
    rows = {row.values["primitive"]: row.values for row in table.rows}
    assert {name: row["median"] for name, row in rows.items()} == {
        "sha256": 1015 / 576,
        "md5": 895 / 576,
    }
    assert [row["place"] for row in rows.values()] == [None, None]
    assert any("cycles of crypto_hash/md5/ref are estimated" in note for note in table.notes)
    assert any("estimated core cycles of crypto_hash/md5/ref" in note for note in table.notes)
    attempts = {one.subject.primitive: one for one in own_records(fake.store).attempts}
    assert [attempts[name].estimated for name in ("sha256", "md5")] == [False, True]
    assert attempts["md5"].unit == "cycles"


def test_a_launch_that_does_not_know_its_cycles_gives_way_to_those_that_do(fake: Fake) -> None:
    """Otherwise one failed calibration would turn everything into ticks."""
    cell = fake.cell(fake.package())
    fake.launch(cell, sample("cycles/576", 800))
    fake.launch(cell, sample("cycles/576", 4000), counter=TICKS)
    (one,) = measurements(fake.store)
    assert (one.unit, one.median, one.launches) == ("cycles", 1000, 1)


def test_disturbed_launches_count_where_no_other_has_the_measure(fake: Fake) -> None:
    """A quiet launch for the score does not throw out the only one for the message."""
    cell = fake.cell(fake.package())
    fake.launch(cell, sample("score/-", 400))
    fake.launch(cell, sample("cycles/576", 800), disturbed="a neighbour")
    fake.launch(cell, sample("cycles/64", 80))
    fake.launch(cell, sample("cycles/64", 8000), disturbed="a neighbour")
    found = {one.size: one.median for one in measurements(fake.store)}
    assert found == {576: 1000, 64: 100}


def test_random_bytes_are_not_scaled(fake: Fake) -> None:
    """64 bytes in each of 3 calls are 64 bytes, at any clock."""
    cell = fake.cell(fake.package("crypto_kem/mlkem768/ref"))
    fake.launch(cell, sample("keypair_randombytes/-", 192, 192, tests=3), sample("bytes/-", 5))
    found = measurements(fake.store)
    assert [(one.key, one.size, one.unit, one.median) for one in found] == [
        ("keypair_randombytes", None, "bytes", 64),
        ("bytes", None, "bytes", 5),
    ]


def test_the_score_goes_into_the_attempt_and_is_no_measurement(fake: Fake) -> None:
    """400 ticks are 500 cycles; the counter's rate is given in the same unit."""
    cell = fake.cell(fake.package())
    fake.launch(cell, sample("score/-", 400))
    (one,) = own_records(fake.store).attempts
    assert measurements(fake.store) == ()
    assert (one.outcome, one.checksum_small, one.checksum_big) == ("ok", "0fb5", "55ff")
    assert (one.score, one.cycles_per_second) == (500, 2_500_000_000)


def test_identical_code_is_measured_once_and_scored_everywhere(fake: Fake) -> None:
    """The figures stand with the configuration that was launched."""
    package = fake.package()
    fake.cell(package, O2)
    fake.launch(fake.cell(package, O3), sample("score/-", 400), sample("cycles/576", 800))
    records = own_records(fake.store)
    assert [one.subject.compiler for one in measurements(fake.store)] == ["gcc -march=native -O3"]
    assert [one.score for one in records.attempts] == [500, 500]


def test_configurations_that_were_all_measured_in_full_have_scores(fake: Fake) -> None:
    """`run --all` holds no contest: the calls of one are added up, at the length nearest to it.

    Key pairs and forgeries are no part of a score.
    """
    package = fake.package("crypto_box/x/ref")
    for opt, factor in ((O3, 1), (O2, 2)):
        cell = fake.cell(package, opt, code=opt.name)
        fake.launch(
            cell,
            sample("cycles/1536", 800 * factor),
            sample("cycles/64", 8),
            sample("open_cycles/1536", 80 * factor),
            sample("forgery_open_cycles/1536", 8),
            sample("keypair_cycles/-", 8),
            code=opt.name,
        )
    found = own_records(fake.store).attempts
    assert sorted(one.score or 0 for one in found) == [1100, 2200]
    assert {one.unit for one in found} == {"cycles"}
    assert sorted(one.medians for one in found) == [(1100,), (2200,)]


def every_configuration(fake: Fake, launches: int = 4) -> Path:
    """Measure SHA-256 in full in two configurations, and try a wrong one; return the folder."""
    package = fake.package()
    for opt, factor in ((O3, 1), (O2, 2)):
        cell = fake.cell(package, opt, code=opt.name)
        for number in range(launches):
            fake.launch(cell, sample("cycles/1536", 800 * factor + number), code=opt.name)
    wrong = fake.package("crypto_hash/sha256/wrong")
    fake.cell(wrong, O3, (CheckResult("checksum/small", Verdict.FAIL, "other sums"),), "wrong")
    fake.store.close()
    return fake.store.path.parent


@pytest.mark.parametrize("form", ["terminal", "csv", "json"])
def test_show_all_says_which_configuration_of_an_operation_is_best(fake: Fake, form: str) -> None:
    """Places, scores, verdicts and reasons of all that were tried, by operation or folder."""
    folder = str(every_configuration(fake))
    for what in (["crypto_hash", "--results", folder], [folder]):
        done = CliRunner().invoke(show.command, [*what, "--all", "--format", form])
        assert done.exit_code == 0, done.output
        if form == "terminal":
            lines = [line.split() for line in done.stdout.splitlines()[2:5]]
            assert [line[:5] for line in lines[:2]] == [
                ["1", "1002", "4", "ref", "ok"],
                ["2", "2002", "4", "ref", "ok"],
            ]
            assert "wrong outputs" in done.stdout
            assert "checksum/small: other sums" in done.stdout
            continue
        if form == "csv":
            rows = list(csv.DictReader(io.StringIO(done.stdout)))
            assert [row["place"] for row in rows] == ["1", "2", ""]
        else:
            (table,) = json.loads(done.stdout)["tables"]
            rows = table["rows"]
            assert [row["place"] for row in rows] == [[1, 1], [2, 2], None]
        assert [row["outcome"] for row in rows] == ["ok", "ok", "fails"]
        assert [float(row["median"]) for row in rows[:2]] == [1001.875, 2001.875]


def test_show_all_with_a_size_ranks_every_build_by_that_figure(fake: Fake) -> None:
    """Not the best one of each primitive alone."""
    folder = str(every_configuration(fake))
    asked = ["crypto_hash", "--results", folder, "--all", "--size", "1536", "--json"]
    (table,) = json.loads(CliRunner().invoke(show.command, asked).stdout)["tables"]
    assert [row["place"] for row in table["rows"]] == [[1, 1], [2, 2]]


def own_records_of(folder: Path) -> Records:
    """Read the records of a results folder."""
    with Store.open(folder, read_only=True) as store:
        return own_records(store)


def test_what_does_not_build_fails_and_what_is_not_for_this_machine_is_no_attempt(
    fake: Fake,
) -> None:
    """Nor is what was not checked yet."""
    package = fake.package()
    fake.cell(package, O3, None, stage=BuildStage.COMPILE, reason="no such header")
    fake.cell(package, O2, None)
    other = fake.package("crypto_hash/sha256/arm")
    fake.cell(other, O3, None, stage=BuildStage.SKIPPED, reason="for arm64")
    (one,) = own_records(fake.store).attempts
    assert (one.outcome, one.reason, one.source.date) == ("tryfails", "no such header", "20261120")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({"checksum/small": "pass", "memory/guard": "skipped"}, ("ok", "")),
        ({"checksum/small": "skipped", "memory/guard": "pass"}, ("unknown", "")),
        ({"checksum/small": "open", "memory/guard": "pass"}, ("unknown", "")),
        ({"checksum/small": "skipped", "answers/verified": "pass"}, ("ok", "")),
        ({"memory/guard": "pass", "against/given": "pass"}, ("ok", "")),
        ({"answers/verified": "fail", "memory/guard": "pass"}, ("fails", "answers/verified: why")),
        ({"checksum/small": "pass", "checksum/big": "fail"}, ("fails", "checksum/big: why")),
        ({"checksum/big": "fail", "memory/guard": "fail"}, ("tryfails", "checksum/big: why")),
        ({"memory/guard": "fail", "checksum/small": "pass"}, ("tryfails", "memory/guard: why")),
    ],
)
def test_verdicts_become_supercops_words(
    verdicts: dict[str, str], expected: tuple[str, str]
) -> None:
    """`fails` is kept for wrong outputs; any known answers count as checksums do.

    The first failing check says why.
    """
    checks = [
        CheckResult(name, Verdict(verdict), "why" if verdict == "fail" else "")
        for name, verdict in verdicts.items()
    ]
    assert outcome_of(checks) == expected


def test_objects_are_counted_as_size_does(fake: Fake, tmp_path: Path) -> None:
    """The expected numbers are those of size(1) itself."""
    made = tmp_path / "results" / "hash.o"
    source = made.with_suffix(".c")
    source.write_text(
        "static int many[100]; int one = 3; const int table[4] = {1, 2, 3, 4};\n"
        "int f(int i) { return many[i]++ + one + table[i]; }\n"
    )
    subprocess.run(["gcc", "-Os", "-c", str(source), "-o", str(made)], check=True)
    said = subprocess.run(["size", str(made)], capture_output=True, text=True, check=True)
    expected = tuple(int(word) for word in said.stdout.splitlines()[1].split()[:3])
    fake.cell(fake.package(), objects=(made, made.with_name("gone.o")))
    (one,) = (one for one in database_records(fake.store) if isinstance(one, ObjectSize))
    assert (one.text, one.data, one.bss) == expected
    assert one.file == "hash.o"


def test_object_files_elsewhere_are_not_read(fake: Fake, tmp_path: Path) -> None:
    """A stranger's results may name any file of the reader's."""
    source = tmp_path / "private.c"
    source.write_text("int secret(void) { return 1; }\n")
    made = source.with_suffix(".o")
    subprocess.run(["gcc", "-c", str(source), "-o", str(made)], check=True)
    fake.cell(fake.package(), objects=(made, Path("/dev/zero")))
    assert not [one for one in database_records(fake.store) if isinstance(one, ObjectSize)]
    assert not [one for one in series_of(fake.store) if one.measure.startswith("code/")]
