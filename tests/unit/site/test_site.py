# SPDX-License-Identifier: MIT
"""The site of generated results: links, bytes, strangers' names, and what is made anew."""

import re
import shutil
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
from msgspec.structs import replace
from tests.unit.site.conftest import made
from tests.unit.site.generated import CONFIGURATION, MACHINE, package, store_of, stores

from assay.cli.site import PageLink
from assay.errors import UsageError
from assay.model import BuildStage, CheckResult, Verdict
from assay.model.work import Build, Cell
from assay.site import index
from assay.site.build import build_site
from assay.site.cells import SiteCell, SiteFigure
from assay.site.figures import leading
from assay.site.index import Shard, cells_at, known_shard, shard_of
from assay.site.names import slug
from assay.site.writer import read_manifest
from assay.stats import comparison
from assay.store import FILE_NAME, Store

HOSTILE = '"><script>alert(1)</script>\u202e=cmd'


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Give the stores of two machines at two times, with eleven packages each."""
    return stores(tmp_path / "stores", 11, 2, 2)


def contents(to: Path) -> dict[str, bytes]:
    """Read all files of a site."""
    return {str(one.relative_to(to)): one.read_bytes() for one in to.rglob("*") if one.is_file()}


class Links(HTMLParser):
    """Gathers addresses and identities of a page, and what a policy would refuse."""

    def __init__(self) -> None:
        """Start with nothing."""
        super().__init__()
        self.found: list[str] = []
        self.names: set[str] = set()
        self.refused: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what a tag refers to."""
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.found.append(value)
            if name == "id" and value:
                self.names.add(value)
            if name == "style" or name.startswith("on"):
                self.refused.append(f"{tag} {name}")
        kinds = dict(attrs)
        if tag == "style" or (tag == "script" and not kinds.get("src") and "type" not in kinds):
            self.refused.append(tag)


def links_of(text: str) -> Links:
    """Read a page."""
    found = Links()
    found.feed(text)
    return found


def test_every_link_leads_to_a_page_and_an_anchor_of_the_site(
    folders: list[Path], tmp_path: Path
) -> None:
    """Links are relative, none leads out, and no page has a style or script of its own."""
    to = tmp_path / "site"
    made(folders, to)
    pages = {one: links_of(one.read_text("utf-8")) for one in to.rglob("*.html")}
    assert len(pages) > 20
    for page, links in pages.items():
        assert links.refused == []
        for link in links.found:
            parts = urlsplit(link)
            assert not parts.scheme
            assert not parts.netloc
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), f"{page}: {link}"
            assert target.is_relative_to(to)
            if parts.fragment:
                assert parts.fragment in pages[target].names, f"{page}: {link}"


