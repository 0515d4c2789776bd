# SPDX-License-Identifier: MIT
"""Hashes that a campaign measured: their pages, and their lines beside those of other kinds."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.report.conftest import FAILED, MACHINE, Campaigner
from tests.report.ebacs.conftest import hash_lines

from assay.cli import collect, show
from assay.model.supercop import Run
from assay.store import Store
from assay.store.published import ImportedRecords, PublishedFile


@pytest.fixture
def folder(store: Store, campaigner: Campaigner) -> Path:
    """Give a results folder with a cipher, two sound hashes and one that fails a check."""
    store.put_machine(MACHINE)
    campaigner.cell(campaigner.package("salsa20/ref"), speed=4.0)
    sha = campaigner.hash("sha256/portable")
    campaigner.cell(sha, speed=8.0)
    campaigner.cell(sha, "-O2", speed=9.0)
    campaigner.cell(campaigner.hash("blake2s/portable"), speed=6.0)
    campaigner.cell(campaigner.hash("wrong/portable"), speed=1.0, checks=(FAILED,))
    store.close()
    return store.path.parent


def pages(folder: Path) -> Path:
    """Write the pages of a folder and give where they are."""
    done = CliRunner().invoke(collect.command, [str(folder), "--no-update"])
    assert done.exit_code == 0, done.output
    return Path(done.stdout.strip()).parent


def section(page: str, heading: str) -> str:
    """Return what stands below a heading."""
    return page.partition(f"<h2>{heading}</h2>")[2].partition("</section>")[0]


def test_the_first_page_ranks_hashes_apart_from_ciphers(folder: Path) -> None:
    """Cycles per byte and cycles per hash are in no table with a cipher's."""
    page = (pages(folder) / "index.html").read_text()
    ranking = section(page, "Ranking of hashes")
    assert "long: cycles/byte; 32 bytes: cycles/hash." in ranking
    assert ranking.index("blake2s") < ranking.index("sha256")
    assert "salsa20" not in ranking.lower()
    # 8 ticks of 1.25 cycles for each byte and 200 more, over 8192 bytes.
    assert f">{8 * 1.25 * (8192 + 200) / 8192 * 1.004:.2f}<" in ranking
    assert "wrong" not in ranking
    below = page.partition('id="not-ranked"')[2]
    assert "wrong/portable" in below
    assert "Move static variables" in below


def test_a_hash_has_a_page_with_quartiles_bars_and_checks(folder: Path) -> None:
    """As a cipher has; what it does not have is left out."""
    page = (pages(folder) / "submissions/sha256/portable/index.html").read_text()
    table = section(page, "All configurations")
    assert table.count('<svg class="bar"') == 2
    assert "Quartiles of long" in table
    assert "<small" in table
    assert "vectors/verified" in page
    assert "A context takes 108 bytes." in page
    assert "profile" not in page
    assert "Key setup" not in page


def test_one_csv_has_the_figures_of_every_kind(folder: Path) -> None:
    """`kind` tells them apart, and each line has its unit: the same file lies beside pages."""
    text = CliRunner().invoke(show.command, [str(folder), "--csv", "--all"]).stdout
    lines = list(csv.DictReader(io.StringIO(text)))
    assert {line["kind"] for line in lines} == {"stream", "hash"}
    units = {line["measure"]: line["unit"] for line in lines if line["kind"] == "hash"}
    assert units == {"long/256": "cycles/byte", "short/256": "cycles/hash"}
    assert {line["key_bits"] for line in lines if line["kind"] == "hash"} == {""}
    assert (pages(folder) / "results.csv").read_text() == text


def test_json_describes_the_cells_of_every_kind(folder: Path) -> None:
    """Each cell once, and a table for each kind."""
    text = CliRunner().invoke(show.command, [str(folder), "--json"]).stdout
    document = json.loads(text)
    packages = [cell["package"] for cell in document["cells"]]
    assert sorted(packages) == [
        "blake2s/portable", "salsa20/ref", "sha256/portable", "sha256/portable", "wrong/portable",
    ]  # fmt: skip
    assert [table["kind"] for table in document["tables"]] == ["stream", "hash"]


def test_pages_lead_to_those_of_operations(folder: Path) -> None:
    """Where the folder has results of any; the link is on the page of a package, too."""
    assert "Operations" not in (pages(folder) / "index.html").read_text()
    with Store.open(folder) as store:
        runs = [Run(hash_lines(), "run")]
        ImportedRecords(store).put(PublishedFile("digest", "data", "now"), runs)
    done = CliRunner().invoke(collect.command, [str(folder), "--no-update"])
    assert done.exit_code == 0, done.output
    for path, link in (
        ("index.html", "ebacs/index.html"),
        ("submissions/sha256/portable/index.html", "../../../ebacs/index.html"),
    ):
        assert f'<a href="{link}">Operations</a>' in (folder / path).read_text()
        assert (folder / path).parent.joinpath(link).is_file()


def test_a_table_is_not_headed_by_the_words_that_there_is_none(
    store: Store, campaigner: Campaigner
) -> None:
    """The cipher of the folder does not build; its hash was measured."""
    campaigner.broken_build(campaigner.package("salsa20/ref"), "gcc-12 knows no -O9")
    campaigner.cell(campaigner.hash("sha256/portable"), speed=8.0)
    store.close()
    text = CliRunner().invoke(show.command, [str(store.path.parent)]).stdout
    assert "sha256" in text
    assert "gcc-12 knows no -O9" in text
    assert "Nothing has been measured yet." not in text
