# SPDX-License-Identifier: MIT
"""Figures that can be cited: columns that fit, a caption that says whence, and pictures."""

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click import Command
from click.testing import CliRunner, Result
from msgspec.structs import replace
from tests.unit.report.conftest import MACHINE, Campaigner, load
from tests.unit.report.operations.conftest import hash_lines

from assay.cli import doctor, show
from assay.cli import list as listing
from assay.errors import UsageError
from assay.model.supercop import Run
from assay.report.cells import cell_report
from assay.report.formats.forms import PICTURES, WRITERS
from assay.report.ranked import charted_rows, row_name
from assay.report.table import Column, Report, Table, TableRow
from assay.store import Store
from assay.store.published import ImportedRecords, PublishedFile
from assay.summary.cells import Results
from assay.summary.rows import Detail

NAMED = replace(MACHINE, compilers=("gcc 12.2.0", "clang 14.0.6"), assay="0.1.0 (0123abcd)")
SVG = "{http://www.w3.org/2000/svg}"
PAPER = (
    "\\documentclass{article}\\usepackage{booktabs}\\usepackage{array}\n"
    "\\usepackage[T1]{fontenc}\\usepackage{graphicx}\\begin{document}\\input{tables}\n"
    "\\noindent\\includegraphics{chart.pdf}\\end{document}\n"
)


@pytest.fixture
def folder(store: Store, results: Results) -> Path:
    """Give a folder whose machine is known with compilers and the Assay that measured."""
    assert results.cells
    store.put_machine(NAMED)
    store.close()
    return store.path.parent


def shown(folder: Path, *words: str) -> Result:
    """Call `assay show`."""
    return CliRunner().invoke(show.command, [str(folder), *words])


@pytest.mark.parametrize("form", ["latex", "markdown", "html", "json"])
def test_a_report_says_where_its_figures_come_from(folder: Path, form: str) -> None:
    """Machine, processor, clock, compilers with versions, date, and Assay with its commit."""
    text = shown(folder, "--format", form).stdout.replace("\\", "")
    for words in ("bench", "Example CPU", "RDTSC instruction", "gcc 12.2.0", "clang 14.0.6"):
        assert words in text
    assert "Measured 2026-" in text
    assert "by Assay 0.1.0 (0123abcd)" in text


