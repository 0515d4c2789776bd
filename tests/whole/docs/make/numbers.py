# SPDX-License-Identifier: MIT
"""Numbers in pages that are constants of the code.

A page has `<!--=NAME-->10<!--/-->`, which readers see as 10. Write the marker with anything
in it; `./scripts/docs` puts the number there.
"""

import re

from assay.check.answers import vectors
from assay.check.answers.records import MOST_BYTES
from assay.check.supercop.outcomes import ENDS_SECONDS
from assay.check.trial import CHECK_SECONDS, HURRIED_PART, SHORT_PART
from assay.cli import start
from assay.cli.applies import MANY
from assay.cli.revisions import ENOUGH_SECONDS, FURTHER, LOOKS, SAMPLES
from assay.compile import layouts
from assay.elf import reading
from assay.execute import jail, lock, stage
from assay.execute.command import KEPT_OUTPUT_BYTES
from assay.execute.conversation import ANSWER_SECONDS, IN_FLIGHT_BYTES
from assay.execute.patience import HURRIED_SECONDS
from assay.measure import disturbance, launch
from assay.measure.selftest import judging, rates
from assay.measure.series import TEST_SECONDS
from assay.model.apis import AGILITY_BYTES
from assay.model.kinds import PackageKind
from assay.package.members import ALL_HEADERS_BYTES, HEADER_BYTES
from assay.package.text import LIMIT_BYTES, VECTOR_BYTES, VECTOR_LINES
from assay.plan.plan import ROUND_CONFIGURATIONS, Effort, Plan
from assay.report.compare import answers
from assay.stats import comparison, places, rank_sum, shift, summary
from assay.store import schema
from assay.store.database import LOCK_SECONDS
from assay.timing import beats, clock, watch

EFFORT = Effort()
COMPILER, AGENT = jail.COMPILE_LIMITS, jail.AGENT_LIMITS
MARKED = re.compile(r"<!--=([a-z-]+)-->(.*?)<!--/-->")


def percent(share: float, places: int = 0) -> str:
    """Return a share in per cent."""
    return f"{100 * share:.{places}f}"


def milliseconds(seconds: float) -> str:
    """Return a time in milliseconds."""
    return f"{1000 * seconds:.0f}"


def kib(size: int) -> str:
    """Return a size in KiB."""
    return str(size >> 10)


def mib(size: int) -> str:
    """Return a size in MiB."""
    return str(size >> 20)


def gib(size: int) -> str:
    """Return a size in GiB."""
    return str(size >> 30)


