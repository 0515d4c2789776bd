# SPDX-License-Identifier: MIT
"""What pages say, of a fake campaign of ciphers, hashes and imported operations."""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree as ET

from msgspec.structs import replace
from tests.unit.report.conftest import MACHINE, Campaigner
from tests.unit.report.operations.conftest import OWN, PUBLISHED, hash_lines
from tests.unit.site.conftest import made
from tests.unit.site.generated import store_of

from assay.model import Campaign
from assay.model.supercop import Run
from assay.report.curves import Choice
from assay.report.results import results_report
from assay.site.charts import charts
from assay.store import Store
from assay.store.published import ImportedRecords, PublishedFile
from assay.summary.rows import Detail

ATOM = "{http://www.w3.org/2005/Atom}"


def text_of(site: Path, path: str) -> str:
    """Read a page."""
    return (site / path).read_text("utf-8")


def names(figure: str) -> list[str]:
    """Return the names beside the points of a picture, from top to bottom."""
    return re.findall(r'</span><a href="[^"]*">([^<]*?) ?<', figure)


def places(figure: str) -> list[str]:
    """Return what stands before them."""
    return re.findall(r'class="where">([^<]*)<', figure)


def test_the_first_page_ranks_primitives_the_fastest_first(site: Path) -> None:
    """Each stands once, with its fastest sound configuration; benchmarks are marked."""
    page = text_of(site, "index.html")
    assert names(page) == ["hc-128", "salsa20", "aes-ctr"]
    assert re.findall(r'<li class="row( benchmark)?"', page) == ["", "", " benchmark"]
    assert "stream ciphers" in page


def test_a_cipher_has_the_howtos_columns(site: Path) -> None:
    """The table of all measures has them in the original's order."""
    page = text_of(site, "operations/stream/index.html")
    table = page.partition("All measures on")[2]
    headings = re.findall(r'<th scope="col"[^>]*>([^<]*)', table)[:10]
    assert headings == ["Primitive", "Stream", "40 bytes", "576 bytes", "1500 bytes", "Imix",
                        "Agility", "Key setup", "IV setup", "Unit"]  # fmt: skip


def test_a_wrong_package_is_not_ranked_but_shown_with_the_reason(site: Path) -> None:
    """The fastest of all fails a check: its page says why, and no picture has it."""
    assert (
        "alert" not in text_of(site, "operations/stream/index.html").partition("All machines")[0]
    )
    failing = list((site / "primitives/stream").glob("*script*/index.html"))
    assert len(failing) == 1
    page = failing[0].read_text("utf-8")
    assert "context/interleaved: calls with another context" in page
    versions = [one.read_text("utf-8") for one in site.glob("versions/*/index.html")]
    assert sum("Move static variables" in one for one in versions) == 2


def test_a_version_has_every_configuration_message_and_command(site: Path) -> None:
    """Verdicts with reasons, what the compiler said, how to repeat and how to cite it."""
    (page,) = (one for one in site.glob("versions/*/index.html")
               if "<h1>salsa20/ref" in one.read_text("utf-8"))  # fmt: skip
    text = page.read_text("utf-8")
    assert text.count("assay run salsa20/ref --conf ") == 4
    assert "gcc-12 knows no -O9" in text
    assert "warning: x" in text
    assert "unknown type name" in text
    cite = (page.parent / "cite.bib").read_text()
    assert "2026-11-21" in cite
    assert "Example CPU at 2.4 GHz" in cite
    assert "cff-version" in (page.parent / "CITATION.cff").read_text()


