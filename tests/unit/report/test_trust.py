# SPDX-License-Identifier: MIT
"""How far a table can be believed stands below it, in JSON and on the machine's page."""

import json

from msgspec.structs import replace

from assay.model import Cell, Conditions, Counter, Finding, Launch, Machine, Trust
from assay.report.cell_exports import described
from assay.report.formats.data_files import json_text
from assay.report.leads import trust_text
from assay.report.table import Report
from assay.stats.summary import calibration
from assay.summary.cells import Results

TICKS = Counter("RDTSC instruction", 26, 2.6e9, 1.42, 0.001)
CORE = Counter("perf_event cycle counter", 1, 3.4e9, 1.0, 0.0)
CALM = Conditions(0.001, (), 0.3, 0.0, 0, 0.0, 0.0, 0.0)
LAUNCH = Launch(
    Cell("a/ref", 1, "gcc"), "o", 1, "now", TICKS, (0.7, 0.7), (0.2, 0.2), 0.2, 0.3,
    "bubblewrap", (), "", CALM,
)  # fmt: skip
MACHINE = Machine(
    "bench", "CPU", "x86_64", 2, 1 << 30, "6", "D", None, None, None, None, "kvm", (),
    (Finding("virtualisation", Trust.BADLY, "virtual (kvm)", "Others.", "Bare metal <b>."),),
)  # fmt: skip


def launches(*errors: float, counter: Counter = TICKS) -> list[Launch]:
    """Make launches with these errors of the calibration."""
    return [
        replace(LAUNCH, counter=counter, conditions=replace(CALM, calibration_error=error))
        for error in errors
    ]


def test_the_error_stands_beside_its_bound_without_its_sign() -> None:
    """Median and largest of the launches, 2 % with a time stamp counter, 0.5 % with cycles."""
    found = trust_text(None, launches(0.001, -0.003, 0.002))
    assert found == (
        (
            "Calibration error 0.20 %, at most 0.30 % over 3 launches "
            "(bound 2.0 % with a time stamp counter)."
        ),
    )
    assert "(bound 0.5 % with a cycle counter)" in trust_text(None, launches(0, counter=CORE))[0]


def test_disturbed_launches_do_not_excuse_or_worsen_the_error() -> None:
    """They do not count for figures either; how many there were is said."""
    marked = replace(launches(0.5)[0], disturbed="a neighbour")
    found = calibration([*launches(0.001), marked])
    assert found is not None
    assert (found.largest, found.launches) == (0.001, 1)
    assert "1 of 2 launches were disturbed" in trust_text(None, [*launches(0.001), marked])[1]
    assert "All 1 launches were disturbed" in trust_text(None, [marked])[1]


def test_the_machine_is_named_with_what_costs_trust() -> None:
    """In one line, with its class."""
    assert trust_text(MACHINE, launches(0.0))[-1] == "Machine: virtual (kvm) (class C)."


def test_nothing_is_said_of_what_nobody_timed() -> None:
    """Emulators count, and older results know nothing of this."""
    assert trust_text(MACHINE, [replace(LAUNCH, conditions=None)]) == ()


def test_json_has_the_error_and_the_doctors_findings() -> None:
    """With numbers, for programs."""
    facts = described(Results(MACHINE, (), (), tuple(launches(0.001, 0.002))))
    record = json.loads(json_text(Report((), facts=facts)))
    assert record["calibration"]["bound"] == 0.02
    assert record["machine"]["class"] == "C"
    assert record["machine"]["findings"][0]["trust"] == "costs much trust"
