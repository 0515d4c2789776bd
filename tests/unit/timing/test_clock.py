# SPDX-License-Identifier: MIT
"""Cycles from ticks, the error of that, and canaries around what is timed: a simulated core."""

from dataclasses import dataclass, field

import pytest

from assay.execute.pipe import PipeClosed
from assay.execute.protocol import (
    HEADER,
    PROTOCOL_VERSION,
    THROUGHPUT,
    Request,
    Status,
    decode_header,
    encode,
)
from assay.machine.processors import Usage
from assay.timing.agent import TimedAgent
from assay.timing.clock import (
    LoopReading,
    calibration_error,
    cycles_per_tick,
    read_loops,
)
from assay.timing.watch import PATIENT, RetryBudget, Watch

CYCLES = {0: 1.0, 1: 3.0, 2: 0.3, 3: 8.0, 4: 3.0, 5: 180.0}  # per operation, of an x86 core
KNOWN = {0: 1, 1: 3, 2: 0, 3: 8, 4: 3, 5: 0}
GREETING = PROTOCOL_VERSION.to_bytes(2, "little") + bytes([64, 1, 1, 0, 16, 0, 0, 0, 0, 0, 4])
GREETING += (1 << 15).to_bytes(4, "little") + b"\x02\x00cc"


@dataclass
class Core:
    """Answers as an agent on a core that does `rate` cycles in a tick; `slow` scales a loop.

    `absent` is the share of a timed group in which it has not got the processor, and a
    neighbour shares the core while as many groups are timed as `neighbour` says.
    """

    rate: float = 1.4
    slow: dict[int, float] = field(default_factory=dict)
    absent: float = 0.0
    neighbour: int = 0
    asked: list[int] = field(default_factory=list)
    now_ns: int = 0
    used_ns: int = 1
    pending: bytes = b""

    def write(self, data: bytes) -> None:
        """Answer the requests of one write, for which the agent has waited half a second."""
        self.now_ns += 500_000_000
        while data:
            code, sequence, length = decode_header(data[: HEADER.size])
            payload = data[HEADER.size : HEADER.size + length]
            data = data[HEADER.size + length + 4 :]
            self.asked.append(code)
            self.pending += encode(Status.OK, sequence, self._answer(code, payload))

    def _answer(self, code: int, payload: bytes) -> bytes:
        if code == Request.HELLO:
            return GREETING
        if code == Request.LOOP:
            loop, thousands = payload[0], int.from_bytes(payload[1:5], "little")
            slow = 1.5 if self.neighbour and loop == THROUGHPUT else self.slow.get(loop, 1.0)
            cycles = CYCLES[loop] * thousands * 1000 * slow
            ticks = round(cycles / self.rate)
            return ticks.to_bytes(8, "little") + KNOWN[loop].to_bytes(4, "little") + b"\0\0"
        if code == Request.CLOCK:
            numbers = (self.now_ns, self.now_ns, 0, self.used_ns)
            return b"".join(one.to_bytes(8, "little") for one in numbers)
        if code == Request.TIME:
            self.now_ns += 10_000_000
            self.neighbour = max(self.neighbour - 1, 0)
            self.used_ns += round(10_000_000 * (1 - self.absent))
            return b"timed"
        return b""

    def read(self, length: int, deadline: float) -> bytes:
        """Give what is queued."""
        del deadline
        if len(self.pending) < length:
            raise PipeClosed
        taken, self.pending = self.pending[:length], self.pending[length:]
        return taken

    def close(self) -> str:
        """End."""
        return ""


def test_the_factor_and_its_error_are_those_of_the_core() -> None:
    """A core that keeps to the published latencies has no error."""
    reading = read_loops(TimedAgent(Core(rate=1.4)))
    ratio, spread = cycles_per_tick((reading,))
    assert ratio == pytest.approx(1.4, rel=1e-4)
    assert spread == pytest.approx(0.0, abs=1e-4)
    assert calibration_error([reading], ratio) == pytest.approx(0.0, abs=1e-4)


def test_the_error_comes_from_a_loop_that_the_factor_does_not() -> None:
    """If that loop takes 3 % more than it must, the error is 3 % and the factor unchanged."""
    reading = read_loops(TimedAgent(Core(rate=1.4, slow={3: 1.03})))
    ratio, _ = cycles_per_tick((reading,))
    assert ratio == pytest.approx(1.4, rel=1e-4)
    assert calibration_error([reading], ratio) == pytest.approx(0.03, abs=1e-3)


def test_both_loops_of_the_factor_wrong_alike_are_found_out() -> None:
    """They agree with each other, but not with the third: the factor is 5 % off."""
    reading = read_loops(TimedAgent(Core(slow={0: 1.05, 1: 1.05})))
    ratio, spread = cycles_per_tick((reading,))
    assert spread < 0.001
    assert calibration_error([reading], ratio) == pytest.approx(-0.0476, abs=1e-3)


def test_loops_that_disagree_give_no_factor_and_no_error() -> None:
    """Then figures are ticks."""
    reading = read_loops(TimedAgent(Core(slow={1: 1.1})))
    ratio, _ = cycles_per_tick((reading,))
    assert ratio is None
    assert calibration_error([reading], ratio) is None


def test_the_worse_of_two_readings_is_the_error() -> None:
    """Before and after the measures; the sign is kept."""
    readings = [LoopReading((), (), 1.40), LoopReading((), (), 1.44)]
    assert calibration_error(readings, 1.42) == pytest.approx(1.42 / 1.40 - 1.0)


