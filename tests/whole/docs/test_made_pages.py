# SPDX-License-Identifier: MIT
"""What `./scripts/docs` writes is up to date."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.whole.docs.make import numbers, pictures
from tests.whole.docs.make.pages import CLONE, pages, stale

from assay.fleet.taken import take
from assay.store import Store


def test_no_page_is_out_of_date() -> None:
    """`./scripts/docs` writes commands, checks, tables and numbers again."""
    assert [page.relative_to(CLONE).as_posix() for page in stale()] == []


def test_no_picture_is_out_of_date() -> None:
    """`./scripts/docs` draws them again, as `assay show --format svg` does."""
    assert [picture.relative_to(CLONE).as_posix() for picture in pictures.stale()] == []


def test_a_picture_shows_what_was_measured() -> None:
    """Names and figures are those of the stored campaign, so another one gives another picture."""
    with TemporaryDirectory() as scratch:
        folder, _ = take(pictures.MEASURED, Path(scratch))
        with Store.open(folder, read_only=True) as store:
            names = {one.primitive for one in store.packages()}
    for picture in pictures.PICTURES:
        text = picture.read_text(encoding="utf-8").lower()
        assert names
        assert all(name in text for name in names)


def test_every_number_of_the_code_stands_in_a_page() -> None:
    """A name that no page uses is left over from an earlier sentence."""
    used = set().union(*(numbers.names(page.read_text(encoding="utf-8")) for page in pages()))
    assert used == numbers.NUMBERS.keys()


def test_a_number_is_replaced_whatever_the_words_around_it() -> None:
    """The marker alone decides."""
    page = "Then <!--=lock-seconds-->1<!--/--> seconds; x <!--=test-seconds--><!--/-->."
    made = numbers.written(page)
    expected = (numbers.NUMBERS["lock-seconds"], numbers.NUMBERS["test-seconds"])
    assert tuple(value for _, value in numbers.MARKED.findall(made)) == expected
    assert numbers.MARKED.sub("N", made) == "Then N seconds; x N."
