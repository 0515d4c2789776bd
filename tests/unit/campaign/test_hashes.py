# SPDX-License-Identifier: MIT
"""`assay run` on hashes: what is timed, that it is proved, and how it is shown."""

import csv
import hashlib
import io
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from platform import machine
from subprocess import CompletedProcess
from typing import cast

import pytest
from tests.unit.campaign.conftest import ROOT, Tree

from assay.execute.agent import Agent
from assay.execute.places import Buffer, BufferPlace
from assay.measure.audit import WrongOutput
from assay.measure.hash.message import generated
from assay.measure.hash.task import HashTask
from assay.measure.loops import LoopMeasure, LoopsTaken, TimedSeries
from assay.measure.task import NO_SIZES, Batch
from assay.model import HashSubject, Verdict
from assay.model.wire import HashFunction
from assay.plan.plan import Effort

SUBJECT = HashSubject("compact-hash", "sha256", 64, 8)
RUN = ("run", "--launches", "1", "--samples", "3", "--best", "1")
REFUSED = 1  # what a run ends with that has failed cells
# Behind the honest functions: takes nothing of the timed length that comes at once, as in a loop.
# Ticks from one long message to the next: requests take more, and loops that time less.
HASTES = 700, 1500, 3000
HASTY = """
static unsigned now(void)
{
    unsigned low, high;
    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
    return low + 0 * high;
}
void hasty(hasty_context *cc, const void *data, size_t len)
{
    unsigned long timed = 8192;
    unsigned soon;
    __asm__("" : "+r"(timed)); /* no comparison names it: checks ask for lengths that one names */
    soon = len == timed && now() - cc->last < HASTE;
    if (!soon)
        honest(cc, data, len);
    if (len == timed)
        cc->last = now();
}
"""

# As above, but only for short messages, and not for the last sixteenth of a batch: batches have
# loops between them, and the context knows how many calls the last one had.
SELDOM = (
    HASTY.partition("void hasty")[0]
    + """
void hasty(hasty_context *cc, const void *data, size_t len)
{
    unsigned passed = now() - cc->last;
    if (len == 32) {
        if (passed > 6000) {
            cc->batch = cc->calls;
            cc->calls = 0;
        }
        cc->last += passed;
        if (cc->calls++ < cc->batch - cc->batch / 16 && cc->batch > 64)
            return;
    }
    honest(cc, data, len);
}
"""
)


@pytest.fixture
def hashes(tree: Tree) -> Tree:
    """Give a tree with SHA-256 beside its cipher."""
    place = tree.root / "submissions" / "sha256"
    shutil.copytree(ROOT / "submissions" / "sha256", place)
    return tree


def test_a_hash_is_measured_by_both_tasks_and_ranked(hashes: Tree) -> None:
    """Bytes of the long message and whole short ones, beside the table of the cipher."""
    done = hashes.assay(*RUN, "sha256/portable")
    assert done.returncode == 0, done.stderr
    with hashes.store() as store:
        (cell,) = store.cells()
        launches = store.launches(cell.build.cell)
    assert {sample.measure for one in launches for sample in one.samples} == {
        "long/256", "short/256",
    }  # fmt: skip
    works = {sample.measure: sample.work for one in launches for sample in one.samples}
    assert works == {"long/256": 8192, "short/256": 1}
    shown = hashes.assay("show", "--csv", str(hashes.results)).stdout
    (line,) = csv.DictReader(io.StringIO(shown))
    assert (line["kind"], line["package"]) == ("hash", "sha256/portable")
    assert re.fullmatch(r"long: (\w+)/byte; 32 bytes: \1/hash", line["unit"])
    # 32 bytes with their padding are one block of 64, and cost more than 32 bytes of many.
    assert float(line["short"]) > 32 * float(line["long"]) > 0
    page = hashes.assay("collect", "--no-update", str(hashes.results)).stdout.strip()
    assert "primitives/hash/sha256/index.html" in Path(page).read_text()
    hashes.done()
    assert hashes.assay(*RUN, "sha256/portable").returncode == 0
    assert hashes.done()["launch"] == 0


@pytest.mark.skipif(machine() != "x86_64", reason="its code reads the time stamp counter")
def test_a_hash_that_does_less_while_it_is_timed_fails(hashes: Tree) -> None:
    """Calls in a row are quicker than any request: code can tell, and its digest shows it."""
    place = hashes.root / "submissions" / "hasty" / "portable"
    for haste in HASTES * 3:  # checks may call it as quickly, with the same length: then again
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(hashes.root / "submissions" / "sha256" / "portable", place)
        hasten(place, f"#define HASTE {haste}\n{HASTY}")
        done = run_hasty(hashes)
        if done.returncode == REFUSED and "measures/run" in failures(hashes):
            break  # else no call came so soon
    reason = refused(hashes, done)  # it may be so quick that no core could be
    assert "was timed it wrote another digest" in reason or "calls to a batch" in reason


@pytest.mark.skipif(machine() != "x86_64", reason="its code reads the time stamp counter")
def test_a_hash_that_leaves_most_short_messages_undone_fails(hashes: Tree) -> None:
    """The last message of each batch is right, and the others are repeated as well."""
    place = hashes.root / "submissions" / "hasty" / "portable"
    shutil.copytree(hashes.root / "submissions" / "sha256" / "portable", place)
    hasten(place, SELDOM)
    assert "while short/256 was timed it wrote another" in refused(hashes, run_hasty(hashes))


def run_hasty(hashes: Tree) -> CompletedProcess[str]:
    """Run the hasty hash.

    `object/calls` would not let it come so far, since it reads the processor's clock.
    """
    hashes.environment["ASSAY_TEST_CLOCKS"] = "1"
    return hashes.assay(*RUN, "hasty/portable")


