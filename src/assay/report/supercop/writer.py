# SPDX-License-Identifier: MIT
"""Write records as database lines, in the form of docs/reference/database-lines.md.

Nothing in a word may look like the end of one.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from assay.model.series import TIMES
from assay.model.supercop import (
    TRIED,
    Attempt,
    Fact,
    Measurement,
    ObjectSize,
    Record,
    Source,
    Subject,
)
from assay.stats.quartiles import listed_median, stabilised_integer

GIVEN = "given"
# Versions from this one on write StQ2 and deviations, earlier ones a median and a list.
DEVIATIONS_SINCE = 20260214
BLANKS = str.maketrans(" \t\r\n", "____")
OWN = "assay-"


class _Heading(Struct):
    """Whose measurements the lines are that follow, and in which unit.

    The counter is GIVEN where the heading came from facts, which name it or do not.
    """

    named: tuple[str, str]
    counter: str = ""


def in_order(records: Iterable[Record]) -> list[Record]:
    """Sort records; those of one subject and size keep their order."""
    return sorted(records, key=_place)


def _place(record: Record) -> tuple[str | int, ...]:
    """Return what a record is sorted by; what has no size comes before what has one.

    Headings come before what was measured below them.
    """
    subject, measured, size = record.subject, False, -1
    match record:
        case Measurement():
            measured, size = True, -1 if record.size is None else record.size
        case Fact() if record.key not in TRIED:
            measured, size = True, -2
    return (
        *(subject.operation, subject.primitive, measured),
        *(subject.league, subject.implementation, subject.compiler, size),
    )


class LineWriter:
    """Writes lines without their ends. It remembers headings, so use one for one file.

    `version` is the word written for results of Assay's own, instead of `assay-0.1.0`.
    """

    def __init__(self, version: str | None = None) -> None:
        """Start a file."""
        self._version = version
        self._headings: dict[str, _Heading] = {}
        self._rates: dict[str, int | None] = {}

    def lines(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield the lines of `records`, in their order."""
        source, subject, head = None, None, ""
        for record in records:
            if record.source is not source or record.subject is not subject:
                source, subject = record.source, record.subject
                named = (subject.operation, subject.primitive, subject.league)
                head = _head(source, *named, self._version)
            if isinstance(record, Fact):  # as most are
                yield f"{head} {self._fact(head, record)}"
            else:
                yield from [f"{head} {words}" for words in self._words(head, record)]

    def _words(self, head: str, record: Measurement | Attempt | ObjectSize) -> Sequence[str]:
        """Return what follows the head, line by line."""
        match record:
            case Measurement():
                return (*self._heading(head, record), " ".join(_measured(record)))
            case Attempt(outcome="tryfails"):
                about = _about("tryfails", record.subject)
                return [f"{about} {reason}" for reason in record.reason.split("\n")]
            case Attempt():
                self._rates[head] = record.cycles_per_second
                return (" ".join(_tried(record)),)
            case ObjectSize():
                sizes = f"{record.text} {record.data} {record.bss} {_line(record.file)}"
                return (f"{_about('objsize', record.subject)} {sizes}",)

    def _heading(self, head: str, record: Measurement) -> Iterator[str]:
        """Name implementation, counter and compiler, unless the heading above does."""
        named = (record.subject.implementation, record.subject.compiler)
        heading = self._headings.get(head)
        if heading is None and named == ("", ""):
            # It was read without a heading, and can be so again.
            heading = self._headings[head] = _Heading(named, GIVEN)
        if heading is None or heading.named != named:
            heading = self._headings[head] = _Heading(named)
            yield f"implementation {word(named[0])} -"
            yield f"compiler {word(named[1])} -"
        if record.unit in TIMES and heading.counter not in (GIVEN, record.unit):
            heading.counter = record.unit
            if rate := self._rates.get(head):
                yield f"cpucycles_persecond {rate}"
            yield f"cpucycles_implementation {OWN}{record.unit}"

    def _fact(self, head: str, fact: Fact) -> str:
        """Write a fact, and remember it if it is a heading's."""
        if fact.key in TRIED:
            return _line(" ".join((_about(fact.key, fact.subject), *fact.words)))
        if fact.key in ("implementation", "compiler"):
            named = (fact.subject.implementation, fact.subject.compiler)
            self._headings[head] = _Heading(named, GIVEN)
        return _said(fact.key, fact.words)


@lru_cache(maxsize=1024)  # headings of codes have most of it in common
def _said(key: str, words: tuple[str, ...]) -> str:
    return _line(" ".join((word(key), *words)))


@lru_cache(maxsize=64)
def _head(source: Source, operation: str, primitive: str, league: str, version: str | None) -> str:
    """Write the first six words; `version` is that of one's own results, if it is given."""
    own = source.version.startswith(OWN)
    host = host_word(source.machine) if own else word(source.machine)
    words = (
        *(version if own and version else source.version, host, source.abi, source.date),
        *(operation, f"{primitive}/{league}" if league else primitive),
    )
    return " ".join(map(word, words))


def _about(key: str, subject: Subject) -> str:
    """Write the key, implementation and compiler of a line about a try."""
    return f"{word(key)} {word(subject.implementation)} {word(subject.compiler)}"


def _measured(record: Measurement) -> list[str]:
    """Write key, size and timings; one number where the timings are not known."""
    size = "-" if record.size is None else str(record.size)
    if not record.values:
        return [word(record.key), size, str(round(record.median))]
    timings = timing_words(record.values, listed=lists_timings(record.source))
    return [word(record.key), size, *timings]


def _tried(record: Attempt) -> list[str]:
    """Write `try` and its words; a number that is not known is written as 0."""
    checksums = f"{record.checksum_small}/{record.checksum_big}".rstrip("/")
    values, subject = record.values, record.subject
    score, *deviations = [str(round(record.score or 0))]
    if values and not lists_timings(record.source):
        score, *deviations = timing_words(values, listed=False)
    numbers = (score, str(record.test_cycles or 0), str(record.cycles_per_second or 0))
    names = (word(subject.implementation), word(subject.compiler))
    return ["try", word(checksums), record.outcome, *numbers, *names, *deviations]


def _line(text: str) -> str:
    """Keep a message on its line."""
    return text.replace("\n", "_")


@lru_cache(maxsize=1024)
def word(text: str) -> str:
    """Make one word: white space becomes underscores, and nothing becomes a dash."""
    return text.translate(BLANKS) or "-"


def host_word(name: str) -> str:
    """Shorten a host's name as SUPERCOP does: letters and digits before the first dot."""
    kept = "".join(c for c in name.partition(".")[0].lower() if c.isascii() and c.isalnum())
    return kept or "unknown"


def lists_timings(source: Source) -> bool:
    """Return whether lines of this source have the older format."""
    version = source.version
    return version.isascii() and version.isdigit() and int(version) < DEVIATIONS_SINCE


def timing_words(values: Sequence[int], *, listed: bool) -> list[str]:
    """Write the middle timing and all timings, in the older format if `listed`."""
    middle = listed_median(values) if listed else stabilised_integer(values)
    if len(values) == 1:
        return [str(middle)]
    if listed:
        return [str(middle), *map(str, values)]
    return [str(middle), "%+d" * len(values) % tuple([value - middle for value in values])]
