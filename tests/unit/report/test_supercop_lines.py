# SPDX-License-Identifier: MIT
"""Database lines from records: what is read and written again is the same, line by line."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from assay.imported.reader import LineReader
from assay.model.supercop import Attempt, Fact, Measurement, Record, Source, Subject
from assay.report.supercop import LineWriter, in_order

COMMAND = "gcc -march=native -O3"
SUBJECT = Subject("crypto_hash", "sha256", "timingleaks", "crypto_hash/sha256/ref", COMMAND)
OWN = Source("Bench-1.example.org", "amd64", "20261121", "assay-0.1.0")
OLD = Source("samba", "amd64", "20191111", "20191017")

NAMES = st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True)
WORDS = st.from_regex(r"[a-z0-9_.=-]{2,12}", fullmatch=True)
TICKS = st.integers(0, 2**53)
TEXT = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)
MEASURES = ("cycles", "xor_cycles", "keypair_cycles", "bytes", "open_randomcalls")


def _deviations(values: list[int]) -> str:
    """Write timings around StQ2, by its definition; sums below 2**60 divide exactly enough."""
    repeated = sorted(value for value in values for _ in range(8))
    count = len(values)
    total, width = sum(repeated[3 * count : 5 * count]), 2 * count
    middle, rest = divmod(total, width)
    middle += 2 * rest > width
    return f"{middle} " + "".join(f"{value - middle:+d}" for value in values)


def _listed(values: list[int]) -> str:
    """Write an odd number of timings behind their median."""
    return " ".join(map(str, [sorted(values)[len(values) // 2], *values]))


@st.composite
def _blocks(draw: st.DrawFn) -> list[str]:
    """Make the lines of some tries and of a measurement, as one version writes them."""
    new = draw(st.booleans())
    version = "20260330" if new else "20191017"
    league = draw(st.sampled_from(["/constbranchindex", "/timingleaks"])) if new else ""
    head = f"{version} {draw(NAMES)} amd64 20261121 crypto_{draw(NAMES)} {draw(NAMES)}{league}"
    about = f"{draw(WORDS)}/ref {draw(WORDS)}_-O3"
    lines = [f"fromcompiler {about} a.c {draw(TEXT)}", f"objsize {about} 1 2 3 {draw(WORDS)}"]
    lines += [f"tryfails {about} error 111", f"tryfails {about} {draw(TEXT)}"]
    lines += [
        f"implementation {about.split(maxsplit=1)[0]} -",
        "outputbytes 32",
        f"compiler {draw(WORDS)} 1",
    ]
    for measure in draw(st.lists(st.sampled_from(MEASURES), max_size=5)):
        values = draw(st.lists(TICKS, min_size=3, max_size=9).filter(lambda v: len(v) % 2))
        size = draw(st.one_of(st.just("-"), st.integers(0, 10**12).map(str)))
        lines.append(f"{measure} {size} {_deviations(values) if new else _listed(values)}")
    return [f"{head} {line}" for line in [*lines, f"{draw(NAMES)} {draw(TEXT)}"]]


def _records(lines: list[str]) -> list[Record]:
    """Read lines that must all be good."""
    reader = LineReader()
    records = [record for run in reader.runs(lines) for record in run.records]
    assert reader.tally.bad == 0
    return records


@given(st.lists(_blocks(), max_size=3))
def test_what_is_read_is_written_again_line_by_line(blocks: list[list[str]]) -> None:
    """In both formats, each in its own."""
    lines = [line for block in blocks for line in block]
    assert list(LineWriter().lines(_records(lines))) == lines


@given(st.lists(TICKS, min_size=1, max_size=20), st.sampled_from([OWN, OLD]))
def test_timings_survive_being_written(values: list[int], source: Source) -> None:
    """In both formats, also where no value is the median."""
    record = Measurement(source, SUBJECT, "cycles", 5, 0, 0, 0, "cycles", tuple(values))
    last = _records(list(LineWriter().lines([record])))[-1]
    assert isinstance(last, Measurement)
    assert (last.values, last.subject, last.size) == (tuple(values), SUBJECT, 5)


def test_a_heading_is_written_where_there_was_none() -> None:
    """Once for each subject; facts that are a heading are one."""
    key = ("cycles", 5, 7.0, 7.0, 7.0, "cycles", (7, 7))
    record = Measurement(OWN, SUBJECT, *key)
    other = Measurement(OWN, Subject("crypto_hash", "md5", "", "x", ""), *key)
    head = "assay-0.1.0 bench1 amd64 20261121 crypto_hash"
    assert list(LineWriter().lines([record, record, other])) == [
        f"{head} sha256/timingleaks implementation crypto_hash/sha256/ref -",
        f"{head} sha256/timingleaks compiler gcc_-march=native_-O3 -",
        f"{head} sha256/timingleaks cpucycles_implementation assay-cycles",
        f"{head} sha256/timingleaks cycles 5 7 +0+0",
        f"{head} sha256/timingleaks cycles 5 7 +0+0",
        f"{head} md5 implementation x -",
        f"{head} md5 compiler - -",
        f"{head} md5 cpucycles_implementation assay-cycles",
        f"{head} md5 cycles 5 7 +0+0",
    ]
    named = Fact(OWN, SUBJECT, "compiler", ("gcc_-march=native_-O3", "12.2.0"))
    assert list(LineWriter().lines([named, record]))[1].endswith("cycles 5 7 +0+0")


@given(st.permutations(["ticks", "bytes", "cycles", "calls"]))
def test_units_survive_being_written(units: list[str]) -> None:
    """A line names the counter of one's own results before the first time."""
    keys = {"ticks": "cycles", "cycles": "cycles", "bytes": "bytes", "calls": "randomcalls"}
    values = (5, 0.0, 0.0, 0.0)
    given_records = [Measurement(OWN, SUBJECT, keys[unit], *values, unit, (1,)) for unit in units]
    read = _records(list(LineWriter().lines(given_records)))
    assert [one.unit for one in read if isinstance(one, Measurement)] == units