def test_canaries_stand_right_around_every_timed_group() -> None:
    """Only clocks go between them and the group; waiting for the bench is no absence."""
    core = Core()
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    for _ in range(3):
        assert agent.time(b"", "timing").bytes(5) == b"timed"
    canaries, absent, _ = watch.stop()
    times = [at for at, code in enumerate(core.asked) if code == Request.TIME]
    assert all(core.asked[at - 1] == core.asked[at + 1] == Request.CLOCK for at in times)
    assert core.asked[times[0] - 3 : times[0] - 1] == [Request.LOOP, Request.CLOCK]
    assert len(canaries) >= 2
    assert absent == pytest.approx(0.0, abs=1e-6)
    assert canaries[0].latency == pytest.approx(1 / 1.4, rel=1e-3)
    assert canaries[0].multiplier == pytest.approx(1 / 1.4, rel=1e-3)


def test_time_without_the_processor_is_seen_and_afterwards_nothing_is_watched() -> None:
    """Half of a group was somebody else's."""
    core = Core(absent=0.5)
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    agent.time(b"", "timing")
    assert watch.stop()[1] == pytest.approx(0.5, abs=0.01)
    before = len(core.asked)
    agent.time(b"", "timing")
    assert core.asked[before:] == [Request.TIME]


def test_a_group_beside_a_neighbour_is_to_be_timed_again_until_it_has_gone() -> None:
    """What counts in the end are canaries of a core that nobody shared."""
    core = Core()
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    agent.time(b"", "timing")
    assert agent.settled()
    core.neighbour = 3
    judged: list[bool] = []
    while not judged or not judged[-1]:
        agent.time(b"", "timing")
        judged.append(agent.settled())
    canaries, _, _ = watch.stop()
    assert judged == [False, False, False, True]
    assert watch.repeated == 3
    assert max(one.throughput for one in canaries) == pytest.approx(0.3 / 1.4, rel=1e-3)


def test_a_group_brings_the_clock_and_the_share_of_its_core() -> None:
    """It counts where its launch is disturbed elsewhere; not where patience had ended."""
    core = Core()
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    agent.time(b"", "timing")
    heard = agent.heard()
    assert heard is not None
    assert heard.quiet
    assert heard.cycles_per_tick == pytest.approx(1.4, rel=1e-3)
    assert heard.share == pytest.approx(0.3, rel=1e-3)
    core.neighbour = 1_000_000
    watch.budget.repeated = 3600.0
    agent.time(b"", "timing")
    heard = agent.heard()
    assert heard is not None
    assert not heard.quiet


def test_a_group_without_the_processor_is_to_be_timed_again() -> None:
    """Canaries do not show it: they ran before and after."""
    core = Core(absent=0.5)
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    agent.time(b"", "timing")
    assert not agent.settled()
    core.absent = 0.0
    agent.time(b"", "timing")
    assert agent.settled()
    assert watch.stop()[1] == pytest.approx(0.0, abs=0.01)


def test_loops_of_known_cost_are_run_again_beside_a_neighbour_too() -> None:
    """They are judged by the canaries around them, never by what they took themselves."""
    core = Core()
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    assert watch.steadily(lambda: 1) == 1
    core.neighbour = 2
    taken: list[int] = []

    def read() -> int:
        read_loops(agent)
        core.neighbour = max(core.neighbour - 1, 0)  # it goes while they run
        taken.append(len(taken))
        return taken[-1]

    assert watch.steadily(read) == 2
    assert taken == [0, 1, 2]
    assert watch.repeated == 2


def test_a_neighbour_that_comes_when_all_is_timed_marks_nothing() -> None:
    """Only the memory is looked at in the end."""
    core = Core()
    agent = TimedAgent(core)
    watch = Watch(agent, None)
    agent.time(b"", "timing")
    assert agent.settled()
    core.neighbour = 1
    canaries, _, _ = watch.stop()
    assert max(one.throughput for one in canaries) == pytest.approx(0.3 / 1.4, rel=1e-3)
    assert canaries[-1].memory is not None


def test_what_the_agent_beside_uses_is_not_taken_for_other_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It makes inputs while the measured one rests; only what is left is somebody else's."""
    beside = [0.0]
    monkeypatch.setattr(
        "assay.timing.watch.usage", lambda _: Usage(beside[0], 0.0, 0.0, 5.0 + beside[0])
    )
    second = TimedAgent(Core())
    monkeypatch.setattr(second, "processor_seconds", lambda: 0.75 * beside[0])
    watch = Watch(TimedAgent(Core()), None, second)
    beside[0] = 0.4
    assert watch.stop()[2].beside_seconds == pytest.approx(0.1)


def test_patience_ends_and_what_was_timed_last_counts_with_its_canaries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A neighbour that stays must not keep a launch for ever; it is disturbed, then."""
    now = [0.0]
    monkeypatch.setattr("assay.timing.watch.time.monotonic", lambda: now[0])
    patience = RetryBudget(_since=0.0)
    judged = []
    for _ in range(6):
        now[0] += 0.45 * PATIENT.seconds
        judged.append(patience.counts(quiet=False))
    # Two of 0.45 fit in; what counted then allows twice its time, which is two more.
    assert judged == [False, False, True, False, False, True]


def test_an_agent_that_is_not_watched_is_always_settled() -> None:
    """Contexts are timed for sizes, too, where nobody asks who was beside them."""
    assert TimedAgent(Core()).settled()
