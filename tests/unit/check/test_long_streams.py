# SPDX-License-Identifier: MIT
"""Long keystreams, here of 2^16 blocks: what is found, and how an interrupted check goes on."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.whole.corpus.ciphers import Edits, Workbench

from assay.check.bench import BuiltReference, LongRun
from assay.check.check import run_checks
from assay.check.engine.instruments import bench_of
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.keystream import long as long_streams
from assay.check.keystream.relay import Route
from assay.check.session import describe_stream as describe
from assay.check.stream.trial import Trial
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Verdict

POWER = 16
LEGS = 256
STEP, WORD = "    ctx->counter++;\n", "    x[6] = ctx->counter;\n"
AGAIN: Edits = (("toy.c", STEP, "    ctx->counter = (ctx->counter + 1) & 4095;\n"),)
WRONG: Edits = (("toy.c", WORD, "    x[6] = ctx->counter ^ (ctx->counter >> 13 << 20);\n"),)
CALL, EARLY = (
    "    (void)action;\n",
    "ctx->counter >> 14 == 2 && (ctx->counter + blocks) >> 14 == 3",
)
AT_ONCE: Edits = (("toy.c", CALL, f"{CALL}    ctx->carries += blocks > 60 && {EARLY};\n"),)
BEGIN = "    ctx->counter = 0;\n"
POINTER: Edits = (
    ("ecrypt-sync.h", "    u32 counter;\n", "    u32 counter;\n    u32 *where;\n"),
    ("toy.c", BEGIN, f"{BEGIN}    ctx->where = &ctx->counter;\n"),
    ("toy.c", WORD, "    x[6] = *ctx->where;\n"),
)


@dataclass
class Long:
    """Asks packages for a long keystream; `reached` are the legs that were heard of.

    After the leg `stop_at` a user interrupts, after `tire_at` the time is used up.
    """

    workbench: Workbench
    workshop: Workshop
    record: Path
    stop_at: int = 0
    tire_at: int = 0
    reached: list[int] = field(default_factory=list)
    patient: Workshop = field(init=False)

    def asked(self, name: str, edits: Edits = (), reference: str = "") -> CheckResult:
        """Run the check on a toy; its reference is another."""
        package = self.workbench.package("sync", name, edits)
        build = self.workbench.build(package)
        self.patient = self.workshop.unhurried(600.0)
        connect = partial(self.patient.stage.connect, self.patient.admit(build), large=True)
        with connect() as agent:
            subject = describe(agent)
        bench = bench_of(self.workshop, self.workbench.recipe(package), build)
        long = LongRun(connect, self._lent(reference), self.record, self._reach, 1 << POWER)
        trial = Trial(package, subject, connect, bench=replace(bench, long=long))
        return run_checks([long_streams.CHECK], trial)[0]

    def _lent(self, name: str) -> Callable[[], AbstractContextManager[BuiltReference | None]]:
        if not name:
            return nullcontext
        build = self.workbench.build(self.workbench.package("sync", name))
        connect = partial(self.workshop.stage.connect, self.workshop.admit(build), large=True)
        with connect() as agent:
            subject = describe(agent)
        return lambda: nullcontext(BuiltReference(name, connect, subject))

    def _reach(self, done: int, whole: int) -> None:
        assert whole == LEGS
        self.reached.append(done)
        if done == self.stop_at:
            raise KeyboardInterrupt
        if done == self.tire_at and self.patient.stage.patience:
            self.patient.stage.patience.spend(600.0)


@pytest.fixture
def long(workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Long]:
    """Give short calls for a short stream."""
    monkeypatch.setattr(long_streams, "PIECE", 1024)
    monkeypatch.setattr(long_streams, "OTHER_PIECE", 784)
    with open_workshop(strongest_jail()) as workshop:
        yield Long(workbench, workshop, tmp_path / "long" / "record.json")


def test_an_honest_stream_passes_and_the_remark_says_what_it_was_compared_with(long: Long) -> None:
    """By itself in other calls, and by another implementation; no record stays."""
    alone = long.asked("honest")
    assert alone.verdict is Verdict.PASS, alone
    assert "2^16 blocks (0 GiB) and some more" in alone.reason
    beside = long.asked("honest", reference="another")
    assert beside.verdict is Verdict.PASS, beside
    assert "what another makes" in beside.reason
    assert long.reached == [*range(1, LEGS + 1)] * 2
    assert not long.record.exists()


def test_a_stream_that_begins_again_is_a_finding_that_says_where(long: Long) -> None:
    """A counter may be specified so: both implementations agree."""
    found = long.asked("again", AGAIN)
    assert found.verdict is Verdict.FINDING
    assert "begins again after 2^12 blocks" in found.reason


def test_blocks_that_are_wrong_in_all_calls_alike_differ_from_the_rivals(long: Long) -> None:
    """Compared with itself the package would pass."""
    assert long.asked("wrong", WRONG).verdict is Verdict.PASS
    found = long.asked("wrong", WRONG, reference="honest")
    assert found.verdict is Verdict.FAIL
    assert "in block 0x2000, differs between" in found.reason


def test_a_carry_that_depends_on_the_length_of_calls_is_found_without_a_rival(long: Long) -> None:
    """It comes a block too early, where a call goes across a power of two."""
    found = long.asked("at-once", AT_ONCE)
    assert found.verdict is Verdict.FAIL
    assert "differs between" in found.reason


def test_an_interrupted_check_goes_on_where_it_was(long: Long) -> None:
    """The same key, the same windows, and no leg twice."""
    long.stop_at = 100
    with pytest.raises(KeyboardInterrupt):
        long.asked("honest", reference="another")
    long.stop_at, long.reached = 0, []
    assert long.asked("honest", reference="another").verdict is Verdict.PASS
    assert long.reached == [*range(100, LEGS + 1)]


def test_what_was_found_before_an_interruption_is_not_forgotten(long: Long) -> None:
    """The stream began again long before."""
    long.stop_at = 200
    with pytest.raises(KeyboardInterrupt):
        long.asked("again", AGAIN)
    long.stop_at = 0
    assert "begins again after 2^12 blocks" in long.asked("again", AGAIN).reason


@pytest.mark.slow
def test_a_context_with_pointers_leaves_no_record(long: Long) -> None:
    """No other process could go on from it."""
    long.stop_at = 100
    with pytest.raises(KeyboardInterrupt):
        long.asked("pointer", POINTER)
    assert not long.record.exists()
    long.stop_at, long.reached = 0, []
    assert long.asked("pointer", POINTER).verdict is Verdict.PASS
    assert long.reached[0] == 1


def test_a_record_that_makes_no_sense_is_begun_anew(long: Long) -> None:
    """A full disk may leave anything."""
    long.record.parent.mkdir()
    long.record.write_text('{"legs": 3')
    assert long.asked("honest").verdict is Verdict.PASS


def test_a_stream_whose_time_is_used_up_is_open_and_goes_on_later(long: Long) -> None:
    """Nobody says that it failed."""
    long.tire_at = 128
    found = long.asked("honest", reference="another")
    assert found.verdict is Verdict.OPEN, found
    assert found.reason == "50 % of 2^16 blocks were made when the time was used up"
    long.tire_at, long.reached = 0, []
    assert long.asked("honest", reference="another").verdict is Verdict.PASS
    assert long.reached[0] == 129


def test_without_the_option_the_check_is_skipped_and_says_how_to_ask(
    workbench: Workbench,
) -> None:
    """--deep alone does not run it either."""
    only = (long_streams.CHECK.name,)
    found = workbench.examine(
        "sync", workbench.package("sync"), thorough=True, deep=True, only=only
    )
    assert found[long_streams.CHECK.name].verdict is Verdict.SKIPPED
    assert "`--deep --long`" in found[long_streams.CHECK.name].reason


@given(unit=st.integers(1, 200), seed=st.integers(0, 1 << 64))
def test_legs_cover_the_stream_and_every_carry_lies_within_a_leg(unit: int, seed: int) -> None:
    """Its window is whole, and no leg begins there."""
    route = Route(unit, seed)
    legs = list(route)
    assert legs[0].begin == 0
    assert all(one.end == other.begin for one, other in pairwise(legs))
    assert legs[-1].end > route.blocks * unit
    seen = {window for leg in legs for window in leg.windows}
    begins = {one.start for one in seen}
    assert all(at - route.around in begins for _, at in route.powers())
    assert not {leg.begin for leg in legs} & {at for _, at in route.powers()}