NUMBERS = {
    "compare-launches": str(LOOKS[0]),
    "compare-most-launches": str(LOOKS[-1]),
    "compare-further-launches": str(FURTHER[-1]),
    "compare-samples": str(SAMPLES),
    "compare-seconds": f"{ENOUGH_SECONDS:g}",
    "beside": f"{answers.BESIDE:g}",
    "beyond": f"{answers.BEYOND:g}",
    "order-level": percent(comparison.LEVEL),
    "bootstrap-from": str(shift.BOOTSTRAP_FROM),
    "false-claims": percent(1 - comparison.CONFIDENCE),
    "power": percent(comparison.POWER),
    "false-discoveries": percent(places.FALSE_DISCOVERIES),
    "launches-separated": str(rank_sum.launches_needed(places.FALSE_DISCOVERIES)),
    "launches-one-pair": str(rank_sum.launches_needed(0.05)),
    "run-launches": str(Plan((), (), {}).launches),
    "effort-samples": str(EFFORT.samples),
    "effort-window-us": f"{EFFORT.window_us:.0f}",
    "agility-bytes": str(AGILITY_BYTES),
    "loop-repeats": str(clock.LOOP_REPEATS),
    "loop-thousands": str(clock.LOOP_THOUSANDS),
    "loop-agreement": percent(clock.AGREEMENT),
    "most-stack-offset": kib(stage.MOST_STACK_OFFSET),
    "most-padding": kib(stage.MOST_PADDING),
    "further-layouts": str(1 + launch.FURTHER_LAYOUTS),
    "most-gap-bytes": kib(layouts.MOST_GAP_BYTES),
    "counter-error-bound": percent(summary.COUNTER_ERROR_BOUND, 1),
    "ticks-error-bound": percent(summary.TICKS_ERROR_BOUND),
    "apart-seconds": milliseconds(watch.APART_SECONDS),
    "repeat-seconds": str(watch.PATIENT.seconds),
    "quiet-readings": str(disturbance.REMEMBERED),
    "latency-bound": percent(watch.LATENCY_BOUND),
    "throughput-bound": percent(watch.THROUGHPUT_BOUND),
    "shared-bound": percent(disturbance.SHARED_BOUND),
    "staying-bound": percent(disturbance.STAYING_BOUND),
    "absent-bound": percent(watch.ABSENT_BOUND),
    "switches-anyhow": str(disturbance.SWITCHES_ANYHOW),
    "switches-per-second": str(disturbance.SWITCHES_PER_SECOND),
    "steal-bound": percent(disturbance.STEAL_BOUND),
    "steal-seconds": milliseconds(disturbance.STEAL_SECONDS),
    "beside-bound": percent(disturbance.BESIDE_BOUND),
    "beside-seconds": milliseconds(disturbance.BESIDE_SECONDS),
    "false-alarm-comparisons": f"{rates.COMPARISONS:,}",
    "per-side": str(rates.PER_SIDE),
    "power-side": str(rates.POWER_SIDE),
    "judging-level": percent(rates.LEVEL),
    "layout-percent": str(judging.LAYOUT_PERCENT),
    "layouts": str(judging.LAYOUTS),
    "latency-thousands": str(beats.LATENCY_THOUSANDS),
    "throughput-thousands": str(beats.THROUGHPUT_THOUSANDS),
    "beat-bound": percent(beats.BEAT_BOUND),
    "pace-bound": percent(disturbance.PACE_BOUND),
    "repeated-share": percent(judging.REPEATED_SHARE),
    "marked-share": percent(judging.MARKED),
    "wrongly-marked": percent(judging.WRONGLY_MARKED),
    "round-configurations": str(ROUND_CONFIGURATIONS),
    "measuring-seconds": f"{lock.MEASURING_SECONDS:.0f}",
    "checking-seconds": f"{lock.CHECKING_SECONDS:.0f}",
    "patience-stream": f"{PackageKind.STREAM.rules.patience_seconds:.0f}",
    "patience-hurried": f"{HURRIED_SECONDS:.0f}",
    "hurried-percent": percent(HURRIED_PART),
    "small-ends-seconds": f"{ENDS_SECONDS[False]:.0f}",
    "big-ends-seconds": f"{ENDS_SECONDS[True]:.0f}",
    "many": str(MANY),
    "patience-operation": f"{PackageKind.OPERATION.rules.patience_seconds:.0f}",
    "objects-sections": str(reading.MOST.sections),
    "objects-symbols": str(reading.MOST.symbols),
    "objects-relocations": str(reading.MOST.relocations),
    "objects-longest-name": kib(reading.LONGEST_NAME),
    "source-bytes": mib(LIMIT_BYTES),
    "vector-bytes": mib(VECTOR_BYTES),
    "vector-lines": str(VECTOR_LINES),
    "answers-bytes": mib(MOST_BYTES),
    "header-bytes": kib(HEADER_BYTES),
    "all-headers-bytes": mib(ALL_HEADERS_BYTES),
    "compiler-wall-seconds": f"{COMPILER.wall_seconds:.0f}",
    "answer-seconds": f"{ANSWER_SECONDS:.0f}",
    "compiler-cpu-seconds": str(COMPILER.cpu_seconds),
    "agent-cpu-seconds": str(AGENT.cpu_seconds),
    "vectors-seconds": f"{vectors.VERIFYING_SECONDS:.0f}",
    "ways-seconds": f"{vectors.COMPARING_SECONDS:.0f}",
    "most-check-seconds": f"{CHECK_SECONDS:.0f}",
    "short-percent": f"{100 * SHORT_PART:.0f}",
    "compiler-memory-bytes": gib(COMPILER.memory_bytes),
    "agent-memory-bytes": gib(AGENT.memory_bytes),
    "compiler-processes": str(COMPILER.processes),
    "agent-processes": str(AGENT.processes),
    "compiler-file-bytes": mib(COMPILER.file_bytes),
    "agent-file-bytes": mib(AGENT.file_bytes),
    "compiler-scratch-bytes": mib(COMPILER.scratch_bytes),
    "agent-scratch-bytes": mib(AGENT.scratch_bytes),
    "kept-output-bytes": kib(KEPT_OUTPUT_BYTES),
    "test-seconds": f"{TEST_SECONDS:.0f}",
    "in-flight-bytes": kib(IN_FLIGHT_BYTES),
    "start-best": str(start.command.params[0].default),
    "schema-version": str(schema.VERSION),
    "lock-seconds": f"{LOCK_SECONDS:.0f}",
    "launches-few-pairs": str(rank_sum.launches_needed(0.05 / 6)),
    "launches-more-pairs": str(rank_sum.launches_needed(0.05 / 23)),
}


def names(text: str) -> set[str]:
    """Return the names of the numbers in a page."""
    return {name for name, _ in MARKED.findall(text)}


def written(text: str) -> str:
    """Return a page with the numbers that the code has now; KeyError for an unknown name."""
    return MARKED.sub(lambda found: f"<!--={found[1]}-->{NUMBERS[found[1]]}<!--/-->", text)
