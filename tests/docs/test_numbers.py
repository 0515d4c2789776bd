# SPDX-License-Identifier: MIT
"""Numbers in the explanations are those of the code."""

import re
import tomllib
from pathlib import Path

import pytest

from assay.check.operation.answers.records import MOST_BYTES
from assay.cli import compare, start
from assay.compile import layouts
from assay.execute import jail, objects, stage
from assay.execute.agent import ANSWER_SECONDS, IN_FLIGHT_BYTES
from assay.execute.command import KEPT_OUTPUT_BYTES
from assay.execute.patience import SECONDS
from assay.measure import disturbance as quiet
from assay.measure import placing
from assay.measure.selftest import judging
from assay.measure.stream.measures import AGILITY_BYTES, TEST_SECONDS
from assay.package.members import ALL_HEADERS_BYTES, HEADER_BYTES
from assay.package.text import LIMIT_BYTES, VECTOR_BYTES, VECTOR_LINES
from assay.plan.effort import Effort
from assay.plan.plan import ROUND_CONFIGURATIONS, Plan
from assay.stats import calibration, comparison, detectable, interleaving, places, rank_sum, shift
from assay.store import schema
from assay.store.database import LOCK_SECONDS
from assay.timing import beats, clock, watch

DOCS = Path(__file__).resolve().parents[2] / "docs"
EFFORT = Effort()
LAUNCHES = Plan((), (), {}).launches
COMPILER, AGENT = jail.COMPILE_LIMITS, jail.AGENT_LIMITS
GIB = 1 << 30
# What Debian calls otherwise than the page does.
SAID = {
    "python3": "python 3",
    "python3-venv": "venv",
    "gcc-mips-linux-gnu": "gcc for mips",
    "libc6-dev-mips-cross": "gcc for mips",
}
TIMING = f"{TEST_SECONDS:.0f} s for one timing;"

