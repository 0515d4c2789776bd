# SPDX-License-Identifier: MIT
"""What copies on several processors make together."""

import threading

import pytest
from click.testing import CliRunner
from tests.unit.mock.standing import stand_in

from assay.cli import studies
from assay.errors import AssayError, UsageError
from assay.machine.processors import usable_processors
from assay.measure.studies.copies import CopiesRow, at_once
from assay.measure.studies.ready import sizes_of, unit_of
from assay.model import Launch, Sample, SizeChoice


def row(together: tuple[float, ...]) -> CopiesRow:
    """Return a row of four copies, one of which makes 100 a second alone."""
    return CopiesRow("p", "stream/long", "256/64", "byte", 4, (90.0, 100.0, 120.0), together)


@pytest.mark.parametrize(
    ("each", "times"), [((100.0,) * 3, 4.0), ((50.0,) * 3, 2.0), ((25.0,) * 3, 1.0)]
)
def test_all_copies_are_compared_with_one_alone(each: tuple[float, ...], times: float) -> None:
    """Four that are as fast as one make four times as much; a fourth each makes as much as one."""
    assert row(each).times == (times, times, times)


def test_quartiles_are_of_launches_of_all_copies() -> None:
    """The middle half of them."""
    low, middle, high = row((80.0, 90.0, 100.0)).times
    assert low < middle == 3.6 < high


@pytest.mark.parametrize(
    ("measure", "length", "unit"),
    [("stream/long", 4096, "byte"), ("setup/key", 0, "setup"), ("score/-", 0, "call")],
)
def test_a_call_without_bytes_of_its_own_counts_as_a_call(
    measure: str, length: int, unit: str
) -> None:
    """Scores of operations are of several lengths."""
    assert unit_of(Sample(measure, SizeChoice(0, 0), 1, 1, length, (1,))) == unit
    assert sizes_of(Sample(measure, SizeChoice(0, 0), 1, 1, length, (1,))) == ""


def test_more_copies_than_processors_are_refused_with_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two on one processor would only take turns."""
    monkeypatch.setattr(studies, "usable_processors", lambda: {0, 1, 2})
    with pytest.raises(UsageError, match=r"4 copies need as many processors, .* may use 3"):
        studies._processors(4)
    assert studies._processors(2) == [2, 1]
    monkeypatch.setattr(studies, "usable_processors", lambda: {0})
    with pytest.raises(UsageError, match=r"may use 1"):
        studies._processors(None)


def test_all_copies_end_if_one_of_them_fails() -> None:
    """The others would wait for it for ever."""

    def launch(cpu: int) -> Launch:
        if cpu == 1:
            raise AssayError("it gave up", "")
        return stand_in(Launch)

    with pytest.raises(AssayError, match="it gave up"):
        at_once([0, 1, 2], launch)


def test_a_copy_that_is_done_begins_again_until_all_are() -> None:
    """So each is timed beside the others from beginning to end."""
    slow, made = threading.Event(), list[int]()

    def launch(cpu: int) -> Launch:
        made.append(cpu)
        if cpu == 0:
            slow.wait(60)
        elif made.count(1) > 2:
            slow.set()
        return stand_in(Launch, seed=cpu)

    assert [one.seed for one in at_once([0, 1], launch)] == [0, 1]
    assert made.count(0) == 1
    assert made.count(1) > 2


def test_the_table_says_how_much_all_copies_make() -> None:
    """In megabytes a second, with quartiles."""
    report = studies.scale_report([row((100e6, 100e6, 100e6))], 7)
    values = report.tables[0].rows[0].values
    assert (values["unit"], values["copies"], values["each"]) == ("MB", 4, 100.0)


@pytest.mark.slow
@pytest.mark.skipif(len(usable_processors()) < 2, reason="there is one processor")
def test_copies_of_a_cipher_and_of_an_operation_are_measured() -> None:
    """Both copies at once; nobody knows how much they make."""
    words = ["salsa20/ref", "crypto_hash/sha256/ref", "--launches", "3", "--copies", "2"]
    done = CliRunner().invoke(studies.scale_command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if "/ref" in line and " 2 " in line]
    assert len(lines) == 2