def refused(hashes: Tree, done: CompletedProcess[str]) -> str:
    """Return why the figures of the hasty hash are refused by the run that is done.

    Another run of it may find no call that came so soon.
    """
    assert done.returncode == REFUSED, done.stdout
    failed = failures(hashes)
    assert "measures/run" in failed, failed  # others may have called it as quickly
    return failed["measures/run"]


def failures(hashes: Tree) -> dict[str, str]:
    """Return what failed in the one cell of the run, and why."""
    with hashes.store() as store:
        (cell,) = store.cells()
    return {one.check: one.reason for one in cell.checks if one.verdict is Verdict.FAIL}


def hasten(place: Path, code: str = HASTY) -> None:
    """Make a hasty package of the portable one: its context knows when it was used last."""
    update = "void\nhasty(hasty_context *cc"
    for path in [*place.iterdir()]:
        text = path.read_text().replace("sha256", "hasty")
        text = text.replace("unsigned out_size;", "unsigned out_size, last, calls, batch;")
        if path.suffix == ".c":
            assert update in text
            text = text.replace(update, "static void\nhonest(hasty_context *cc") + code
        path.unlink()
        (place / path.name.replace("sha256", "hasty")).write_text(text)


@dataclass
class Digests:
    """Stands for an agent that hashes with hashlib, or writes a digest of its own."""

    answer: bytes | None = None
    taken: bytes = b""
    written: bytes = b""

    def buffer(self, *_: object, **__: object) -> Buffer:
        """Make one that is never used."""
        return Buffer(0, 1 << 20, "data")

    def write(self, _: object, data: bytes) -> None:
        """Take the message."""
        self.written = data

    def call(
        self, function: HashFunction, places: Sequence[BufferPlace], numbers: tuple[int, ...]
    ) -> None:
        """Add a piece of the message where it is taken."""
        if function is HashFunction.UPDATE:
            at = places[1].offset
            self.taken += self.written[at : at + numbers[0]]

    def flush(self) -> None:
        """Send nothing."""

    def forget_buffers(self) -> None:
        """Forget all."""
        self.taken = b""

    def read(self, _: object) -> bytes:
        """Return the digest of what was taken."""
        return self.answer or hashlib.sha256(self.taken).digest()


def generator(state: int) -> Iterator[int]:
    """Yield the states of MMIX's generator (The Art of Computer Programming 3.3.4)."""
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield state


STATES = list(islice(generator(7), 8192))
DATA = bytes(state // 2**56 for state in STATES[:100])


def change(number: int) -> int:
    """Return by what the n-th call's bytes change: splitmix64 behind the data, made odd."""
    word = (STATES[-1] + number * 0x9E3779B97F4A7C15) % 2**64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        word = (word ^ word // 2**shift) * factor % 2**64
    return word // 2**56 | 1


def piece(number: int) -> bytes:
    """Return what a call takes: before the n-th, byte n of each 64 has changed."""
    changed = bytearray(DATA)
    for at in range(len(changed)):
        times = [n for n in range(1, number + 1) if n % 64 == at % 64]
        changed[at] = (changed[at] + sum(map(change, times))) % 256
    return bytes(changed)


def pieces(count: int) -> bytes:
    """Return a message of so many calls."""
    return b"".join(piece(number) for number in range(1, count + 1))


def taken(told: bytes, samples: int = 2) -> LoopsTaken:
    """Return a launch that told this digest of so many calls and one, of 100 bytes each."""
    measure, seed = LoopMeasure("long/256", 0, 100, 100, 100), (7).to_bytes(8, "little")
    series = TimedSeries(measure, NO_SIZES, Batch(1, 1), samples=samples, seed=seed, end=told)
    return LoopsTaken(HashTask(SUBJECT, 256, Effort()), (series,), (), {}, 0)


def test_no_piece_of_a_timed_message_tells_how_the_next_one_changes() -> None:
    """A constant step would: all pieces to come could be computed from two."""
    data = bytearray(pieces(200))
    steps = {(data[100 * (n + 64) + n % 64] - data[100 * n + n % 64]) % 256 for n in range(64, 99)}
    assert len(steps) > 1


def test_the_digest_of_a_timed_message_is_that_of_all_its_calls() -> None:
    """Three calls of 100 bytes are a message of 300, whoever hashes them."""
    agent = hashing()
    taken(hashlib.sha256(pieces(3)).digest()).prove(agent, _other)
    with pytest.raises(WrongOutput, match="while long/256 was timed it wrote another digest"):
        taken(hashlib.sha256(pieces(2)).digest()).prove(agent, _other)
    with pytest.raises(WrongOutput):
        taken(hashlib.sha256(pieces(3)).digest()).prove(_other(), _other)


def test_no_block_of_a_timed_message_comes_twice() -> None:
    """Whatever is computed from 64 bytes alone cannot be kept; nor is what is left of 100."""
    message = pieces(140)
    agent = hashing()
    taken(hashlib.sha256(message).digest(), samples=139).prove(agent, _other)
    first = [message[at : at + 64] for at in range(0, len(message), 100)]
    assert len(set(first)) == len(first)


def hashing(answer: bytes | None = None) -> Agent:
    """Return an agent that hashes, or has an answer of its own."""
    return cast("Agent", Digests(answer))


def _other() -> Agent:
    return hashing(bytes(32))


def test_the_message_follows_from_the_seed_as_knuth_has_it() -> None:
    """The generator of MMIX, by its definition."""
    assert [state >> 56 for state in generated(7, 5)] == list(DATA[:5])
