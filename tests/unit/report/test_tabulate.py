# SPDX-License-Identifier: MIT
"""Reading performance reports back."""

from pathlib import Path

import pytest
from tests.unit.report.conftest import at_ratio

from assay.errors import UsageError
from assay.report.files import write_cell
from assay.report.formats.html import table_html
from assay.report.tabulate import read_file, read_rows, text_rows_table
from assay.summary.series import CellResult

EXAMPLE = (Path(__file__).parent / "expected" / "howto-example-1.txt").read_text()


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """Give an original result file with the reports of two size choices."""
    folder = tmp_path / "benchmarks" / "snow-2.0" / "merged"
    folder.mkdir(parents=True)
    second = EXAMPLE.replace("Key size: 128", "Key size: 256").replace(": 4.61", ": 4.55")
    path = folder / "speed_1_gcc_k8_O3-ual-ofp"
    path.write_text(f"\n{EXAMPLE}\n{second}\n{79 * '*'}\n\nKey size: 999 bits\n")
    return path


def test_an_original_report_is_read_whole(original: Path, tmp_path: Path) -> None:
    """Names, sizes and all eight rates of Example 1 arrive."""
    row, _ = read_file(original, tmp_path)
    assert (row["name"], row["profile"], row["key"], row["iv"], row["mac"]) == (
        "SNOW-2.0",
        "SW",
        "128",
        "128",
        "",
    )
    assert {key: row[key] for key in row if isinstance(row[key], float)} == {
        "stream/long": 4.61,
        "packet/40": 29.39,
        "packet/576": 6.02,
        "packet/1500": 5.27,
        "imix": 7.35,
        "setup/key": 63.81,
        "setup/iv": 795.82,
        "agility": 5.97,
    }
    assert (row["variant"], row["compiler"]) == (
        "benchmarks/snow-2.0/merged/1",
        "gcc_k8_O3-ual-ofp",
    )


def test_rows_are_sorted_by_stream(original: Path, tmp_path: Path) -> None:
    """The faster size comes first."""
    assert [row["key"] for row in read_rows([original], tmp_path)] == ["256", "128"]


def test_our_own_files_are_read_in_ticks_too(tmp_path: Path, snow: CellResult) -> None:
    """Where cycles are unknown the row says ticks."""
    path = write_cell(tmp_path, at_ratio(snow, None), None)
    assert path is not None
    (row,) = read_file(path, tmp_path.resolve())
    assert (row["clock"], row["stream/long"]) == ("ticks", 4.61)


def test_the_table_has_the_originals_classes(original: Path, tmp_path: Path) -> None:
    """A benchmark's row and its cells can be styled as ever."""
    table = table_html(text_rows_table(read_rows([original], tmp_path)))
    assert (
        '<tr class="benchmark"><td class="name">SNOW-2.0</td><td class="profile">SW</td>' in table
    )
    for name in ("size", "cycles", "variant", "compiler"):
        assert f'<td class="{name}">' in table
    assert 'href="benchmarks/snow-2.0/merged/speed_1_gcc_k8_O3-ual-ofp"' in table


def test_a_file_without_a_report_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    path = tmp_path / "speed_1_x"
    path.write_text("hello")
    with pytest.raises(UsageError, match="speed_1_x holds no performance report"):
        read_file(path, tmp_path)
