# SPDX-License-Identifier: MIT
"""Any report in any format: one exporter each, whatever kind of result is in it."""

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from rich.console import Console
from tests.unit.report.conftest import Campaigner, make_package
from tests.unit.report.operations.conftest import hash_lines

from assay.cli import show
from assay.cli.console import SHORT
from assay.model import PackageKind
from assay.model.supercop import Run
from assay.report.formats.forms import WRITERS
from assay.report.formats.markdown import escaped
from assay.report.formats.names import FORMS
from assay.report.formats.terminal import render
from assay.report.table import Column, Note, Report, Table, TableRow, decimals
from assay.stats.places import Place
from assay.store import Store
from assay.store.published import ImportedRecords, PublishedFile
from assay.summary.cells import Results

HOSTILE = "a|b*c_d</td><script>alert(1)</script>\x1b[2J=x"
COLUMNS = (
    Column("place", "Place", number=True),
    Column("name", "Name"),
    Column("cycles", "Cycles", number=True, text=decimals(2)),
    Column("never", "Never", optional=True),
    Column("hidden"),
)
ROWS = (
    TableRow({"place": Place(1, 2), "name": "one", "cycles": 1.23456, "hidden": "h"}, group="a"),
    TableRow({"place": None, "name": HOSTILE, "cycles": None, "hidden": "=1+1"}, group="b"),
)
TABLE = Table("A title", "cycles/byte", COLUMNS, ROWS, ("a note",), facts={"size": 8})
REPORT = Report((TABLE,), (Note("above"),), (Note("below"),), {"kind": "a test"})


def written(form: str) -> str:
    """Write the report in a form, the terminal's for 200 columns."""
    if form in WRITERS:
        return WRITERS[form](REPORT)
    file = io.StringIO()
    console = Console(width=200, file=file, highlight=False)
    console.print(render(REPORT, console))
    return file.getvalue()


@pytest.mark.parametrize("form", FORMS)
def test_a_strangers_name_steers_no_format(form: str) -> None:
    """No escape sequence, no markup, no formula, and valid JSON."""
    text = written(form)
    assert "\x1b" not in text
    assert ("<script>alert" in text) is (form in {"csv", "json", "terminal"})
    assert "\n=" not in text
    assert ",=" not in text


@pytest.mark.parametrize("form", [one for one in FORMS if one != "csv"])
def test_every_format_for_readers_has_title_unit_direction_and_notes(form: str) -> None:
    """Nobody has to know which way is better; CSV has it in a column."""
    text = written(form)
    for words in ("A title", "cycles/byte", "lower is better", "a note", "above", "below"):
        assert words in text


@pytest.mark.parametrize("form", ["terminal", "latex", "markdown", "html"])
def test_a_column_that_says_nothing_takes_no_room(form: str) -> None:
    """Nor does one that is for programs alone."""
    text = written(form)
    assert "Never" not in text
    assert "hidden" not in text.rpartition("</style>")[2]