def test_the_same_results_give_the_same_bytes(folders: list[Path], tmp_path: Path) -> None:
    """Two sites of the same folders are equal, file by file."""
    made(folders, tmp_path / "one")
    made(folders, tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_pages_whose_results_did_not_change_are_not_written_again(
    folders: list[Path], tmp_path: Path
) -> None:
    """A new failure of one primitive makes its pages anew, and the others keep their moment."""
    to = tmp_path / "site"
    made(folders, to)
    before = {one: one.stat().st_mtime_ns for one in to.rglob("*") if one.is_file()}
    assert made(folders, to).renewed == 0
    with Store.create(folders[1]) as store:
        one = package(10, 10)  # the only implementation of its primitive
        cell = Cell(one.selector, 1, CONFIGURATION.name)
        store.put_build(
            Build(cell, BuildStage.COMPILE, None, None, "", "gcc", "bubblewrap", 0.1, "no u64"),
            one, CONFIGURATION, "another harness")  # fmt: skip
    found = made(folders, to)
    renewed = {one.relative_to(to).parts[0] for one in before
               if one.exists() and one.stat().st_mtime_ns != before[one]}  # fmt: skip
    assert 0 < found.renewed < len(before) / 2
    assert "no u64" in (to / "primitives/crypto_aead/aead001/index.html").read_text("utf-8")
    kept = to / "primitives/crypto_hash/hash000/index.html"
    assert kept.stat().st_mtime_ns == before[kept]
    assert "versions" in renewed


def test_pages_of_results_that_are_gone_are_removed(folders: list[Path], tmp_path: Path) -> None:
    """What was made before and is no more is removed, and nothing else is."""
    to = tmp_path / "site"
    made(folders, to)
    (to / "mine.txt").write_text("kept")
    machines = len(list((to / "machines").glob("machine-*")))
    made(folders[:2], to)
    pages = list((to / "machines").glob("machine-*/index.html"))
    assert (machines, len(pages)) == (2, 1)
    assert (to / "mine.txt").read_text() == "kept"


def test_names_of_strangers_stay_text_and_lead_nowhere_else(tmp_path: Path) -> None:
    """Markup, formulas and ways out in names and messages do nothing, and each has its page."""
    folder, to = tmp_path / "results", tmp_path / "site"
    store_of(folder, 1)
    with Store.create(folder) as store:
        store.put_machine(replace(MACHINE, host=HOSTILE, cpu=HOSTILE))
        for number, name in enumerate((HOSTILE, "../../up", "AES", "aes", ".", "-")):
            one = package(number, 10)
            one = replace(one, primitive=name, implementation=name, content_hash=f"../{name}",
                          selector=f"crypto_hash/{name}/{name}", place=f"p{number}")  # fmt: skip
            cell = Cell(one.selector, 1, CONFIGURATION.name)
            failed = Build(cell, BuildStage.COMPILE, None, None, f"{HOSTILE}\x1b[2J", HOSTILE,
                           "bubblewrap", 0.1, HOSTILE, HOSTILE)  # fmt: skip
            store.put_build(failed, one, CONFIGURATION, "harness")
    made([folder], to)
    for page in to.rglob("*"):
        if page.suffix in {".html", ".svg", ".xml"}:
            text = page.read_text("utf-8")
            assert "<script>alert" not in text
            assert "\x1b" not in text
            assert links_of(text).refused == [] or page.suffix == ".svg"
    names = [one.name for one in (to / "primitives/crypto_hash").iterdir()]
    assert len(names) == len({name.lower() for name in names}) == 7
    assert {one.name for one in tmp_path.iterdir()} == {"results", "site", "cache"}


def test_every_graph_is_there_in_both_formats_and_machines_share_some(
    folders: list[Path], tmp_path: Path
) -> None:
    """SVG and PDF; cycles and times have a point for each primitive and machine."""
    to = tmp_path / "site"
    made(folders, to)
    graphs = {one.with_suffix("") for one in to.rglob("*.svg")}
    assert {one.with_suffix("") for one in to.rglob("*.pdf")} == graphs
    shared = sorted((to / "operations/crypto_hash").glob("machines-*.svg"))
    assert len(shared) == 2
    for one in shared:
        points = re.findall(r"<title>([^<]*): [\d.]+</title></circle>", one.read_text("utf-8"))
        assert sorted(points) == ["hash000, machine-00", "hash000, machine-01"]


def test_two_machines_of_one_name_are_told_apart(folders: list[Path], tmp_path: Path) -> None:
    """Another processor under the same name is another machine, with a digest in its name."""
    for folder, cpu in zip(folders, ("one", "one", "two", "two"), strict=True):
        with Store.create(folder) as store:
            store.put_machine(replace(MACHINE, host="bench", cpu=cpu))
    made(folders, tmp_path / "site")
    text = (tmp_path / "site/machines/index.html").read_text("utf-8")
    assert len(set(re.findall(r"bench \([0-9a-f]{4}\)", text))) == 2


@pytest.mark.parametrize("damage", ["no file", "text", "cut", "other version"])
def test_a_folder_that_cannot_be_read_is_named_and_others_are_shown(
    folders: list[Path], tmp_path: Path, damage: str
) -> None:
    """One broken folder is a line; pages of the others are made, and nothing in it changes."""
    path = folders[0] / FILE_NAME
    if damage == "no file":
        path.unlink()
    elif damage == "text":
        path.write_text("no database")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    else:
        connection = sqlite3.connect(path)
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'version'")
        connection.commit()
        connection.close()
    before = path.read_bytes() if path.exists() else None
    found = made(folders, tmp_path / "site")
    assert len(found.errors) == 1
    assert str(folders[0]) in found.errors[0]
    assert found.primitives == 2
    assert (path.read_bytes() if path.exists() else None) == before


CHANGES = {
    "a launch": "UPDATE launch SET disturbed = 'a neighbour' WHERE place = '{}'",
    "a verdict": "DELETE FROM checked WHERE build IN (SELECT id FROM build WHERE place = '{}')",
    "a build": "UPDATE build SET record = replace(record, 'gcc', 'tcc') WHERE place = '{}'",
    "a package": "UPDATE package SET record = replace(record, '/i', '/j') WHERE place = '{}'",
    "a place that is gone": "DELETE FROM build WHERE place = '{}'",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_folder_that_changed_is_read_again(folders: list[Path], change: str) -> None:
    """Its index is known for as long as the folder is as it was, and no longer."""
    before = cells_of(shard_of(folders[0], "one"))
    known = known_shard(folders[0], "one")
    assert known is not None
    assert cells_of(known) == before
    assert known_shard(folders[0], "another") is None
    with Store.open(folders[0], read_only=True) as opened:
        changed = opened.cells()[0].package.place
    with closing(sqlite3.connect(folders[0] / FILE_NAME)) as file:
        assert file.execute(change.format(changed)).rowcount > 0
        file.commit()
    assert known_shard(folders[0], "one") is None
    assert cells_of(shard_of(folders[0], "one")) != before


def cells_of(shard: Shard) -> list[tuple[SiteCell, ...]]:
    """Read all blocks of an index."""
    assert not shard.error
    return [cells_at(block) for _, block in shard.blocks]


@pytest.mark.parametrize("end", [".json", ".cells"])
def test_an_index_that_was_cut_off_is_made_again(
    folders: list[Path], tmp_path: Path, end: str
) -> None:
    """What the cache lost in a crash changes nothing in the pages."""
    made(folders, tmp_path / "site")
    before = contents(tmp_path / "site")
    for one in (tmp_path / "cache").rglob(f"*{end}"):
        if "made" not in one.name:
            one.write_bytes(one.read_bytes()[:100])
    shutil.rmtree(tmp_path / "site")
    made(folders, tmp_path / "site")
    assert contents(tmp_path / "site") == before


def test_a_link_that_is_asked_for_is_in_the_head_of_every_page(
    folders: list[Path], tmp_path: Path
) -> None:
    """Other links, or none, make the pages again."""
    to = tmp_path / "site"
    for links in ({}, {"Sub<missions": "/submissions?a=1&b"}, {}):
        build_site(folders, to, processes=2, links=links)
        for page in to.rglob("*.html"):
            written = '<a href="/submissions?a=1&amp;b">Sub&lt;missions</a></nav>'
            assert (written in page.read_text()) == bool(links), page


@pytest.mark.parametrize("link", ["javascript:alert(1)", "x", "=/a", "a=//elsewhere", "a=data:,b"])
def test_what_is_no_address_is_refused_as_a_link(link: str) -> None:
    """Only a page of the same server, and one that http reaches."""
    with pytest.raises(click.BadParameter, match="such as Submissions=/submissions"):
        PageLink().convert(link, None, None)


def test_a_folder_with_other_things_is_not_written_to(folders: list[Path], tmp_path: Path) -> None:
    """A site goes into a new or empty folder, or over a site."""
    to = tmp_path / "site"
    to.mkdir()
    (to / "index.html").write_text("mine")
    with pytest.raises(UsageError, match="something else than a site"):
        made(folders, to)
    assert contents(to) == {"index.html": b"mine"}


def test_links_in_the_place_of_pages_are_not_followed(folders: list[Path], tmp_path: Path) -> None:
    """Whoever plants a link where a page belongs does not choose what is overwritten."""
    to, victim = tmp_path / "site", tmp_path / "victim"
    victim.write_text("mine")
    made(folders, to)
    for page in (to / "index.html", to / "site.css"):
        page.unlink()
        page.symlink_to(victim)
    shutil.rmtree(tmp_path / "cache")
    made(folders, to)
    assert victim.read_text() == "mine"
    assert not (to / "index.html").is_symlink()


def figure(measure: str, size: int | None, *values: float) -> SiteFigure:
    """Make a figure in cycles per call."""
    return SiteFigure(measure, "", size, "cycles", "call", 3e9, values)


def test_the_figure_that_ranks_is_the_one_of_the_decisive_length_per_byte() -> None:
    """Tables decide by 576 bytes: of 64, 576 and 4096 it is that one, else the nearest."""
    figures = [figure("cycles/64", 64, 640.0), figure("cycles/4096", 4096, 8192.0),
               figure("cycles/576", 576, 1152.0, 1728.0)]  # fmt: skip
    found = leading("crypto_hash", figures)
    assert found is not None
    assert (found.size, found.per, found.values) == (576, "byte", (2.0, 3.0))
    nearest = leading("crypto_hash", figures[:2])
    assert nearest is not None
    assert nearest.size == 64


def test_a_name_that_is_no_folder_name_gets_a_digest_and_others_keep_it() -> None:
    """An address that looks like a name belongs to that name alone."""
    assert slug("sha256") == "sha256"
    assert slug("SHA256") != slug("sha256")
    assert slug("a/b") != slug("a?b")
    assert "/" not in slug("../../etc")


def test_a_result_on_one_machine_leaves_graphs_and_pages_of_others_alone(
    folders: list[Path], tmp_path: Path
) -> None:
    """Of the other machine and the other operations no page or graph is made or written."""
    to = tmp_path / "site"
    made(folders, to)
    before = {one: one.stat().st_mtime_ns for one in to.rglob("*") if one.is_file()}
    groups = read_manifest(to)
    with Store.create(folders[1]) as store:
        cell = next(one.build.cell for one in store.cells() if "hash000" in one.package.selector)
        last = store.launches(cell)[-1]
        store.put_launch(replace(last, seed=99, started_at="2026-02-01T11:00:00+00:00"))
    made(folders, to)
    written = {one for one in before if one.stat().st_mtime_ns != before[one]}
    assert {one.parent.parent.name for one in written if one.suffix == ".html"} >= {"crypto_hash"}
    (other,) = (to / "machines").glob("machine-01*")
    kept = {to / "operations/crypto_aead", to / "primitives/crypto_aead/aead001", other}
    same = [one for name, one in read_manifest(to).items() if one.inputs == groups[name].inputs]
    assert any(f"machines/{other.name}/index.html" in one.files for one in same)
    assert not [one for one in written if kept & set(one.parents)]
    assert not [one for one in written if one.suffix == ".pdf" and other.suffix[1:] in one.name]


def test_the_stack_that_a_check_measured_is_a_figure_of_the_site(tmp_path: Path) -> None:
    """It stands on the version's page, and two implementations make a picture of it."""
    folder, to = tmp_path / "results", tmp_path / "site"
    store_of(folder, 2)
    with Store.create(folder) as store:
        for number, one in enumerate(store.cells()):
            found = CheckResult(
                "memory/stack-need", Verdict.PASS, sizes=(("stack", 832 + number),)
            )
            store.put_checks(one.build.cell, (*one.checks, found))
    made([folder], to)
    versions = "".join(one.read_text("utf-8") for one in to.glob("versions/*/index.html"))
    assert "<dt>stack</dt><dd>832 bytes</dd>" in versions
    (graph,) = (to / "primitives/crypto_hash/hash000").glob("stack-*.svg")
    sizes = re.findall(r"<title>impl\d: [^<]* at (\d+)</title>", graph.read_text("utf-8"))
    assert sorted(sizes) == ["832", "833"]


def test_what_was_simulated_once_is_known_to_the_next_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A site made again needs no NumPy for steps of the same numbers of launches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(comparison, "SIMULATED", {})
    monkeypatch.setattr(index, "SIMULATED", comparison.SIMULATED)
    index.recall_draws()  # nothing was kept
    first = comparison.widths_needed(4, 6, 0.04)
    index.keep_draws()
    comparison.SIMULATED.clear()
    comparison.widths_needed.cache_clear()
    monkeypatch.setattr(comparison, "simulated", None)
    index.recall_draws()
    assert comparison.widths_needed(4, 6, 0.04) == first
