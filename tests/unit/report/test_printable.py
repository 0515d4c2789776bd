# SPDX-License-Identifier: MIT
"""The order of names, and how much more something takes than what."""

from assay.report.printable import natural
from assay.report.quantities import Part, Quantity
from assay.site.primitive import slower_by


def test_numbers_in_names_are_ordered_by_how_large_they_are() -> None:
    """Numbers are of any length, with zeros in front or not; other words have their letters."""
    names = ["machine10", "b", "machine2", "machine", "a1b", f"machine{'9' * 5000}", "machine03"]
    assert sorted(names, key=natural) == [
        "a1b", "b", "machine", "machine2", "machine03", "machine10", f"machine{'9' * 5000}",
    ]  # fmt: skip


def test_several_words_are_ordered_one_after_the_other() -> None:
    """A machine's version counts only where its name is the same."""
    places = [("a2", "10"), ("a10", "1"), ("a2", "9")]
    ordered = sorted(places, key=lambda place: natural(*place))
    assert ordered == [("a2", "9"), ("a2", "10"), ("a10", "1")]


def test_a_share_says_of_what_it_is() -> None:
    """24.9 % more than the first is 19.9 % less than the second."""
    assert slower_by(1.249, "ref") == "24.9 % more than ref"
    assert slower_by(3.0, "ref") == "3.00 times as much as ref"


def test_a_length_that_is_nothing_is_called_so() -> None:
    """The other length is there or not, in words."""
    one = Quantity("cycles", "encrypt", other="associated data")
    assert one.text(Part.MESSAGE) == "encrypt: message, no associated data"
    assert one.text(Part.OTHER) == "encrypt: associated data, no message"
