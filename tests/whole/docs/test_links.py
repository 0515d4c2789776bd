# SPDX-License-Identifier: MIT
"""Links between pages lead somewhere, and every page can be reached."""

import re
from pathlib import Path

import pytest

CLONE = Path(__file__).resolve().parents[3]
DOCS = CLONE / "docs"
PAGES = (*sorted(CLONE.glob("*.md")), *sorted(DOCS.rglob("*.md")))
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SENTENCE_END = re.compile(r"[a-z0-9)`][.!?] [A-Z]")
LARGEST_PICTURE_BYTES = 300_000


def text_of(page: Path) -> str:
    """Read a page without its code blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Name the anchors of a page's headings as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """Inside the repository; what begins with https is not looked up."""
    dead = []
    for link in LINK.findall(text_of(page)):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


def test_the_index_has_every_page() -> None:
    """docs/README.md links to all others."""
    linked = {name for name in LINK.findall(text_of(DOCS / "README.md")) if ".." not in name}
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert pages - {"README.md"} == linked


def test_pictures_are_small() -> None:
    """A clone is not for pictures."""
    large = [p.name for p in DOCS.glob("*.png") if p.stat().st_size > LARGEST_PICTURE_BYTES]
    assert large == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_no_place_of_one_machine(page: Path) -> None:
    """No absolute path of somebody's workplace, and no user's name."""
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"(?<![\w.])/(?:work|home|root|Users)/\S*", text) == []


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != "checks.md"], ids=lambda page: page.name
)
def test_one_sentence_stands_on_a_line(page: Path) -> None:
    """Outside of code, tables and lists, so that a change shows the sentence it is about."""
    lines = text_of(page).splitlines()
    prose = [line for line in lines if not line.startswith(("|", "-", "  ", "#"))]
    assert [line for line in prose if SENTENCE_END.search(line)] == []
