# SPDX-License-Identifier: MIT
"""Vector files: what is written is read back, and damage never goes unnoticed."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.check.answers.vector_files import (
    VectorDifference,
    first_difference,
    printed_values,
)
from assay.check.answers.vector_inputs import VectorInput
from assay.check.answers.vector_text import (
    BANNER,
    END,
    Combination,
    data_line,
    parse,
    primitive_block,
    set_heading,
    vector_block,
    xor_digest,
)
from assay.check.kinds import Coverage
from assay.errors import VectorFormatError
from assay.model import SizeChoice, StreamSubject

TOY = StreamSubject(
    "ecrypt-sync-ae", "Toy", "_____", (128,), (64,), (64,), 128, 64, 64, 64, 16, 4096,
    frozenset(), frozenset(),
)  # fmt: skip
UNCHECKED = re.compile(r"$|\*|=|Primitive Name|Profile|Test vectors|\(stream")

Written = tuple[VectorInput, bytes, bytes | None]


@st.composite
def written_vectors(draw: st.DrawFn) -> Written:
    """Draw a vector with its outputs: a stream or a pair, with or without AAD and MAC."""
    stream = draw(st.booleans())
    length = 512 if stream else draw(st.integers(0, 65))
    parts = [draw(st.binary(min_size=n, max_size=n)) for n in (16, 8, length, length)]
    aad = b"" if stream else draw(st.binary(max_size=40))
    number = draw(st.tuples(st.integers(1, 12), st.integers(0, 255)))
    vector = VectorInput(*number, parts[0], parts[1], parts[2], aad, stream)
    return vector, parts[3], draw(st.none() | st.binary(min_size=8, max_size=16))


def file_of(vectors: list[Written], sizes: SizeChoice) -> str:
    """Write a file as the program does."""
    blocks = "".join(set_heading(1) + vector_block(*one) for one in vectors)
    return f"{BANNER}\n{primitive_block(TOY, sizes)}{blocks}{END}"


def contents(combinations: list[Combination]) -> object:
    """Give all that a comparison looks at."""
    return [
        (one.sizes, [(v.set_number, v.number, v.values) for v in one.vectors])
        for one in combinations
    ]


def contents_or_line(text: str) -> object:
    """Give what a comparison looks at, or the line that is damaged."""
    try:
        return contents(parse(text))
    except VectorFormatError as error:
        return re.findall(r"line \d+", str(error))[0]


FILES = st.builds(
    file_of,
    st.lists(written_vectors(), min_size=1, max_size=3),
    st.builds(SizeChoice, st.integers(0, 512), st.integers(0, 512), st.none() | st.just(64)),
)


@given(st.lists(written_vectors(), max_size=4), st.sampled_from([None, 32, 128]))
def test_what_is_written_is_read_back(vectors: list[Written], mac_bits: int | None) -> None:
    """Sizes, numbers and every labelled value survive."""
    sizes = SizeChoice(128, 64, mac_bits)
    (combination,) = parse(file_of(vectors, sizes))
    assert (sizes, "Toy", "_____") == (combination.sizes, combination.name, combination.profile)
    found = [((v.set_number, v.number), v.values) for v in combination.vectors]
    assert [
        ((vector.set_number, vector.number), printed_values(vector, output, mac))
        for vector, output, mac in vectors
    ] == found


@given(FILES)
def test_line_ends_of_other_systems_are_read(text: str) -> None:
    """CR LF makes no difference."""
    assert contents(parse(text)) == contents(parse(text.replace("\n", "\r\n")))


@settings(max_examples=400)
@given(FILES, st.data())
def test_a_changed_character_is_noticed_or_compares_different(
    text: str, data: st.DataObject
) -> None:
    """Anywhere but in lines that only people read."""
    lines = text.split("\n")
    at = data.draw(st.sampled_from([i for i, one in enumerate(lines) if not UNCHECKED.match(one)]))
    column = data.draw(st.integers(0, len(lines[at]) - 1))
    new = data.draw(st.sampled_from([chr(code) for code in range(32, 127)]))
    assume(new.upper() != lines[at][column].upper())
    lines[at] = lines[at][:column] + new + lines[at][column + 1 :]
    assert contents(parse(text)) != contents_or_line("\n".join(lines))


@given(FILES, st.data())
def test_a_file_that_is_cut_short_is_noticed(text: str, data: st.DataObject) -> None:
    """At every byte before the end mark; the message tells the line."""
    length = data.draw(st.integers(0, len(text) - 2))
    with pytest.raises(VectorFormatError, match=r"line \d+|no test vectors"):
        parse(text[:length])


def test_values_are_wrapped_only_above_24_bytes() -> None:
    """24 bytes stand on one line; 25 on two, the second indented by 31 blanks."""
    assert f"{'key':>28} = {'AB' * 24}\n" == data_line("key", b"\xab" * 24)
    wrapped = f"{'key':>28} = {'AB' * 16}\n{' ' * 31}{'AB' * 9}\n"
    assert wrapped == data_line("key", b"\xab" * 25)
    assert data_line("IV", b"") == " " * 26 + "IV = \n"


@given(st.binary(max_size=300))
def test_the_digest_is_the_sum_of_all_rows(stream: bytes) -> None:
    """Byte i of the digest sums the bytes i, i + 64, i + 128 ..."""
    expected = bytearray(64)
    for at, byte in enumerate(stream):
        expected[at % 64] ^= byte
    assert bytes(expected) == xor_digest(stream)


@pytest.mark.parametrize(
    ("one", "other", "at"), [(b"", b"", 0), (b"ab", b"ac", 1), (b"ab", b"abc", 2)]
)
def test_the_first_difference_is_found(one: bytes, other: bytes, at: int) -> None:
    """The shorter one's length counts where one is the beginning of the other."""
    assert at == first_difference(one, other)


def test_a_difference_shows_both_rows_and_marks_the_byte() -> None:
    """The reader sees where to look, and in which line of the file."""
    place = (SizeChoice(128, 64), 3, 9, "stream[0..63]", 77)
    shown = str(VectorDifference(*place, bytes(40), bytes(17) + b"\1" + bytes(22)))
    assert "Set 3, vector# 9 (key/IV sizes 128/64), stream[0..63], byte 17; line 77" in shown
    assert "expected 00 [00] 00" in shown
    assert "actual 00 [01] 00" in shown


def test_coverage_keeps_the_first_difference() -> None:
    """Later ones follow from it as a rule."""
    place = (SizeChoice(128, 64), 1, 0, "key")
    first, second = VectorDifference(*place, 1, b"", b"a"), VectorDifference(*place, 2, b"", b"b")
    coverage = Coverage()
    for one in (None, first, second):
        coverage.count(one)
    assert (3, 1, first) == (coverage.compared, coverage.right, coverage.difference)
