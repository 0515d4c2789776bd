# SPDX-License-Identifier: MIT
"""Timing classes: when the clock has seen a secret, and what is said where it has not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling

from assay.check.arena import Arena
from assay.check.check import CheckFailed
from assay.check.routine import Routine, Step, Variable, symbol
from assay.check.secret_uses import SecretUse
from assay.cli import ct_timing
from assay.cli.ct_timing import class_report
from assay.measure.studies.classes import ClassRow, Duel, _comparable, _fixing, _means
from assay.model.api import Role, Way
from assay.package.leaks import FOLDER

NOTHING = (-1.0, 0.1, 1.2)


def row(others: tuple[float, float, float], same: tuple[float, float, float]) -> ClassRow:
    """Make a row."""
    return ClassRow("p/ref", "gcc_O2", "encrypt", "cycles", 1000.0, others, same)


@pytest.mark.parametrize(
    ("others", "same", "seen", "bound"),
    [
        ((30.0, 40.0, 50.0), NOTHING, True, 51.2),
        ((-50.0, -40.0, -30.0), NOTHING, True, 51.2),
        ((-1.0, 40.0, 50.0), NOTHING, False, 51.2),
        ((1.0, 2.0, 3.0), NOTHING, False, 4.2),
        (NOTHING, NOTHING, False, 2.4),
        ((30.0, 40.0, 50.0), (-60.0, 3.0, 4.0), False, 110.0),
        ((30.0, 40.0, 50.0), (31.0, 41.0, 51.0), False, 101.0),
    ],
)
def test_a_secret_is_seen_where_others_differ_and_the_same_one_does_not(
    others: tuple[float, float, float], same: tuple[float, float, float], seen: bool, bound: float
) -> None:
    """An interval without 0, farther off than what chance makes of one secret."""
    found = row(others, same)
    assert (found.seen, found.bound) == (seen, bound)


def test_the_table_says_how_much_would_have_been_seen() -> None:
    """And how much was; what is not known is not called clean."""
    rows = [
        row((30.0, 40.0, 50.0), NOTHING),
        row(NOTHING, NOTHING),
        ClassRow("p/ref", "gcc_O2", "", problem="it does not build"),
    ]
    table = class_report(rows).tables[0]
    assert [one.values["answer"] for one in table.rows] == [
        "seen, +4.00 %",
        "not seen; more than 2.4 would have been",
        "not examined: it does not build",
    ]
    assert table.rows[2].values["fixed"] is None


def use(count: int, *, opens: bool = False) -> SecretUse:
    """Make a use with so many keys."""
    key = [Variable(Role.KEY, Way.IN, 8, bytes([n] * 8), secret=True) for n in range(count)]
    steps = (Step("open", 0, (symbol("k"),), returns=0),)
    routines = tuple(Routine("open", {"k": one}, steps) for one in key)
    return SecretUse(routines, tuple(bytes([n]) for n in range(count)), opens)


def test_the_fixed_secret_is_the_one_whose_time_is_farthest_from_the_others() -> None:
    """It stands in as many slots as there are others, and once more."""
    duel = Duel(use(4), (0, 1, 2, 3) * 2)
    ticks = [(100, 101), (103, 99), (140, 150), (98, 102)] * 2
    chosen = _fixing(duel, ticks, window=9 * 101 * 10)
    assert chosen.slots == (2, 2, 2, 0, 1, 3, 2, 2, 2)
    assert chosen.rounds == 10


def test_the_slowest_timings_of_all_count_for_no_class() -> None:
    """An interrupt in one class is no difference."""
    slots = [[10] * 10, [20] * 10, [10] * 9 + [10_000]]
    assert _means(slots) == (10.0, 20.0, 10.0)


class Returning:
    """A session whose calls return 0 for the secrets that it accepts, and -1 for others."""

    def __init__(self, accepts: Callable[[bytes], bool]) -> None:
        self.accepts, self.agent, self.key = accepts, self, b""

    def forget_buffers(self) -> None:
        """Have none."""

    def seeded(self, _: bytes) -> "Returning":
        """Need no randomness."""
        return self

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Wait for nothing."""

    def of(self, steps: tuple[Step, ...]) -> tuple[tuple[int, ...], dict[str, int]]:
        """Return what the calls returned."""
        assert all(one.returns is None for one in steps)
        return (0 if self.accepts(self.key) else -1,), {}


def comparable(
    monkeypatch: pytest.MonkeyPatch, accepts: Callable[[bytes], bool], asked: SecretUse
) -> list[SecretUse]:
    """Return the uses that are compared, if calls accept such keys."""
    session = Returning(accepts)

    def used(_: Arena, routine: Routine) -> Returning:
        session.key = routine.variables["k"].value or b""
        return session

    monkeypatch.setattr(Arena, "use", used)
    return list(_comparable(session, asked))  # type: ignore[arg-type]


def keys(one: SecretUse) -> list[bytes]:
    """Return the keys of a use."""
    return [each.variables["k"].value or b"" for each in one.routines]


def test_calls_that_return_the_same_for_all_secrets_are_compared_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What they return is public, and tells nothing apart."""
    (one,) = comparable(monkeypatch, lambda _: True, use(4))
    assert (len(one.routines), one.routine.name) == (4, "open")


def test_what_refuses_other_secrets_is_compared_where_it_does_not_and_where_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the second half of the key is looked at, so the first half may be another's."""
    accepted, refused = comparable(
        monkeypatch, lambda key: key[4:] == bytes(4), use(4, opens=True)
    )
    assert keys(accepted) == [bytes([n] * 4) + bytes(4) for n in range(4)]
    assert keys(refused) == [bytes([n] * 8) for n in range(1, 4)]
    assert refused.routine.name == "open, refused"


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Call the command line."""
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)


@pytest.mark.parametrize(
    "word",
    ["--left-behind", "--target=qemu-armv4", "--no-cures", "--cures", "--no-price", "--price"],
)
def test_what_the_clock_cannot_say_is_refused(assay: Assay, word: str) -> None:
    """Before anything is compiled."""
    done = assay("ct", str(FOLDER), "--engine", "timing", word)
    assert done.code == 2
    assert f"{word.partition('=')[0]} does not apply to the clock (--engine timing)" in done.err


def test_a_package_whose_calls_fail_is_not_examined_and_takes_nothing_from_others(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs of later calls are made by earlier ones; Ctrl-C, too, leaves what was known."""
    answers: list[BaseException] = [
        CheckFailed("crypto_kem_enc returned 7, not 0"),
        KeyboardInterrupt(),
    ]

    def answered(*_: object) -> list[ClassRow]:
        raise answers.pop(0)

    monkeypatch.setattr(ct_timing, "_wrong", lambda *_: "")
    monkeypatch.setattr(ct_timing, "classes_of", answered)
    done = assay("ct", str(FOLDER), "--engine", "timing", "--compiler", "gcc")
    assert done.code == 130
    assert "not examined: crypto_kem_enc returned 7, not 0" in done.out


@pytest.mark.slow
def test_the_clock_is_asked_of_every_call_that_has_a_secret(assay: Assay) -> None:
    """Whatever it says on this machine: that depends on what else happens there."""
    done = assay("ct", str(FOLDER), "--engine", "timing", "--compiler", "gcc", "--json")
    assert done.code in {0, 3}, done.err
    rows = json.loads(done.out)["rows"]
    if done.code == 0:
        assert {one["use"].partition(" ")[0] for one in rows} >= {
            "encrypt_bytes",
            "decrypt_packet",
        }
        assert all(one["fixed"] > 0 for one in rows)
    else:
        assert any(one["problem"] for one in rows)
