# SPDX-License-Identifier: MIT
"""Database lines become records: both formats, headings, failures, and lines that are bad."""

from collections.abc import Iterable

import pytest

from assay.imported.reader import LineReader
from assay.model.supercop import Attempt, Fact, Measurement, ObjectSize, Record, Source, Subject

IMPLEMENTATION = "crypto_hash/sha256/ref"
WORD = "gcc_-march=native_-O3_-D_FORTIFY_SOURCE=2"
COMMAND = "gcc -march=native -O3 -D_FORTIFY_SOURCE=2"
NEW = "20260330 vm amd64 20261120 crypto_hash sha256/constbranchindex"
OLD = "20191017 samba amd64 20191111 crypto_hash sha256"
SOURCE = Source("vm", "amd64", "20261120", "20260330")
SUBJECT = Subject("crypto_hash", "sha256", "constbranchindex", IMPLEMENTATION, COMMAND)
OLD_SUBJECT = Subject("crypto_hash", "sha256", "", IMPLEMENTATION, COMMAND)


def _read(*lines: str | None) -> tuple[list[Record], LineReader]:
    """Read lines; give all records and the reader, for its tally."""
    reader = LineReader()
    records = [record for run in reader.runs(lines) for record in run.records]
    return records, reader


def _heading(head: str, counter: str = "amd64-pmc") -> Iterable[str]:
    """Give the lines before measurements."""
    yield f"{head} implementation {IMPLEMENTATION} -"
    yield f"{head} outputbytes 32"
    yield f"{head} cpucycles_implementation {counter}"
    yield f"{head} compiler {WORD} 12.2.0"


def test_deviations_are_added_to_the_middle() -> None:
    """The format since 20260214; quartiles are those of the timings: worked out by hand."""
    records, _ = _read(*_heading(NEW), f"{NEW} cycles 576 936 -2-1+1+2")
    assert records[-1] == Measurement(
        *(SOURCE, SUBJECT, "cycles", 576, 934.5, 936.0, 937.5, "cycles"),
        values=(934, 935, 937, 938),
        launches=1,
    )


def test_listed_timings_are_read_as_they_are() -> None:
    """The format before 20260214, without a league, the median first and once more below."""
    records, _ = _read(*_heading(OLD), f"{OLD} cycles 576 936 1000 936 910 ")
    last = records[-1]
    assert isinstance(last, Measurement)
    assert (last.subject, last.values, last.size) == (OLD_SUBJECT, (1000, 936, 910), 576)


def test_what_took_less_than_no_time_is_a_bad_line() -> None:
    """A single timing may be below zero where the counters of two processors differ."""
    _, reader = _read(*_heading(NEW), f"{NEW} cycles 576 -936 -2-1+1+2")
    assert reader.tally.bad == 1
    records, reader = _read(*_heading(NEW), f"{NEW} cycles 576 36 -40+0+1")
    assert (reader.tally.bad, records[-1].key) == (0, "cycles")  # type: ignore[union-attr]


def test_a_single_timing_stands_alone() -> None:
    """Neither format lists it again; `-` is no size."""
    records, _ = _read(*_heading(NEW), f"{NEW} keypair_randombytes - 32")
    last = records[-1]
    assert isinstance(last, Measurement)
    assert (last.values, last.size, last.unit) == ((32,), None, "bytes")


def test_a_clock_that_is_not_the_cores_counts_ticks() -> None:
    """The heading names the counter; the time-stamp counter has a rate of its own."""
    records, _ = _read(*_heading(NEW, "amd64-tsc"), f"{NEW} cycles 0 5 +0+0")
    last = records[-1]
    assert isinstance(last, Measurement)
    assert last.unit == "ticks"


def test_all_of_a_heading_belongs_to_the_compiler_it_ends_with() -> None:
    """Lines before `compiler` are about the same measurement."""
    records, _ = _read(*_heading(NEW))
    assert [record.subject for record in records] == [SUBJECT] * 4
    assert records[1] == Fact(SOURCE, SUBJECT, "outputbytes", ("32",))


def test_a_try_has_checksums_score_and_timings() -> None:
    """Deviations are from the score; older lines have none."""
    line = f"{NEW} try aa/bb ok 2000 1217 2596 {IMPLEMENTATION} {WORD}"
    expected = Attempt(
        *(SOURCE, SUBJECT, "ok", "aa", "bb", 2000, (1948, 2026)),
        test_cycles=1217,
        cycles_per_second=2596,
    )
    assert _read(f"{line} -52+26")[0] == [expected]
    records, _ = _read(line)
    assert isinstance(records[0], Attempt)
    assert records[0].values == ()


def test_messages_of_one_failure_stay_together() -> None:
    """A new `error` begins another failure."""
    start = f"{NEW} tryfails {IMPLEMENTATION} {WORD}"
    records, _ = _read(
        f"{start} error 111", f"{start} hash  writes", f"{start} error 132", f"{start} "
    )
    reasons = [record.reason for record in records if isinstance(record, Attempt)]
    assert reasons == ["error 111\nhash  writes", "error 132\n"]