def test_latex_has_a_label_and_columns_that_fit_without_being_shrunk(folder: Path) -> None:
    """The caption says whence; columns that are left out are named in a comment."""
    text = shown(folder, "--latex").stdout
    assert "resizebox" not in text
    assert r"\label{tab:assay-stream-ciphers}" in text
    caption = re.search(r"\\caption\{(.*)\}", text)
    assert caption is not None
    assert "Stream ciphers: cycles/byte" in caption[1]
    assert "RDTSC instruction" in caption[1]
    (layout,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert len(layout) < 12
    assert "Left out, as the page is narrow; --columns chooses: " in text
    few = shown(folder, "--latex", "--columns", "Place,Imix").stdout
    assert re.findall(r"\\begin\{tabular\}\{([lr]+)\}", few) == ["rr"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("words", [[], ["--all"], ["--columns", "Primitive,Stream,Imix,tag"]])
def test_latex_of_ciphers_compiles_and_fits_the_page(
    folder: Path, tmp_path: Path, words: list[str]
) -> None:
    """In an article, with the chart: nothing sticks out by more than a letter."""
    (tmp_path / "tables.tex").write_text(shown(folder, "--latex", *words).stdout)
    (tmp_path / "chart.pdf").write_bytes(shown(folder, "--format", "pdf").stdout_bytes)
    (tmp_path / "paper.tex").write_text(PAPER)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    over = [float(one) for one in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert [one for one in over if one > 6] == []


@pytest.mark.parametrize("form", ["terminal", "latex", "markdown", "html", "json"])
def test_columns_are_chosen_by_heading_or_key_in_any_format(folder: Path, form: str) -> None:
    """In the order that was asked for, those for programs alone among them."""
    done = shown(folder, "--format", form, "--columns", "stream/long,Primitive,package")
    assert done.exit_code == 0, done.output
    text = done.stdout
    if form == "json":
        (table,) = json.loads(text)["tables"]
        assert all(list(row) == ["stream/long", "primitive", "package"] for row in table["rows"])
        return
    heads = re.search(r"Stream(?! ciphers).{0,40}Primitive.{0,40}package", text, re.DOTALL)
    assert heads is not None
    assert "Key setup" not in text
    assert "hc-128/fast" in text


def test_csv_has_the_columns_that_were_chosen(folder: Path) -> None:
    """Its keys are those of JSON."""
    done = shown(folder, "--csv", "--columns", "stream/long,package,Compiler")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] == ["stream/long", "package", "configuration"]
    assert ["hc-128/fast", "gcc-12_default_O3"] in [row[1:] for row in rows]


@pytest.mark.parametrize("form", ["terminal", "csv", "json", "latex"])
def test_an_unknown_column_is_refused_with_those_that_there_are(folder: Path, form: str) -> None:
    """And nothing is printed."""
    done = shown(folder, "--format", form, "--columns", "place,nope")
    assert isinstance(done.exception, UsageError)
    assert "'nope'" in str(done.exception)
    assert "Imix" in done.exception.cure
    assert done.stdout == ""


def test_a_table_that_has_none_of_the_columns_is_left_out() -> None:
    """The others are kept: names are those of any table."""
    one = Table("a", "", (Column("x", "X"), Column("y", "Y")), (TableRow({"x": 1, "y": 2}),))
    other = Table("b", "", (Column("z", "Z"),), (TableRow({"z": 3}),))
    (kept,) = Report((one, other)).with_columns(["Y"], programs=False).tables
    assert (kept.title, [each.key for each in kept.columns]) == ("a", ["y"])


def test_a_chart_in_svg_has_points_with_intervals_and_no_bars(folder: Path) -> None:
    """One circle and one line for each row, at places of a logarithmic axis; well-formed XML."""
    done = shown(folder, "--format", "svg")
    assert done.exit_code == 0, done.output
    root = ET.fromstring(done.stdout)  # noqa: S314 - our own
    dots = [float(one.attrib["cx"]) for one in root.iter(f"{SVG}circle")]
    assert len(dots) == 3
    assert dots == sorted(dots)
    texts = [one.text or "" for one in root.iter(f"{SVG}text")]
    assert {"HC-128", "SALSA20", "AES-CTR", "cycles/byte"} <= set(texts)
    assert "gcc 12.2.0" in " ".join(texts)
    assert "script" not in done.stdout.lower()
    assert len(list(root.iter(f"{SVG}rect"))) == 1  # the paper


def test_a_chart_in_pdf_is_a_page_as_large_as_the_chart(folder: Path) -> None:
    """It fits the text of an article."""
    done = shown(folder, "--format", "pdf")
    assert done.exit_code == 0, done.output
    assert done.stdout_bytes.startswith(b"%PDF-")
    assert done.stdout_bytes.rstrip().endswith(b"%%EOF")
    pypdf = pytest.importorskip("pypdf")
    found = pypdf.PdfReader(io.BytesIO(done.stdout_bytes), strict=True)
    (page,) = found.pages
    assert 300 < page.mediabox.width < 346
    text = page.extract_text()
    assert all(one in text for one in ("HC-128", "SALSA20", "AES-CTR", "cycles/byte"))
    assert {one["/BaseFont"] for one in page["/Resources"]["/Font"].values()} == {
        "/Helvetica", "/Helvetica-Bold",
    }  # fmt: skip


def test_a_chart_of_operations_has_the_quartiles(tmp_path: Path) -> None:
    """For the size that was asked for."""
    with Store.create(tmp_path) as store:
        runs = [Run(hash_lines(), "run")]
        ImportedRecords(store).put(PublishedFile("digest", "data", "now"), runs)
    asked = ["crypto_hash", "--results", str(tmp_path), "--size", "576", "--format", "svg"]
    text = CliRunner().invoke(show.command, asked).stdout
    assert text.count("<circle") == 4
    assert "T:md5" in text


@pytest.mark.parametrize("form", sorted(PICTURES))
def test_no_chart_is_an_error_and_columns_of_one_are_refused(folder: Path, form: str) -> None:
    """What cannot be drawn is said; nothing is ignored."""
    with pytest.raises(UsageError, match="there is no chart"):
        PICTURES[form](Report((Table("a", "", (Column("x", "X"),), ()),)))
    done = shown(folder, "--format", form, "--columns", "Stream")
    assert "--columns does not apply to charts" in str(done.exception)


def test_a_hostile_name_steers_no_picture(store: Store, campaigner: Campaigner) -> None:
    """Neither as markup nor by control characters."""
    for speed, name in ((3.0, "a/ref"), (4.0, "b/ref")):
        campaigner.cell(campaigner.package(name), speed=speed)
    (table,) = cell_report(load(store)).tables
    rows = [replace(row, values={**row.values, "name": "</svg>\x1b[2J&é→"}) for row in table.rows]
    report = Report((replace(table, rows=tuple(rows)),))
    text = str(PICTURES["svg"](report))
    assert ET.fromstring(text).tag == f"{SVG}svg"  # noqa: S314 - our own
    assert "\x1b" not in text
    made = PICTURES["pdf"](report)
    assert isinstance(made, bytes)
    pypdf = pytest.importorskip("pypdf")
    (page,) = pypdf.PdfReader(io.BytesIO(made), strict=True).pages
    assert "</svg>?[2J&é?" in page.extract_text()


def test_two_primitives_of_one_name_are_told_apart(store: Store, campaigner: Campaigner) -> None:
    """By their MAC if one has it, else by their folders; other rows keep their names."""
    for number, place in enumerate(("salsa20/ref", "nls/ref", "nls-ae/ref")):
        campaigner.cell(campaigner.package(place), speed=4.0 + number)
    found = renamed(load(store))
    assert names(found) == ["SALSA20", "NLS-v2 (nls)", "NLS-v2 (nls-ae)"]
    found = with_mac(found, "nls-ae")
    assert names(found) == ["SALSA20", "NLS-v2 (without MAC)", "NLS-v2 (with MAC)"]
    for form in ("latex", "markdown", "html"):
        assert "NLS-v2 (with MAC)" in WRITERS[form](cell_report(found)).replace("\\", "")


def renamed(results: Results) -> Results:
    """Let both forms of NLS call themselves NLS-v2."""
    cells = [
        replace(cell, subject=replace(cell.subject, name="NLS-v2"))  # type: ignore[type-var]
        if cell.package.primitive.startswith("nls")
        else cell
        for cell in results.cells
    ]
    return replace(results, cells=tuple(cells))


def with_mac(results: Results, primitive: str) -> Results:
    """Give the figures of a primitive a MAC of 32 bits."""
    cells = [
        replace(
            cell,
            figures=tuple(
                replace(one, sizes=replace(one.sizes, mac_bits=32)) for one in cell.figures
            ),
        )
        if cell.package.primitive == primitive
        else cell
        for cell in results.cells
    ]
    return replace(results, cells=tuple(cells))


def names(results: Results) -> list[str]:
    """Give the names in the table of primitives, and see that the picture has the same."""
    (table,) = cell_report(results, Detail.PRIMITIVES).tables
    found = [str(row.values["name"]) for row in table.rows]
    assert [row_name(row) for row in charted_rows(table)] == found
    return found


@pytest.mark.parametrize(
    ("command", "label"), [(doctor.command, "doctor"), (listing.targets_command, "targets")]
)
def test_a_table_without_a_title_has_the_caption_of_its_command(
    command: Command, label: str
) -> None:
    r"""An empty caption cannot be cited, and all such tables had one label."""
    text = CliRunner().invoke(command, ["--format", "latex"]).stdout
    captions = re.findall(r"\\caption\{(.*)\}", text)
    assert captions
    assert all(one.strip(".") for one in captions)
    assert rf"\label{{tab:assay-{label}}}" in text