def test_measurements_without_a_heading_stay_without_one() -> None:
    """A piece of a larger file may begin with them; whose they are is not known."""
    lines = ["20260330 vm amd64 20261121 crypto_hash sha256/timingleaks cycles 5 7 +0+0"]
    records = _records(lines)
    assert records[0].subject.implementation == ""
    assert list(LineWriter().lines(records)) == lines


def test_the_order_is_that_of_a_data_base() -> None:
    """Primitive by primitive, tries before measurements, then by size, none first."""
    none, small, large = (
        Measurement(OWN, SUBJECT, "cycles", size, 0, 0, 0, "cycles", (1,)) for size in (None, 1, 9)
    )
    other = replace(small, key="xor_cycles")
    tried = Attempt(OWN, SUBJECT, "ok")
    last = replace(none, subject=replace(SUBJECT, compiler="z"))
    first = replace(large, subject=replace(SUBJECT, primitive="blake2b"))
    given_records: list[Record] = [last, large, other, tried, small, none, first]
    assert in_order(given_records) == [first, tried, none, other, small, large, last]


def test_nothing_in_a_record_forges_a_line() -> None:
    """A name with blanks or line ends is one word, and an unknown name a dash."""
    subject = Subject("crypto_hash", "a b", "", "x\ny", "")
    source = Source("...", "", "20261121", "assay-1 2")
    lines = list(LineWriter("2026\n").lines([Fact(source, subject, "k\n", ("u\nv", "w"))]))
    assert lines == ["2026_ unknown - 20261121 crypto_hash a_b k_ u_v w"]


def test_a_measurement_without_timings_is_its_median() -> None:
    """As SUPERCOP writes a single timing."""
    record = Measurement(OWN, SUBJECT, "bytes", None, 1.0, 2.6, 3.0, "bytes", ())
    assert list(LineWriter().lines([record]))[-1].endswith(" bytes - 3")


def test_a_try_is_written_with_its_timings() -> None:
    """The score is StQ2 of the timings; without any it is the one that is known."""
    attempt = Attempt(OWN, SUBJECT, "ok", "aa", "bb", 9.6, (5, 7, 9), "", 11, 12)
    head = "assay-0.1.0 bench1 amd64 20261121 crypto_hash sha256/timingleaks try"
    about = "crypto_hash/sha256/ref gcc_-march=native_-O3"
    assert list(LineWriter().lines([attempt])) == [f"{head} aa/bb ok 7 11 12 {about} -2+0+2"]
    failed = Attempt(OWN, SUBJECT, "fails", "aa")
    assert list(LineWriter().lines([failed])) == [f"{head} aa fails 0 0 0 {about}"]


def test_a_try_without_checksums_survives() -> None:
    """An empty word would shift all others."""
    attempt = Attempt(OWN, SUBJECT, "unknown", score=7, test_cycles=1, cycles_per_second=2)
    (read,) = _records(list(LineWriter().lines([attempt])))
    assert replace(read, source=OWN) == attempt