def test_the_page_on_formats_names_every_format() -> None:
    """And the older spelling of those that have one."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text()
    table = page.partition("The older spellings")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(FORMS)
    older = next(line for line in page.splitlines() if line.startswith("The older spellings"))
    assert re.findall(r"`--(\w+)`", older) == list(SHORT)


def test_markdown_is_a_table_of_github() -> None:
    """Numbers to the right, a bar in a name escaped, so that columns stay columns."""
    lines = written("markdown").splitlines()
    at = lines.index("| Place | Name | Cycles |")
    assert lines[at + 1] == "| ---: | --- | ---: |"
    assert lines[at + 2] == "| 1-2 | one | 1.23 |"
    assert lines[at + 3].startswith(r"| - | a\|b\*c\_d&lt;/td&gt;")
    assert lines[at + 3].endswith("| - |")


def test_markdown_makes_no_link_of_a_name() -> None:
    """GitHub makes links of addresses even without brackets."""
    text = escaped("[x](y) https://example.org www.example.org a@example.org")
    assert not [each for each in ("[x](", "https://", "www.", "a@e") if each in text]


def test_latex_has_a_rule_between_groups_and_dashes_in_places() -> None:
    """`1-2` is a range of numbers."""
    text = written("latex")
    assert "1--2 & one & 1.23 \\\\\n\\midrule\n- &" in text
    assert r"\begin{tabular}{rlr}" in text


def test_html_is_one_well_formed_file() -> None:
    """It refers to no other file, and its rows are those of the table."""
    text = written("html")
    assert not [each for each in ("src=", "href=") if each in text]
    table = text[text.index("<table") : text.index("</table>") + len("</table>")]
    rows = ET.fromstring(table).findall("tbody/tr")  # noqa: S314 - our own
    assert [cell.text for cell in rows[0]] == ["1-2", "one", "1.23"]


def test_json_has_numbers_and_csv_what_all_rows_share() -> None:
    """Values are not rounded for programs; a formula is text in CSV alone."""
    document = json.loads(written("json"))
    assert (document["kind"], document["notes"]) == ("a test", ["above", "below"])
    (table,) = document["tables"]
    assert (table["size"], table["unit"]) == (8, "cycles/byte")
    assert table["rows"][0] == {
        "place": [1, 2], "name": "one", "cycles": 1.23456, "hidden": "h"
    }  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(written("csv"))))
    assert [line["place"] for line in lines] == ["1-2", ""]
    assert lines[1]["hidden"] == "'=1+1"


@pytest.fixture(params=["ciphers", "operations"])
def folder(
    request: pytest.FixtureRequest, store: Store, results: Results, tmp_path: Path
) -> tuple[Path, str]:
    """Give a results folder of each kind, and a name that its tables have."""
    assert results.cells
    store.close()
    if request.param == "ciphers":
        return store.path.parent, "HC-128"
    path = tmp_path / "operations"
    path.mkdir()
    with Store.create(path) as other:
        runs = [Run(hash_lines(), "run")]
        ImportedRecords(other).put(PublishedFile("digest", "data", "now"), runs)
    return path, "sha512"


@pytest.mark.parametrize("form", FORMS)
def test_show_writes_every_kind_of_folder_in_every_format(
    folder: tuple[Path, str], form: str
) -> None:
    """A contest as well as ciphers, by the folder alone."""
    path, name = folder
    done = CliRunner().invoke(show.command, ["--results", str(path), "--format", form])
    assert done.exit_code == 0, done.output
    assert name in done.stdout or (form == "csv" and name.lower() in done.stdout)


@pytest.mark.parametrize("form", ["csv", "json", "latex", "markdown"])
def test_a_format_has_a_short_spelling(folder: tuple[Path, str], form: str) -> None:
    """`--csv` is `--format csv`; the folder may be named without an option."""
    short = CliRunner().invoke(show.command, [str(folder[0]), f"--{form}"])
    long = CliRunner().invoke(show.command, ["--results", str(folder[0]), "--format", form])
    assert (short.exit_code, short.stdout) == (0, long.stdout)


def test_a_folder_of_ciphers_and_operations_shows_both(
    store: Store, campaigner: Campaigner
) -> None:
    """In every format; in CSV the column `kind` tells them apart."""
    campaigner.cell(campaigner.package("salsa20/ref"))
    whose = replace(make_package("crypto_hash/sha512/ref"), kind=PackageKind.OPERATION)
    store.put_package(whose)
    ImportedRecords(store).put(PublishedFile("digest", "data", "now"), [Run(hash_lines(), "run")])
    folder = str(store.path.parent)
    store.close()
    for form in FORMS:
        text = CliRunner().invoke(show.command, [folder, "--format", form]).stdout
        assert "salsa20" in text.lower()
        assert "sha512" in text
    lines = list(
        csv.DictReader(io.StringIO(CliRunner().invoke(show.command, [folder, "--csv"]).stdout))
    )
    kinds = {(line["kind"], line["primitive"]) for line in lines}
    assert {("stream", "SALSA20"), ("operation", "sha512")} <= kinds
    assert {line["kind"] for line in lines} == {"stream", "operation"}
    assert all(line["stream/long"] or line["median"] for line in lines)
    assert all(line["unit"] and line["direction"] for line in lines)


def test_the_row_of_every_cipher_is_in_json(store: Store, campaigner: Campaigner) -> None:
    """As in the table for readers, with the numbers, beside all that is known of cells."""
    campaigner.cell(campaigner.package("salsa20/ref"), speed=4.0)
    store.close()
    done = CliRunner().invoke(show.command, [str(store.path.parent), "--json"])
    document = json.loads(done.stdout)
    (table,) = document["tables"]
    assert [row["package"] for row in table["rows"]] == ["salsa20/ref"]
    assert table["rows"][0]["stream/long"] == pytest.approx(5.0, rel=0.1)
    assert [cell["package"] for cell in document["cells"]] == ["salsa20/ref"]