def test_hashes_have_pages_of_their_own(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """Cycles per byte of hashes and ciphers are in no picture together."""
    campaigner.cell(campaigner.package("salsa20/ref"), speed=4.0)
    campaigner.cell(campaigner.hash("sha256/portable"), speed=8.0)
    campaigner.cell(campaigner.hash("blake2s/portable"), speed=6.0)
    made([store.path.parent], tmp_path / "site")
    page = text_of(tmp_path / "site", "operations/hash/index.html")
    assert names(page) == ["blake2s", "sha256"]
    # 8 ticks of 1.25 cycles for each byte and 200 more, over 8192 bytes, at the middle launch.
    assert f'data-v="{8 * 1.25 * (8192 + 200) / 8192 * 1.004:.6g}"'[:14] in page
    assert "salsa20" not in page


def test_nobody_is_called_first_where_one_is_not_settled(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """A faster package with one launch leaves the places open, and the cure is named."""
    campaigner.cell(campaigner.package("salsa20/slow"), speed=6.0, launches=8)
    campaigner.cell(campaigner.package("salsa20/fast"), speed=3.0, launches=1)
    made([store.path.parent], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/stream/salsa20/index.html")
    assert places(page) == ["", ""]
    assert "No places: too few launches of salsa20/fast" in page
    assert "which is faster is not settled" in page


def test_a_configuration_of_one_launch_stands_for_no_implementation_that_has_others(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """It may be lucky, and would leave all others without a place; `assay show` has them, too."""
    for name, speed in (("slow", 6.0), ("fast", 3.0)):
        campaigner.cell(campaigner.package(f"salsa20/{name}"), speed=speed, launches=8)
    campaigner.cell(campaigner.package("salsa20/fast"), "-O1", speed=2.0, launches=1)
    made([store.path.parent], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/stream/salsa20/index.html")
    assert places(page) == ["1", "2"]
    assert "gcc-12_default_O1" not in page


def test_rows_that_are_not_separated_share_a_place(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """Two of equal speed are first together, in one block, and the slower one is third."""
    for name, speed in (("a", 4.0), ("b", 4.001), ("c", 9.0)):
        campaigner.cell(campaigner.package(f"salsa20/{name}"), speed=speed, launches=8)
    made([store.path.parent], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/stream/salsa20/index.html")
    assert places(page) == ["1-2", "1-2", "3"]
    assert page.count('<ol class="block">') == 2
    assert "salsa20/a, salsa20/b share the first place" in page


def test_imported_results_stand_beside_ones_own(tmp_path: Path) -> None:
    """Two machines of database lines: a hash's page has both, and what failed on them."""
    folder = tmp_path / "results"
    with Store.create(folder) as store:
        lines = (*hash_lines(PUBLISHED), *hash_lines(OWN, 1.25, "ticks"))
        ImportedRecords(store).put(PublishedFile("d", "data", "now"), [Run(lines, "run")])
    made([folder], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/crypto_hash/blake2b/index.html")
    assert {"vm", "bench"} <= set(re.findall(r">(vm|bench)</a>", page))
    assert "error 132" in page
    assert "imported" in page


def test_data_has_every_figure_and_keeps_formulas_text(site: Path) -> None:
    """CSV and JSON of a primitive agree; the feed is Atom with the newest first."""
    rows = list(csv.DictReader(io.StringIO(text_of(site, "primitives/stream/salsa20/data.csv"))))
    document = json.loads(text_of(site, "primitives/stream/salsa20/data.json"))
    figures = [figure for one in document["results"] for figure in one["figures"]]
    assert len(rows) == len(figures) == 21
    assert {row["unit"] for row in rows} == {"cycles/byte", "cycles/setup"}
    feed = ET.fromstring(text_of(site, "feed.xml"))  # noqa: S314 - our own
    updated = [one.text for one in feed.iter(f"{ATOM}updated")]
    assert updated[1:] == sorted(updated[1:], key=str, reverse=True)
    assert len(updated) > 2


def test_steps_of_a_history_say_what_else_changed(
    tmp_path: Path, store: Store, campaigner: Campaigner
) -> None:
    """The same code is 20 % slower with another kernel: a step, and the kernel beside it."""
    store.put_machine(MACHINE)
    campaigner.cell(campaigner.package("salsa20/ref"), speed=4.0, launches=8)
    later = tmp_path / "later"
    with Store.create(later) as other:
        other.put_machine(replace(MACHINE, kernel="6.9.0"))
        again = Campaigner(other)
        again.seed = 30
        again.cell(again.package("salsa20/ref"), speed=4.8, launches=8)
    made([store.path.parent, later], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/stream/salsa20/history.html")
    assert "20.0 % slower" in page
    assert "kernel: 6.1.0 to 6.9.0" in page
    assert "possibly of the environment" in page


def test_what_was_checked_and_not_measured_yet_is_said_and_found(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """A campaign that was interrupted has verdicts, and pages that lead to them."""
    store.put_machine(MACHINE)
    campaigner.cell(campaigner.package("salsa20/ref"), launches=0)
    made([store.path.parent], tmp_path / "site")
    assert "1 primitive on 1 machine. " in text_of(tmp_path / "site", "index.html")
    assert "No figures yet" in text_of(tmp_path / "site", "index.html")
    page = text_of(tmp_path / "site", "primitives/stream/salsa20/index.html")
    (link,) = re.findall(r'Verdicts: <a href="([^"]*)">salsa20/ref</a>', page)
    assert (tmp_path / "site/primitives/stream/salsa20" / link).is_file()


def test_results_from_the_future_and_campaigns_without_an_end_are_said(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """Whoever reads the first page knows that a clock is wrong, and that results may follow."""
    store.put_machine(MACHINE)
    campaigner.cell(campaigner.package("salsa20/ref"), launches=6)
    store.start_campaign(Campaign(("run", "salsa20"), "2026-11-21T10:00:00+00:00", None))
    with closing(sqlite3.connect(store.path)) as file:
        file.execute("UPDATE launch SET record = replace(record, '2026-', '2999-')")
        file.commit()
    made([store.path.parent], tmp_path / "site")
    page = text_of(tmp_path / "site", "index.html")
    assert "bench: results are dated 2999-11-21, in the future: a clock is wrong." in page
    assert "the campaign that began 2026-11-21 10:00 has not ended" in page


def test_an_operation_that_the_first_machine_lacks_is_shown_of_another(
    tmp_path: Path, store: Store, campaigner: Campaigner
) -> None:
    """The first page answers for every operation, and names the machine."""
    store.put_machine(MACHINE)
    for name in ("salsa20/ref", "hc-128/ref"):
        campaigner.cell(campaigner.package(name), speed=4.0)
    with Store.create(tmp_path / "other") as other:
        other.put_machine(replace(MACHINE, host="board", cpu="Other CPU"))
        again = Campaigner(other)
        again.cell(again.hash("sha256/portable"), speed=8.0)
    made([store.path.parent, tmp_path / "other"], tmp_path / "site")
    page = text_of(tmp_path / "site", "index.html")
    assert names(page) == ["sha256", "hc-128", "salsa20"]
    assert ">board</a>: bench has no results of it." in page


def test_how_much_slower_is_said_in_words_that_can_be_read(
    store: Store, campaigner: Campaigner, tmp_path: Path
) -> None:
    """No exponents, and no per cent of a dozen times; sizes that differ are in no caption."""
    campaigner.cell(campaigner.package("salsa20/ref"), speed=4.0, launches=8)
    campaigner.cell(campaigner.package("salsa20/slow"), speed=60.0, launches=8)
    made([store.path.parent], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/stream/salsa20/index.html")
    assert "salsa20/ref is the fastest: 5.28 cycles/byte, 93.3 % (" in page
    found = [
        {"what": f"a long stream, {bits}-bit key", "value": 1.0, "low": 1.0, "high": 1.0,
         "place": "", "unit": "u", "benchmark": bits == 80, "disturbed": False}
        for bits in (80, 256)
    ]  # fmt: skip
    (chart,) = charts(found)
    assert (chart["what"], chart["benchmarks"], chart["disturbed"]) == ("a long stream", True, 0)


def test_a_primitive_is_decided_at_the_length_that_show_decides_it_at(tmp_path: Path) -> None:
    """Of those that were measured at 576 bytes and more the figure at 576 bytes ranks."""
    folder = tmp_path / "results"
    store_of(folder, 10)
    with Store.open(folder, read_only=True) as store:
        asked = Choice(operation="crypto_hash", primitive="hash000", detail=Detail.PACKAGES)
        lead = results_report(store, asked).tables[0].lead
    made([folder], tmp_path / "site")
    page = text_of(tmp_path / "site", "primitives/crypto_hash/hash000/index.html")
    answer = next(line for line in page.split("\n") if 'class="answer"' in line)
    assert "576 bytes" in lead
    assert "576 bytes" in answer
