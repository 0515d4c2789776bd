# SPDX-License-Identifier: MIT
"""SUPERCOP's database lines among the files of a site."""

from pathlib import Path

from msgspec.structs import replace
from tests.unit.site.conftest import made
from tests.unit.site.generated import CONFIGURATION, MACHINE, package, store_of

from assay.imported.reader import LineReader
from assay.model import CheckResult, Verdict
from assay.model.supercop import Attempt, Fact, Measurement, Record
from assay.model.work import Build, BuildStage, Cell
from assay.report.supercop import LineWriter, in_order
from assay.report.supercop.own import database_records
from assay.store import Store

CPUID = "GenuineIntel-000806f8-bfebfbff"


def read(path: Path) -> list[Record]:
    """Read lines as `assay import` does; each must be understood."""
    reader = LineReader()
    found = [one for run in reader.runs(path.read_text().splitlines()) for one in run.records]
    assert reader.tally.bad == 0
    return found


def test_a_primitive_has_the_lines_that_export_writes(tmp_path: Path) -> None:
    """With the heading's sizes and processor, what compilers said, and secrets that leak."""
    folder = tmp_path / "results"
    store_of(folder, 12)
    with Store.create(folder) as store:
        store.put_machine(replace(MACHINE, cpuid=CPUID))
        one = package(0, 10)
        cell = Cell(one.selector, 1, CONFIGURATION.name)
        build = Build(cell, BuildStage.DONE, "object 0", None, "code.c:7: warning: x", "gcc",
                      "bubblewrap", 0.1, league="constbranchindex")  # fmt: skip
        store.put_build(build, one, CONFIGURATION, "harness")
        leak = CheckResult("secrets/timing", Verdict.FAIL, "a jump is secret", "", "by 0x1: f")
        store.put_checks(cell, (CheckResult("checksum/small", Verdict.PASS), leak))
        lines = LineWriter().lines(in_order(database_records(store)))
        exported = sorted(lines)
    made([folder], tmp_path / "site", lines=True)
    files = sorted((tmp_path / "site").rglob("database-lines.txt"))
    assert [one.parent.name for one in files] == ["aead001", "hash000"]
    written = [line for one in files for line in one.read_text().splitlines()]
    assert sorted(written) == exported
    said = " ".join(files[1].read_text().split("\n"))
    assert " fromcompiler crypto_hash/hash000/impl0 gcc_-O3_-march=native code.c " in said
    assert " timecop_fail crypto_hash/hash000/impl0 gcc_-O3_-march=native by 0x1: f" in said


def test_lines_are_written_where_they_were_asked_for(tmp_path: Path) -> None:
    """Asked for later, they come; asked for no longer, they go. Other pages stay."""
    store_of(tmp_path / "results", 10)
    folders, site = [tmp_path / "results"], tmp_path / "site"
    page = site / "primitives/crypto_hash/hash000/index.html"
    file = page.with_name("database-lines.txt")
    seen = []
    for lines in (False, True, False):
        made(folders, site, lines=lines)
        seen.append((file.is_file(), "database-lines.txt" in page.read_text()))
    assert seen == [(False, False), (True, True), (False, False)]


def test_lines_of_a_site_can_be_imported(tmp_path: Path) -> None:
    """Every implementation was tried, and each length has the figures of all launches."""
    store_of(tmp_path / "results", 10)
    made([tmp_path / "results"], tmp_path / "site", lines=True)
    found = read(tmp_path / "site/primitives/crypto_hash/hash000/database-lines.txt")
    tried = [one for one in found if isinstance(one, Attempt)]
    timed = [one for one in found if isinstance(one, Measurement)]
    sizes = {one.words for one in found if isinstance(one, Fact) and one.key == "outputbytes"}
    assert (len(tried), len(timed), sizes) == (10, 40, {("32",)})
    assert {len(one.values) for one in timed} == {15}
