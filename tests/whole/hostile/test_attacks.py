# SPDX-License-Identifier: MIT
"""Hostile packages: what each tries, and that it gets nothing and harms nobody."""

import re
from collections.abc import Callable

import pytest
from tests.whole.hostile.attacks import UNCHANGED, Attack, all_attacks
from tests.whole.hostile.conftest import SEEN, Outcome, Range
from tests.whole.hostile.outside import Outside

from assay.execute.jail import JailMode

ATTACKS = all_attacks()
LOOT = "LOOT: "
# What these checks ask needs agents without a seal, and no figure comes from them.
UNSEALED = re.compile(
    "^(buffers/read-only-inputs|calls/threads|calls/surroundings): .*$", re.MULTILINE
)
ROW = "attack by outcome"  # under this name the table at the end finds it
SHOWN = 90

SKIPPED_WHERE_SLOW = ("lengths/beyond-4-mib",)  # and a busy machine makes all code slow


def marks(attack: Attack) -> tuple[pytest.MarkDecorator, ...]:
    """Say when an attack is tried: a few always, the others with the whole corpus."""
    return () if attack.fast else (pytest.mark.slow,)


def table(wanted: tuple[Attack, ...]) -> list[object]:
    """Make parameters of attacks."""
    return [pytest.param(one, id=one.name, marks=marks(one)) for one in wanted]


def shown(got: Outcome) -> str:
    """Say in a few words what became of an attack."""
    return " ".join(got.failed.split())[:SHOWN] or "gets nothing; judged as the honest one is"


def behaviour(got: Outcome) -> dict[str, str]:
    """Give the verdicts that do not come from reading the object code, nor depend on the load."""
    left_out = (*SEEN, *SKIPPED_WHERE_SLOW)
    return {check: verdict for check, verdict in got.verdicts.items() if check not in left_out}


def judge(attack: Attack, got: Outcome, grounds: Range) -> None:
    """Fail unless the attack ended as it must."""
    expected = attack.outcome.removeprefix(f"{UNCHANGED}|")
    if attack.outcome.startswith(UNCHANGED) and (not got.failed or got.failed.startswith(SEEN)):
        assert behaviour(got) == behaviour(grounds.honest), got.failed
        assert not attack.by_itself or got.verdicts["object/constructors"] == "fail"
        return
    assert attack.outcome != UNCHANGED, got.failed
    assert re.match(expected, got.failed, re.DOTALL), got.failed or "it passed"


@pytest.mark.usefixtures("unharmed", "meagre")
@pytest.mark.parametrize("attack", table(ATTACKS))
def test_an_attack_gets_nothing_and_harms_nobody(
    attack: Attack, grounds: Range, around: Outside, record_property: Callable[..., None]
) -> None:
    """No secret is told or carried away, nothing outside is touched, and no pass is bought."""
    got = grounds.attack(attack)
    record_property(ROW, (attack.name, attack.tries, attack.when, shown(got)))
    said = got.said if not attack.sealed else UNSEALED.sub("", got.said)
    assert LOOT not in said, said
    assert around.token not in got.said
    for path in got.artefacts:
        assert around.token.encode() not in path.read_bytes()
    judge(attack, got, grounds)


@pytest.mark.usefixtures("meagre")
@pytest.mark.parametrize("attack", table(tuple(one for one in ATTACKS if one.weak)))
def test_the_same_attack_succeeds_in_the_weaker_mode(
    attack: Attack, grounds: Range, around: Outside
) -> None:
    """So the jail is what stopped it, and this is what `--jail limits` does not stop."""
    try:
        got = grounds.attack(attack, JailMode.LIMITS_ONLY)
        carried = any(around.token.encode() in path.read_bytes() for path in got.artefacts)
        assert LOOT in got.said or around.token in got.said or carried, got.said
    finally:
        around.restore()
