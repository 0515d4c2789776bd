# SPDX-License-Identifier: MIT
"""The text report against Example 1 of the eSTREAM HOWTO."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.report.conftest import at_ratio

from assay.errors import AssayError
from assay.model import BuildStage, Machine, SizeChoice, StreamSubject
from assay.report.files import cell_text, performance_report, write_cell
from assay.report.tabulate import read_file
from assay.summary.cells import Results
from assay.summary.rows import rows_of
from assay.summary.series import CellResult

EXAMPLE = (Path(__file__).parent / "expected" / "howto-example-1.txt").read_text()


def report_of(result: CellResult) -> str:
    """Write the report of a cell that was measured at one choice of sizes."""
    (row,) = rows_of(result)
    return performance_report(row)


def test_the_report_is_the_howtos_line_for_line(snow: CellResult) -> None:
    """Given the ticks of Example 1, Example 1 comes out."""
    assert report_of(snow) == EXAMPLE


def test_without_a_known_core_clock_nothing_is_called_cycles(snow: CellResult) -> None:
    """The word cycles stands in no line; the numbers are the same ones."""
    unknown = at_ratio(snow, None)
    expected = EXAMPLE.replace("cycles", "ticks").replace("Cycles", "Ticks")
    assert report_of(unknown) == expected


def test_a_ratio_that_is_not_one_is_stated_and_applied(snow: CellResult) -> None:
    """Core cycles and the core's clock are larger by it; times and Mbps stay."""
    report = report_of(at_ratio(snow, 1.44))
    assert "CPU speed: 2440.5 MHz\n" in report
    assert "using RDTSC instruction, 1.44 core cycles per tick\n" in report
    assert "Encryption speed (cycles/byte): 6.63\n" in report
    assert "Encryption speed (Mbps): 2943.95\n" in report
    assert "Total time: 415015 clock ticks (244.87 usec)\n" in report


def test_an_authenticated_cipher_names_its_mac_and_its_context(snow: CellResult) -> None:
    """The AE API has a MAC size line, its own context and one more heading."""
    assert isinstance(snow.subject, StreamSubject)
    sizes = SizeChoice(128, 64, 96)
    cell = replace(
        snow,
        subject=replace(snow.subject, api="ecrypt-sync-ae"),
        figures=tuple(replace(each, sizes=sizes) for each in snow.figures),
    )
    report = report_of(cell)
    assert "IV size: 64 bits\nMAC size: 96 bits\n\n" in report
    assert "Size of ECRYPT_AE_ctx: 108 bytes" in report
    assert "\nTesting speed of IV setup + finalize:\n\n" in report


def test_a_name_cannot_forge_lines(snow: CellResult) -> None:
    """A cipher that names itself with line ends adds no line to its report."""
    assert isinstance(snow.subject, StreamSubject)
    name = "X\nEncryption speed (cycles/byte): 0.01\n"
    forged = replace(snow, subject=replace(snow.subject, name=name, profile="a\nb"))
    report = report_of(forged)
    assert len(report.splitlines()) == len(EXAMPLE.splitlines())
    assert "Profile: a?b\n" in report


def test_what_was_not_measured_has_no_section(snow: CellResult) -> None:
    """A stream-only measurement gives the stream section and the end."""
    report = report_of(replace(snow, figures=snow.figures[:1]))
    assert "Testing stream" in report
    assert "packet" not in report
    assert "setup" not in report
    assert report.endswith("2943.95\n\n\nEnd of performance measurements\n")


def test_the_result_file_ends_with_how_it_came_about(snow: CellResult) -> None:
    """After 79 stars stand the sections of the original, in its order."""
    _, text = cell_text(snow, None)
    program, _, sections = text.partition("\n" + 79 * "*" + "\n\n")
    assert program.startswith(80 * "*" + "\n*" + 26 * " " + "ECRYPT Stream Cipher Project")
    assert program.endswith(80 * "*" + "\n\n" + EXAMPLE)
    headings = [line[:-1] for line in sections.splitlines() if line.endswith(":")]
    assert headings == ["DATE", "CPU", "COMPILER", "COMPILATION", "EXECUTABLE"]


def test_a_cell_has_one_text_file(tmp_path: Path, snow: CellResult) -> None:
    """Speed, errors or info: when the cell fails later, its speed file goes."""
    speed = write_cell(tmp_path, snow, None)
    assert speed == tmp_path.resolve() / "benchmarks/snow-2.0/ref/speed_1_gcc_default_O3"
    assert len(read_file(speed, tmp_path)) == 1
    broken = replace(snow, build=replace(snow.build, stage=BuildStage.COMPILE, reason="no u64"))
    errors = write_cell(tmp_path, broken, None)
    assert errors is not None
    assert sorted(path.name for path in errors.parent.iterdir()) == ["errors_1_gcc_default_O3"]


def test_failures_are_written_with_cure_and_evidence(tmp_path: Path, results: Results) -> None:
    """The errors file of the failed cell has all that the author needs."""
    machine: Machine | None = results.machine
    failed = next(cell for cell in results.cells if cell.failed and cell.build.ok)
    path = write_cell(tmp_path, failed, machine)
    assert path is not None
    text = path.read_text()
    assert "*** ERROR: context/interleaved: calls with another context" in text
    assert "    Move static variables into the context structure.\n" in text
    assert "C by K1 after IV2 setup = 1234" in text


def test_identical_object_code_refers_to_what_was_measured(
    tmp_path: Path, results: Results
) -> None:
    """The cell that was not launched itself has an info file naming the other."""
    shared = next(cell for cell in results.cells if cell.shared_with)
    path = write_cell(tmp_path, shared, results.machine)
    assert path is not None
    assert path.name == "info_1_gcc-12_default_O2"
    assert "identical to that of gcc-12_default_O3" in path.read_text()


@pytest.mark.parametrize("name", ["../../outside", "a/b", "a\0b"])
@pytest.mark.parametrize("what", ["configuration", "place"])
def test_names_that_lead_elsewhere_write_nothing(
    tmp_path: Path, snow: CellResult, name: str, what: str
) -> None:
    """Results are often somebody else's: `assay collect` writes below their folder only."""
    folder = tmp_path / "one" / "results"
    if what == "place":
        hostile = replace(snow, package=replace(snow.package, place=f"../{name}"))
    else:
        cell = replace(snow.cell, configuration=name)
        hostile = replace(snow, build=replace(snow.build, cell=cell))
    with pytest.raises(AssayError, match=r"leads out of|is no file name"):
        write_cell(folder, hostile, None)
    assert list(tmp_path.iterdir()) == []
