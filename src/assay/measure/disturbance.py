# SPDX-License-Identifier: MIT
"""Whether a launch counts: pure judgements over what was recorded with it.

A launch is disturbed by what it shows itself (`within`), or because its canaries are
above those of the quietest core known of this machine (`Quiet`): a neighbour that is there
all along changes nothing within a launch. Samples of a disturbed launch count if neither
what lasted all along nor their own beats say that they were touched (`still_quiet`).
"""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from assay.compile.harness import harness_hash
from assay.machine.cache import cache_folder
from assay.model import Beats, Canaries, Conditions, Counter, Launch, Machine, Sample
from assay.stats.summary import counts_cycles, error_bound
from assay.timing.watch import ABSENT_BOUND, LATENCY_BOUND, THROUGHPUT_BOUND

SHARED_BOUND = 0.02  # a neighbour was there all along: that much of the core
STAYING_BOUND = 0.04  # the same, against the quietest launch known
PACE_BOUND = 0.05  # the clock of one group against that of the launch
STEAL_BOUND = 0.02  # share of the time that other virtual machines took
BESIDE_BOUND = 0.20  # share of one processor that others used beside us
BESIDE_SECONDS = 0.03  # three steps of the kernel's account: less is not believed
STEAL_SECONDS = 0.02
SWITCHES_ANYHOW = 20
SWITCHES_PER_SECOND = 50
FEW = 4  # canaries, of which the extremes are taken instead of outer tenths
NAME = "quiet.json"
REMEMBERED = 64  # readings
MACHINES = 32  # with each compiler and ABI, this one included
ODD = 2  # readings that may show less than a quiet core ever does


def within(counter: Counter, conditions: Conditions, samples: Sequence[Sample] = ()) -> str:
    """Explain why a launch does not count by what it shows itself, or nothing.

    Where beats say it of every group, what canaries saw around the groups is no matter.
    """
    timed = [one.beats for one in samples if not one.is_count]
    beats = [one for one in timed if one] if all(timed) else []
    reasons = (
        _calibration(counter, conditions),
        _paces(counter, beats) if beats else _clock(conditions.canaries),
        _core(conditions.canaries, [one.core_share for one in beats]),
        _processor(conditions),
    )
    return "; ".join(filter(None, reasons))


def _calibration(counter: Counter, conditions: Conditions) -> str:
    """Look at the loops of known cost."""
    if counter.cycles_per_tick is None:
        spread = 200 * (counter.cycles_per_tick_spread or 0)
        return f"loops of known cost disagree by {spread:.1f} %"
    error = conditions.calibration_error
    if error is not None and abs(error) > error_bound(core_cycles=counts_cycles(counter)):
        return f"the calibration is off by {100 * error:+.1f} %"
    return ""


def _clock(canaries: Sequence[Canaries]) -> str:
    """Look whether the latency-bound canary moved."""
    change = movement([one.latency for one in canaries])
    if change > LATENCY_BOUND:
        return f"the core's clock changed: canary moved by {100 * change:.1f} %"
    return ""


def _paces(counter: Counter, beats: Sequence[Beats]) -> str:
    """Look whether the clock was far from what the loops of known cost said, in some group.

    Figures are corrected by it, but not without a bound.
    """
    usual = counter.cycles_per_tick
    change = max(abs(one.cycles_per_tick / usual - 1.0) for one in beats) if usual else 0.0
    if change > PACE_BOUND:
        return f"the core's clock changed: by {100 * change:.1f} % for one of the groups"
    return ""


def _core(canaries: Sequence[Canaries], shares: Sequence[float]) -> str:
    """Look whether a neighbour came or went, or shared the multiplier all along."""
    moved = movement([one.throughput / one.latency for one in canaries])
    change = max(shares) / min(shares) - 1.0 if shares else moved
    if change > THROUGHPUT_BOUND:
        return f"a neighbour used the core: canary moved by {100 * change:.1f} %"
    return _multiplier(canaries, often=not shares)


def _multiplier(canaries: Sequence[Canaries], *, often: bool) -> str:
    """Look whether a neighbour shared the multiplier all along."""
    shared = [one.multiplier / one.latency for one in canaries if one.multiplier]
    excess = _usual(shared, often=often) - 1.0 if shared else 0.0
    if excess > SHARED_BOUND:
        return f"a neighbour used the core: multiplications took {100 * excess:.1f} % more"
    return ""


def _usual(values: Sequence[float], *, often: bool) -> float:
    """Return the median, or the lowest quarter's end, where half may be beside a neighbour."""
    if often or len(values) < FEW:
        return statistics.median(values)
    return statistics.quantiles(values, n=4, method="inclusive")[0]


def _processor(conditions: Conditions) -> str:
    """Look who else had the processor, as far as the system tells."""
    share = conditions.absent_share
    if share is not None and share > ABSENT_BOUND:
        return f"the processor was away for {100 * share:.0f} % of a timed group"
    return _others(conditions)