SENTENCES = {
    "guide/comparing.md": (
        f"`assay run` would, {compare.LAUNCHES} launches for each side",
        f"finds an order at {100 * interleaving.LEVEL:.0f} %",
        f"From {shift.BOOTSTRAP_FROM} launches on each side",
        f"is called faster or slower, at most {100 * (1 - comparison.CONFIDENCE):.0f} % is wrong",
        f"in {100 * detectable.POWER:.0f} % of simulated cases",
        f"at most {100 * places.FALSE_DISCOVERIES:.0f} % of the separations",
        f"fewer than {rank_sum.launches_needed(places.FALSE_DISCOVERIES)} launches nothing",
        f"| 1 | {rank_sum.launches_needed(0.05)} |",
        *(
            f"| {first} to {last} | {rank_sum.launches_needed(0.05 / last)} |"
            for first, last in ((2, 6), (7, 23))
            if rank_sum.launches_needed(0.05 / first) == rank_sum.launches_needed(0.05 / last)
        ),
    ),
    "guide/measuring.md": (
        f"{LAUNCHES} launches, quartiles are coarse",
        f"Then {EFFORT.samples} batches are timed",
        f"a window of {EFFORT.window_us:.0f} microseconds",
        f"`encrypt_blocks` of {AGILITY_BYTES} bytes",
        f"runs {clock.LOOP_REPEATS} times {clock.LOOP_THOUSANDS},000 operations",
        f"lie within {100 * clock.AGREEMENT:.0f} % of it",
        f"within {stage.MOST_STACK_OFFSET >> 10} KiB;",
        f"within {stage.MOST_PADDING >> 10} KiB, which",
        f"one of {1 + placing.FURTHER_LAYOUTS} *layouts*",
        f"gaps of up to {layouts.MOST_GAP_BYTES >> 10} KiB",
        f"{100 * calibration.COUNTER_ERROR_BOUND:.1f} % with a counter of core cycles",
        f"{100 * calibration.TICKS_ERROR_BOUND:.0f} % with a time stamp counter",
        f"others ran in the {1000 * watch.APART_SECONDS:.0f} milliseconds before",
        f"what counted and {watch.PATIENCE_SECONDS} seconds",
        f"the third lowest of the last {quiet.REMEMBERED} readings",
        f"the latency canary changed by more than {100 * watch.LATENCY_BOUND:.0f} %",
        f"latency canary, changed by more than {100 * watch.THROUGHPUT_BOUND:.0f} %",
        f"more than {100 * quiet.SHARED_BOUND:.0f} % above its known cost",
        f"more than {100 * quiet.STAYING_BOUND:.0f} % above those of a [quiet core]",
        f"for more than {100 * watch.ABSENT_BOUND:.0f} % of a timed group",
        f"more than {quiet.SWITCHES_ANYHOW} times, and {quiet.SWITCHES_PER_SECOND} times per",
        (
            f"took more than {100 * quiet.STEAL_BOUND:.0f} % of the time, and at least"
            f" {1000 * quiet.STEAL_SECONDS:.0f} milliseconds"
        ),
        (
            f"more than {100 * quiet.BESIDE_BOUND:.0f} % of a processor beside it, and at least"
            f" {1000 * quiet.BESIDE_SECONDS:.0f} milliseconds"
        ),
        f"{judging.COMPARISONS:,} comparisons of {judging.PER_SIDE} with {judging.PER_SIDE}",
        f"{judging.POWER_SIDE} launches a side, at a level of {100 * judging.LEVEL:.0f} %",
        (
            f"{judging.LAYOUT_PERCENT} % between two names in the long stream"
            f" | {judging.LAYOUTS} layouts under each"
        ),
        (
            f"a chain of {beats.LATENCY_THOUSANDS},000 additions and"
            f" {beats.THROUGHPUT_THOUSANDS},000 operations"
        ),
        f"is at most {100 * beats.BEAT_BOUND:.0f} % above the lowest canary",
        f"was more than {100 * quiet.PACE_BOUND:.0f} % from that of the loops",
        f"{100 * judging.REPEATED_SHARE:.0f} % of medians within",
        f"at least {100 * judging.MARKED:.0f} % marked",
        f"at most {100 * judging.WRONGLY_MARKED:.0f} % marked",
        f"A round has {ROUND_CONFIGURATIONS} configurations",
    ),
    "reference/jail.md": (
        f"waited for {SECONDS['stream']:.0f} seconds in all, and those of an operation ",
        f"of an operation {SECONDS['operation']:.0f}:",
        f"| sections of object code | {objects.MOST.sections} |",
        f"| symbols of object code | {objects.MOST.symbols} |",
        f"| relocations of object code | {objects.MOST.relocations} |",
        f"| a name in object code | {objects.LONGEST_NAME >> 10} KiB |",
        f"| a source, a header, a Makefile, an api.h | {LIMIT_BYTES >> 20} MiB |",
        f"| a file of vectors | {VECTOR_BYTES >> 20} MiB in {VECTOR_LINES} lines |",
        f"| a file of known answers | {MOST_BYTES >> 20} MiB |",
        f"| one further header of a tar member | {HEADER_BYTES >> 10} KiB, ",
        f"{ALL_HEADERS_BYTES >> 20} MiB in all |",
        f"| {COMPILER.wall_seconds:.0f} s | {ANSWER_SECONDS:.0f} s without an answer, {TIMING}",
        f"| processor time | {COMPILER.cpu_seconds} s | {AGENT.cpu_seconds} s |",
        f"| {COMPILER.memory_bytes // GIB} GiB | {AGENT.memory_bytes // GIB} GiB |",
        f"| {COMPILER.processes} | {AGENT.processes} |",
        f"| {COMPILER.file_bytes // jail.MIB} MiB | {AGENT.file_bytes // jail.MIB} MiB |",
        f"| {COMPILER.scratch_bytes // jail.MIB} MiB | {AGENT.scratch_bytes // jail.MIB} MiB |",
        f"| {KEPT_OUTPUT_BYTES >> 10} KiB | {KEPT_OUTPUT_BYTES >> 10} KiB |",
    ),
    "reference/protocol.md": (
        f"The bench waits {ANSWER_SECONDS:.0f} seconds, {TEST_SECONDS:.0f} for",
        f"keeps at most {IN_FLIGHT_BYTES >> 10} KiB in flight",
    ),
    "guide/getting-started.md": (
        f"with the best {start.command.params[0].default} configurations",
    ),
    "reference/store.md": (
        f"The tables have version {schema.VERSION}.",
        f"waits for up to {LOCK_SECONDS:.0f} seconds",
    ),
}


@pytest.mark.parametrize("page", SENTENCES)
def test_numbers_are_those_of_the_code(page: str) -> None:
    """Whoever changes a constant changes the page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [sentence for sentence in SENTENCES[page] if sentence not in text] == []


def test_every_table_of_the_store_is_described() -> None:
    """By name, with all of its columns."""
    text = (DOCS / "reference" / "store.md").read_text(encoding="utf-8")
    for table in (schema.TABLES + schema.PUBLISHED_TABLES).split("CREATE TABLE ")[1:]:
        name, _, rest = table.partition(" (")
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        columns = rest.partition("UNIQUE (")[0].partition("PRIMARY KEY (")[0].split(",")
        names = [words[0] for words in map(str.split, columns) if len(words) > 1]
        plain = [column for column in names if column.islower() and column.isidentifier()]
        assert plain
        assert [column for column in plain if f"`{column}`" not in row] == [], name


def test_every_dependency_has_its_reason() -> None:
    """Those of pyproject.toml, and the Debian packages that scripts/setup installs."""
    text = (DOCS / "reference" / "dependencies.md").read_text(encoding="utf-8").lower()
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["dependencies"]
    wanted += project["project"]["optional-dependencies"]["test"]
    wanted += project["build-system"]["requires"]
    names = {re.split(r"[><=]", each)[0] for each in wanted}
    setup = (DOCS.parent / "scripts" / "setup").read_text(encoding="utf-8")
    for line in re.findall(r"packages\+?=\((.*)\)", setup):
        names |= {SAID.get(name, name) for name in line.split()}
    assert [name for name in sorted(names) if name not in text] == []
