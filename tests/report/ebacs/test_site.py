# SPDX-License-Identifier: MIT
"""The site: what stands on its pages, and how large it is."""

import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.report.ebacs.conftest import (
    BENCH,
    CLANG,
    HOSTILE,
    MACHINE,
    PUBLISHED,
    hashes,
    hostile,
    measured,
    subject,
)

from assay.model.supercop import Attempt
from assay.report.canaries import Health
from assay.report.ebacs.graph import graphs, thinned
from assay.report.ebacs.options import candidates, compilers, reasons
from assay.report.ebacs.quantities import Part, quantities
from assay.report.ebacs.records import BenchMachine, Records
from assay.report.ebacs.site import file_name, write_site
from assay.report.ebacs.views import curves_of
from assay.report.pictures import curves

MOST_BYTES = 600_000  # "a few hundred kilobytes" for one operation with all its lengths
UPLOT_SHA256 = "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f"


class Links(HTMLParser):
    """Collects addresses and identifiers of a page, and the texts of its elements."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.addresses: list[str] = []
        self.names: set[str] = set()
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what leads elsewhere."""
        self.tags.append(tag)
        for name, value in attrs:
            if name in {"href", "src"}:
                self.addresses.append(value or "")
            if name == "id":
                self.names.add(value or "")


@pytest.fixture
def site(tmp_path: Path, everything: Records) -> Path:
    """Write the site with everything in it."""
    write_site(tmp_path / "site", everything, [BENCH])
    return tmp_path / "site"


def pages(site: Path) -> dict[Path, str]:
    """Read all pages."""
    return {path: path.read_text() for path in site.rglob("*.html")}


def test_every_link_leads_to_something_inside(site: Path) -> None:
    """Nothing is fetched from outside; what is linked exists, down to the anchor."""
    parsed = {path: Links(text) for path, text in pages(site).items()}
    assert len(parsed) > 20
    for path, links in parsed.items():
        for address in links.addresses:
            parts = urlsplit(address)
            assert (parts.scheme, parts.netloc) == ("", "")
            target = (path.parent / unquote(parts.path)) if parts.path else path
            assert target.is_file(), address
            if parts.fragment:
                assert parts.fragment in parsed[target].names, address