def _others(conditions: Conditions) -> str:
    """Look who else had the processor at any time of the launch."""
    one, seconds = conditions, conditions.seconds
    if one.switches > SWITCHES_ANYHOW + SWITCHES_PER_SECOND * seconds:
        return f"taken off the processor {one.switches} times"
    steal, beside = one.steal_seconds or 0.0, one.beside_seconds or 0.0
    if steal > max(STEAL_SECONDS, STEAL_BOUND * seconds):
        return f"other virtual machines took {100 * steal / seconds:.0f} % of the time"
    if beside > max(BESIDE_SECONDS, BESIDE_BOUND * seconds):
        return f"other programs used {100 * beside / seconds:.0f} % of a neighbouring processor"
    return ""


def movement(values: Sequence[float]) -> float:
    """Return how far values lie apart, relative to the lower end: the middle eight tenths."""
    if len(values) < FEW:
        low, high = min(values, default=1.0), max(values, default=1.0)
    else:
        tenths = statistics.quantiles(values, n=10, method="inclusive")
        low, high = tenths[0], tenths[-1]
    return high / low - 1.0 if low > 0 else 0.0


def core_share(launch: Launch) -> float | None:
    """Return throughput in units of latency, which no change of the clock moves; None: unknown."""
    shares = [one.beats.core_share for one in launch.samples if one.beats]
    if shares:
        return statistics.median(shares)
    if launch.conditions is not None and launch.conditions.canaries:
        return statistics.median(
            one.throughput / one.latency for one in launch.conditions.canaries
        )
    both = zip(launch.throughput_canary, launch.latency_canary, strict=True)
    return max((throughput / latency for throughput, latency in both if latency), default=None)


class Quiet(Struct):
    """The quiet core as the last readings of it showed it, to notice who stays.

    They are taken without a package (`measure/gauge.py`): launches are judged by them, and
    change nothing. `shares` are newest last. `file` keeps them from campaign to campaign (None:
    they are forgotten), under `machine`.
    """

    shares: list[float] = field(default_factory=list)
    file: Path | None = None
    machine: str = ""

    @classmethod
    def remembered(cls, machine: Machine | None, read_by: str = "") -> "Quiet":
        """Begin with the readings that this user has last taken on this machine.

        `read_by` is what read them: loops cost what a compiler made of them.
        """
        file = cache_folder() / NAME
        key = f"{machine.host} {machine.cpu} {read_by} {harness_hash()}" if machine else ""
        return cls(_read(file).get(key, []), file if machine else None, key)

    @property
    def least(self) -> float | None:
        """The third lowest share: one or two odd readings must not mark all launches."""
        if not self.shares:
            return None
        return sorted(self.shares)[min(ODD, (len(self.shares) - 1) // 2)]

    def judged(self, launch: Launch) -> Launch:
        """Mark a launch whose core was shared all along; say which samples count anyway."""
        share, least = core_share(launch), self.least
        if share is not None and least is not None and not launch.disturbed:
            launch = replace(launch, disturbed=shared_all_along(share, least))
        return replace(launch, samples=still_quiet(launch, least))

    def learn(self, share: float) -> None:
        """Remember a reading, unless a neighbour was there as far as is known."""
        least = self.least
        if share <= 0.0 or (least is not None and shared_all_along(share, least)):
            return
        self.shares = [*self.shares, round(share, 4)][-REMEMBERED:]
        self._keep()

    def _keep(self) -> None:
        """Write the shares down; where that fails they are only forgotten."""
        if self.file is None:
            return
        others = {key: one for key, one in _read(self.file).items() if key != self.machine}
        newest = dict(list(others.items())[1 - MACHINES :]) | {self.machine: self.shares}
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            partial = self.file.with_suffix(".partial")
            partial.write_text(json.dumps(newest))
            partial.replace(self.file)
        except OSError:
            self.file = None


def still_quiet(launch: Launch, least: float | None) -> tuple[Sample, ...]:
    """Return samples, `quiet` where what disturbs their launch did not touch them.

    Neighbours come and go between the groups of a launch, and loops of known cost are groups
    of their own. What lasts as long as the launch touches all of them, and so does what cannot
    be told because no quiet core is known.
    """
    lasting = launch.conditions is None or _lasting(launch.conditions) or least is None
    heard = [one.beats for one in launch.samples if one.beats]
    clock = statistics.median(one.cycles_per_tick for one in heard) if heard else 1.0

    def untouched(sample: Sample) -> bool:
        beats = sample.beats
        if sample.is_count:
            return True
        if lasting or least is None or beats is None:
            return False
        near = abs(beats.cycles_per_tick / clock - 1.0) <= PACE_BOUND
        return sample.quiet and near and not shared_all_along(beats.core_share, least)

    return tuple(replace(one, quiet=untouched(one)) for one in launch.samples)


def _lasting(conditions: Conditions) -> str:
    """Return what disturbs all of a launch, beats or not."""
    return _multiplier(conditions.canaries, often=False) or _others(conditions)


def shared_all_along(share: float, least: float) -> str:
    """Describe a noisy neighbour that was there all along; empty without one."""
    excess = share / least - 1.0
    if excess <= STAYING_BOUND:
        return ""
    return f"a neighbour used the core all along: canary {100 * excess:.1f} % above the best"


def _read(file: Path) -> dict[str, list[float]]:
    try:
        found = json.loads(file.read_text())
        return {str(key): [float(one) for one in shares] for key, shares in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