def test_sizes_and_compiler_messages_name_their_subject() -> None:
    """Blanks in messages are kept."""
    records, _ = _read(
        f"{NEW} objsize {IMPLEMENTATION} {WORD} 139 1 2 verify.o",
        f"{NEW} fromcompiler {IMPLEMENTATION} {WORD} hash.c  two  blanks ",
    )
    assert records == [
        ObjectSize(SOURCE, SUBJECT, 139, 1, 2, "verify.o"),
        Fact(SOURCE, SUBJECT, "fromcompiler", ("hash.c", "", "two", "", "blanks", "")),
    ]


def test_unknown_keys_are_kept() -> None:
    """A later version may write what this one does not know."""
    records, reader = _read(*_heading(NEW), f"{NEW} joules 576 3 4")
    assert records[-1] == Fact(SOURCE, SUBJECT, "joules", ("576", "3", "4"))
    assert reader.tally.bad == 0


def test_log_lines_are_passed_over() -> None:
    """`do` and `data-summarize` append their log, every line behind a plus."""
    records, reader = _read("+ === Sat Nov 21 === starting", "+", "")
    assert (records, reader.tally.log, reader.tally.bad) == ([], 3, 0)


def test_bad_lines_are_counted_and_reading_goes_on() -> None:
    """The first few are shown with number and reason."""
    good = f"{NEW} objsize {IMPLEMENTATION} {WORD} 1 2 3 a.o"
    bad = [
        "a b c",
        f"{NEW} cycles 576 936 +0x",
        f"{NEW} cycles -1 936 +0",
        f"{NEW} cycles 5 99999999999999999999",
        f"{NEW} cycles 5 9223372036854775807 +1",
        f"{NEW} try aa fine 1 2 3 {IMPLEMENTATION} {WORD}",
        f"{NEW} try aa ok 1 2 {IMPLEMENTATION}",
        f"{NEW} objsize {IMPLEMENTATION} {WORD} 1 2",
        f"{NEW} namespace x",
        "20260330 vm amd64 today crypto_hash sha256 cycles 1 1",
        "20260330 vm amd64 20261120 hash sha256 cycles 1 1",
        "20260330 vm amd64 20261120 crypto_hash a/b/c cycles 1 1",
        "20260330 vm  20261120 crypto_hash sha256 cycles 1 1",
        "20260330 .. amd64 20261120 crypto_hash sha256 cycles 1 1",
        "20260330 vm amd64 20261120 crypto_hash ../x cycles 1 1",
        "20260330 vm amd64 20261120 crypto_hash sha256/ cycles 1 1",
    ]
    records, reader = _read(good, *bad, None, good)
    assert len(records) == 2
    assert reader.tally.bad == len(bad) + 1
    assert reader.tally.shown[0] == (2, "it has fewer than seven words")
    assert [line for line, _ in reader.tally.shown] == [2, 3, 4, 5, 6]


def test_a_try_that_was_broken_over_two_lines_is_mended() -> None:
    """SUPERCOP's data-run breaks the line where checksumbig is wrong."""
    rest = f"aa/bb fails 2262 1217 2596 {IMPLEMENTATION} {WORD}"
    records, reader = _read(f"{NEW} try", f"         {rest}", f"{NEW} try", f"{NEW} try {rest}")
    assert [type(record) for record in records] == [Attempt, Attempt]
    assert reader.tally.shown == [(3, "`try` has 0 words after it, not 7 or 8")]


def test_a_run_is_one_try_or_one_process() -> None:
    """A new subject or a new heading begins another; the same lines have the same digest."""
    one = f"{NEW} objsize {IMPLEMENTATION} {WORD} 1 2 3 a.o"
    measured = [*_heading(NEW), f"{NEW} cycles 0 5 +0"]
    runs = list(LineReader().runs([one, one, *measured, *measured, one]))
    assert [len(run.records) for run in runs] == [2, 5, 5, 1]
    assert runs[1].digest == runs[2].digest != runs[0].digest


def test_an_endless_run_is_handed_on_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the pieces keep the subject of the heading."""
    monkeypatch.setattr("assay.imported.reader.RUN_CHARACTERS", 1000)
    runs = list(LineReader().runs([*_heading(NEW), *[f"{NEW} cycles 0 5 +0+0"] * 50]))
    assert len(runs) > 1
    assert sum(len(run.records) for run in runs) == 54
    assert {record.subject for run in runs for record in run.records} == {SUBJECT}


def test_only_blanks_before_options_come_back_in_commands() -> None:
    """An underscore of the command's own stays, and so does that of a compiler's name."""
    word = "x86_64-linux-gnu-gcc_-O3_-D_A_B=1_-x_c"
    records, _ = _read(
        f"{NEW} objsize i {word} 1 2 3 a.o", f"{NEW} objsize i rustc_-C_lto 1 2 3 a"
    )
    assert [record.subject.compiler for record in records] == [
        "x86_64-linux-gnu-gcc -O3 -D_A_B=1 -x c",
        "rustc -C lto",
    ]