def test_hostile_names_make_no_elements(site: Path) -> None:
    """Neither in tables nor in the graph's data; and every name is there to be read."""
    for path, text in pages(site).items():
        assert "<img" not in text, path
        assert Links(text).tags.count("script") <= 4
    text = (site / "crypto_hash" / "index.html").read_text()
    assert "&lt;/script&gt;&lt;img" in text
    data = re.search(r'id="graph-data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    found = json.loads(data[1])
    assert f"T:{HOSTILE}" in {one["name"] for each in found for one in each["series"]}


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    """Operations and primitives are strangers' words, and become files."""
    whose = replace(subject("crypto_hash", "x/ref"), primitive="../../../evil")
    one = measured(whose, "cycles", 576, 1000)
    write_site(tmp_path / "a" / "b" / "site", Records.of((one,)))
    assert {path.name for path in tmp_path.iterdir()} == {"a"}
    assert {path.name for path in (tmp_path / "a" / "b").iterdir()} == {"site"}


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-x", "a b", "x" * 200, "é"])
def test_a_strange_name_becomes_a_digest(name: str) -> None:
    """Different names give different files."""
    assert re.fullmatch("name-[0-9a-f]{16}", file_name(name))
    assert file_name(name) != file_name(f"{name}?")


def test_plain_names_are_kept() -> None:
    """They are what people look for."""
    names = ["sha256", "aes128gcmv1", "ascon128v12"]
    assert [file_name(name) for name in names] == names


def test_every_page_says_which_way_is_better(site: Path) -> None:
    """Whatever has a figure on it."""
    for path, text in pages(site).items():
        if "primitive-" not in path.name or "Score" in text:
            assert "lower is better" in text.lower(), path


def test_every_size_has_its_table(site: Path) -> None:
    """Those of the records, and the extrapolation."""
    text = (site / "crypto_stream" / "index.html").read_text()
    for size in ("8 bytes", "64 bytes", "576 bytes", "1536 bytes", "4096 bytes", "long messages"):
        assert f"encrypt, {size}: cycles/byte, lower is better" in text


def test_associated_data_has_pages_of_its_own(site: Path) -> None:
    """Three calls in three ways."""
    names = {path.name for path in (site / "crypto_aead").glob("*cycles*.html")}
    expected = {
        f"{key}_cycles-{part}.html"
        for key in ("encrypt", "decrypt", "forgery_decrypt")
        for part in ("message", "ad", "both")
    }
    assert names == expected - {"encrypt_cycles-message.html"}


def test_the_licence_of_uplot_comes_along(site: Path) -> None:
    """It asks for that; the script is the published one, as `npm pack uplot@1.6.32` gives it."""
    assert "Leon Sorokin" in (site / "uPlot.LICENSE").read_text()
    assert hashlib.sha256((site / "uPlot.iife.min.js").read_bytes()).hexdigest() == UPLOT_SHA256


def test_best_options_mark_the_winner_and_give_reasons() -> None:
    """Two configurations of one implementation, one of another, one that crashed."""
    records = hashes()
    slower = subject("crypto_hash", "blake2b/regs")
    records += Records(attempts=(Attempt(PUBLISHED, slower, "unknown", score=9000.0),))
    numbers = compilers(records)
    found = candidates(records, "blake2b", numbers)
    assert [(one.name, one.passed, len(one.tries), one.won) for one in found] == [
        ("regs", 2, 2, True),
        ("avx2-1", 0, 1, False),
        ("moon/xop/64", 0, 1, False),
    ]
    assert [each.won for each in found[0].tries] == [True, False]
    assert numbers[CLANG] == found[0].tries[0].compiler
    assert found[0].size == (2000, 16, 8)
    assert found[0].score == 4136
    assert found[1].score is None
    assert [one.tries[0].reason for one in found[1:]] == ["checksums 1111 2222", "error 132"]


def test_each_league_has_a_winner() -> None:
    """A slower one that does not leak timings wins its own."""
    safe = subject("crypto_hash", "x/safe")
    fast = subject("crypto_hash", "x/fast", leaks=True)
    attempts = (Attempt(PUBLISHED, safe, "ok", score=20), Attempt(PUBLISHED, fast, "ok", score=10))
    records = Records(attempts=attempts)
    found = candidates(records, "x", compilers(records))
    assert [(one.name, one.won) for one in found] == [("T:fast", True), ("safe", True)]


def test_reasons_are_counted_by_their_first_line() -> None:
    """Compilers say much, and always something else in the second."""
    whose = subject("crypto_hash", "x/ref")
    said = ("no header\nin a.c", "no header\nin b.c", "error 132")
    attempts = [Attempt(PUBLISHED, whose, "tryfails", reason=text) for text in said]
    assert reasons(attempts) == (("tryfails", "no header", 2), ("tryfails", "error 132", 1))


def test_the_machine_page_has_the_machine_and_its_verdicts(tmp_path: Path) -> None:
    """A published machine has facts; one's own has what Assay found out."""
    own = hashes(replace(PUBLISHED, machine="bench", version="assay-0.1.0"))
    bench = BenchMachine("bench", MACHINE, Health((), (), ()))
    write_site(tmp_path, hashes() + own, [bench])
    texts = [(tmp_path / f"machine-{i}.html").read_text() for i in (1, 2)]
    assert "Example CPU at 2.4 GHz" in texts[0]
    assert "Nothing was launched yet." in texts[0]
    assert "Example CPU at 2.4 GHz" not in texts[1]
    assert "GenuineExample CPU" in texts[1]
    for text in texts:
        assert re.search(r">5</td><td>ok<", text)
        assert re.search(r">1</td><td>tryfails</td><td class=\"text\">error 132<", text)


def test_a_published_machine_of_the_same_name_is_not_ones_own(tmp_path: Path) -> None:
    """Names are chosen freely; the version tells who measured."""
    write_site(tmp_path, hashes(), [replace(BENCH, name="vm")])
    assert "2.4 GHz" not in (tmp_path / "machine-1.html").read_text()


def test_lengths_are_thinned_evenly_with_both_ends_and_the_tables() -> None:
    """All of them where they are few."""
    assert thinned(range(5), 10) == (0, 1, 2, 3, 4)
    assert thinned(range(4097), 5, (8, 576, 9999)) == (0, 8, 576, 1024, 2048, 3072, 4096)


def test_the_graph_holds_medians_and_distances_of_quartiles() -> None:
    """One series for each primitive and league, of the implementation in the table."""
    (quantity,) = quantities("crypto_hash")
    (chart,) = graphs(curves_of(hashes().series), quantity, Part.MESSAGE)
    graph = curves(chart)
    assert graph["x"] == [576, 1536, 4096]
    names = [(one["name"], one["implementation"]) for one in graph["series"]]
    assert names == [
        ("sha256", "ref"),
        ("blake2b", "regs"),
        ("sha512", "ref"),
        ("T:md5", "openssl"),
    ]
    first = graph["series"][0]
    assert (first["m"], first["lo"], first["hi"]) == (
        [975, 2427, 6058],
        [9.8, 24.3, 60.6],
        [9.8, 24.3, 60.6],
    )


def test_a_length_that_was_not_measured_is_a_gap() -> None:
    """Not a zero."""
    records = hashes() + Records.of(
        (measured(subject("crypto_hash", "sha256/ref"), "cycles", 64, 9),)
    )
    (quantity,) = quantities("crypto_hash")
    (chart,) = graphs(curves_of(records.series), quantity, Part.MESSAGE)
    graph = curves(chart)
    assert [one["m"][0] for one in graph["series"]] == [9, None, None, None]


def test_one_operation_with_all_lengths_is_a_few_hundred_kilobytes(tmp_path: Path) -> None:
    """Twelve primitives with every length up to 4096, and 18 tries of each."""
    found: list[Attempt] = []
    points = []
    for number in range(12):
        for name in ("ref", "fast"):
            for level in range(9):
                whose = subject("crypto_hash", f"hash{number}/{name}", f"gcc -O{level} -fwrapv")
                found.append(Attempt(PUBLISHED, whose, "ok", "ab" * 32, "cd" * 32, 9000.0 + level))
        whose = subject("crypto_hash", f"hash{number}/ref", "gcc -O0 -fwrapv")
        points += [
            measured(whose, "cycles", size, 300 + (7 + number) * size) for size in range(4097)
        ]
    write_site(tmp_path / "site", Records.of((*points, *found)))
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


def test_nothing_measured_is_a_page_that_says_so(tmp_path: Path) -> None:
    """Not an error."""
    index = write_site(tmp_path, Records())
    assert "Nothing has been measured yet." in index.read_text()


def test_only_failures_are_a_page_too(tmp_path: Path) -> None:
    """What was tried is told, though there is nothing to rank."""
    attempts = tuple(one for one in hostile().attempts if one.outcome == "tryfails")
    write_site(tmp_path, Records(attempts=attempts))
    assert "Nothing has been measured yet." in (tmp_path / "crypto_hash/index.html").read_text()
