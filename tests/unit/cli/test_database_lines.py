# SPDX-License-Identifier: MIT
"""`assay import` and `assay export`: published machines in, the same lines out."""

import gzip
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.cli.calling import Assay, calling
from tests.unit.report.operations.filled import MACHINE, O3, Fake

from assay.store import FILE_NAME, Store
from assay.store.published import ImportedRecords

NEW = "20260330 vm amd64 20261120 crypto_hash sha256/timingleaks"
OLD = "20191017 samba amd64 20191111 crypto_hash sha256"
ABOUT = "crypto_hash/sha256/ref gcc_-O3"
LINES = [
    f"{NEW} tryfails {ABOUT} error 132",
    f"{NEW} try aa/bb ok 2000 12 34 {ABOUT} -1+0+1",
    f"{NEW} implementation crypto_hash/sha256/ref -",
    f"{NEW} compiler gcc_-O3 12.2.0",
    f"{NEW} cycles 576 936 -26+0+0+0",
    f"{OLD} implementation crypto_hash/sha256/ref -",
    f"{OLD} compiler gcc_-O3 4.2",
    f"{OLD} cycles 576 936 1000 936 910",
]


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    return calling(monkeypatch, capsys)


def _write(path: Path, lines: list[str]) -> None:
    """Write a file of lines, compressed if it is called so."""
    text = "".join(f"{line}\n" for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def test_what_is_imported_can_be_exported_line_by_line(assay: Assay, tmp_path: Path) -> None:
    """Both formats in one compressed file; a second folder takes the export."""
    _write(tmp_path / "data.gz", LINES)
    done = assay("import", "data.gz")
    assert (done.code, done.err) == (0, "")
    assert "8 lines, 8 records" in done.out
    assert "samba (amd64), 20191111, version 20191017" in done.out
    assert assay("export", "--supercop", "--imported").out.splitlines() == LINES
    assert assay("export", "--supercop", "--imported", "-o", "again.gz").out == (
        "again.gz: 8 lines\n"
    )
    assert gzip.decompress((tmp_path / "again.gz").read_bytes()).decode().splitlines() == LINES
    assert assay("import", "again.gz", "--results", "other").code == 0
    assert assay("export", "--supercop", "--imported", "other").out.splitlines() == LINES


def test_the_same_lines_are_imported_once(assay: Assay, tmp_path: Path) -> None:
    """Under another name, or collected with others."""
    _write(tmp_path / "data", LINES)
    _write(tmp_path / "same.gz", LINES)
    _write(tmp_path / "collected", [*LINES, f"{OLD} cycles 577 1 2 1 0"])
    assert assay("import", "data").code == 0
    assert "same.gz: imported before, as" in assay("import", "same.gz").out
    done = assay("import", "collected")
    assert "9 lines, 4 records, 2 runs known from other files" in done.out


def test_bad_lines_are_shown_and_the_rest_is_read(assay: Assay, tmp_path: Path) -> None:
    """The first five with file, number and reason; exit code 1."""
    _write(tmp_path / "data", [LINES[0], *["x \x1b[2J"] * 7, LINES[1], "+ log"])
    done = assay("import", "data")
    assert done.code == 1
    assert "10 lines, 2 records, 1 lines of log, 7 bad lines" in done.out
    assert done.err.splitlines() == [
        *(f"error: data:{number}: it has fewer than seven words" for number in range(2, 7)),
        "  and 2 more",
    ]


def test_a_damaged_file_gives_what_is_whole(assay: Assay, tmp_path: Path) -> None:
    """And a message at the line where it ends."""
    _write(tmp_path / "data.gz", LINES)
    whole = (tmp_path / "data.gz").read_bytes()
    (tmp_path / "data.gz").write_bytes(whole[:-8])
    done = assay("import", "data.gz")
    assert done.code == 1
    assert "error: data.gz:8: the compressed file is damaged here" in done.err
    with Store.open(tmp_path, read_only=True) as store:
        assert len(list(ImportedRecords(store).records())) == 8


def test_nothing_to_import_is_an_error_with_a_cure(assay: Assay, tmp_path: Path) -> None:
    """Exit code 2, and no results folder comes of it."""
    _write(tmp_path / "text", ["hello"])
    done = assay("import", "text", "--results", "new")
    assert done.code == 2
    assert "error: no database lines in text" in done.err
    assert "Name files that SUPERCOP wrote" in done.err
    assert not (tmp_path / "new").exists()
    assert assay("import", "missing").code == 2


def test_a_file_without_lines_does_not_stop_the_others(assay: Assay, tmp_path: Path) -> None:
    """Exit code 1: something that was named was not read."""
    _write(tmp_path / "text", ["hello"])
    _write(tmp_path / "bench/vm/data", LINES)
    done = assay("import", "text", "bench")
    assert done.code == 1
    assert "no database lines in text" in done.err
    assert (tmp_path / FILE_NAME).is_file()


def test_ones_own_results_are_the_default(assay: Assay, tmp_path: Path) -> None:
    """With the ABI of the machine that they are from, and a first word of one's choice."""
    with Store.create(tmp_path) as store:
        fake = Fake(store)
        store.put_machine(replace(MACHINE, host="Bench.org"))
        package = fake.package()
        for name, arch in (("gcc_m32_O3", "-m32"), ("gcc_default_O3", "")):
            fake.cell(package, replace(O3, arch=arch, tag=name, name=name))
    lines = assay("export", "--supercop", "--version-word", "assay-0.1.0").out.splitlines()
    assert {tuple(line.split(" ")[:3]) for line in lines} == {
        ("assay-0.1.0", "bench", "x86"),
        ("assay-0.1.0", "bench", "amd64"),
    }
    numbered = assay("export", "--supercop", "--version-word", "20260330").out
    assert "20260330 bench x86 20261120 crypto_hash sha256/constbranchindex try " in numbered


def test_export_says_what_is_missing(assay: Assay, tmp_path: Path) -> None:
    """The form, results, records, a folder: each with a cure, and no file is left."""
    assert "say in which form" in assay("export").err
    assert "no results in" in assay("export", "--supercop").err
    _write(tmp_path / "data", LINES)
    assay("import", "data")
    done = assay("export", "--supercop", "-o", "out")
    assert done.code == 2
    assert "add --imported" in done.err
    assert not list(tmp_path.glob("*out*"))
    assert "no folder" in assay("export", "--supercop", "-o", "no/out").err
