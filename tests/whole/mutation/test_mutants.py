# SPDX-License-Identifier: MIT
"""How good the checks are: `./scripts/test --mutants` changes shipped packages bit by bit."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.mock.standing import stand_in

from assay.check.engine.cells import Examination
from assay.check.engine.workshop import Workshop
from assay.cli.lint import PATIENCE_SECONDS, fates_report
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Build, CheckResult, Package, Verdict
from assay.model.compared import PATIENCE
from assay.mutation.hunt import NO_CODE, SAME, STEPS, SURVIVED, Fate, _found_by, hunt
from assay.mutation.mutants import chosen, mutants_of
from assay.package.resolve import resolve

PACKAGES = (
    "submissions/salsa20/ref",
    "submissions/trivium/ref",
    "submissions/rabbit/ref",
    "submissions/phelix/ref",
    "submissions/sha256/portable",
    "submissions/keccak/nist",
    "submissions/supercop/crypto_aead/chacha20poly1305/ref",
    "submissions/supercop/crypto_hash/blake2b/ref",
    "submissions/supercop/crypto_onetimeauth/poly1305/ref",
    "submissions/supercop/crypto_secretbox/xsalsa20poly1305/ref",
    "submissions/supercop/crypto_sort/int32/ref",
    "submissions/supercop/crypto_scalarmult/curve25519/limbs51",
)
ROOT = Path(__file__).parents[3]
NUMBER = int(os.environ.get("ASSAY_MUTANTS", "100"))
SEED = 1
SOURCE = "/* a + 1 */\n#define TWICE(x) ((x) << 1)\nint f(int *a)\n{\n    a[0] = -2 * *a;\n}\n"


def sorted_by_hand() -> dict[str, dict[str, str]]:
    """Return why a mutant of a package survives, for each that was looked at."""
    file = Path(__file__).with_name("survivors.toml")
    return {
        package: {change: why for why, changes in whys.items() for change in changes}
        for package, whys in tomllib.loads(file.read_text()).items()
    }


def test_every_operator_and_constant_of_code_is_changed_and_nothing_else() -> None:
    """Comments, pointers and signs stay as they are; macros and statements do not."""
    changed = {(one.kind, one.applied(SOURCE)) for one in mutants_of(SOURCE)}
    texts = {text for _, text in changed}
    assert SOURCE.replace("<< 1", ">> 1") in texts
    assert SOURCE.replace("-2 * *a", "-2 + *a") in texts
    assert SOURCE.replace("a[0] = -2 * *a;", ";") in texts
    assert SOURCE.replace("-2", "-3") in texts
    assert all(text.startswith("/* a + 1 */") and "int f(int *a)" in text for text in texts)
    assert "= +2" not in "".join(texts)


def test_the_same_seed_chooses_the_same_mutants() -> None:
    """So a figure can be repeated."""
    assert chosen(SOURCE, 3, 7) == chosen(SOURCE, 3, 7)


def hunted(place: str, number: int, seed: int, home: Path, *, deep: bool) -> tuple[Fate, ...]:
    """Hunt mutants of a package of the repository."""
    (package,) = resolve((f"./{place}",), ROOT, cwd=ROOT)
    assert isinstance(package, Package), package
    jail = replace(strongest_jail(), patience_seconds=PATIENCE_SECONDS)
    return hunt(package, number, seed, (home, jail), deep=deep)


def test_mutants_of_a_cipher_are_found_by_its_vectors(tmp_path: Path) -> None:
    """A few of RC4, whose line each is named."""
    fates = hunted("benchmarks/rc4/ref", 4, 2, tmp_path, deep=False)
    assert len(fates) == 4
    assert {one.by for one in fates} - {SAME, NO_CODE, SURVIVED}
    lines = (ROOT / "benchmarks/rc4/ref/rc4.c").read_text().splitlines()
    for one in (each for each in fates if each.change.startswith("rc4.c: ")):
        assert one.change.split(": ", 1)[1].split(" => ")[0] == lines[one.line - 1].strip()


@pytest.mark.parametrize(("early", "by"), [(True, PATIENCE), (False, SURVIVED)])
def test_a_mutant_that_goes_round_in_circles_is_noticed(early: bool, by: str) -> None:
    """It uses up its time before it has answered anything; later on, honest code may be slow."""
    build = stand_in(Build, ok=True, object_hash="other")
    spent = Examination(None, (CheckResult(PATIENCE, Verdict.OPEN, "used up"),))
    fine = Examination(None, (CheckResult("vectors/verified", Verdict.PASS),))
    outcomes = iter([spent] if early else [fine, spent])
    allowed: list[float] = []

    def unhurried(seconds: float) -> Workshop:
        allowed.append(seconds)
        return workshop

    workshop = stand_in(
        Workshop,
        build=lambda _: build,
        examine=lambda *_: next(outcomes),
        unhurried=unhurried,
    )
    recipe = stand_in(Recipe, package=stand_in(Package, kind="stream"))
    assert _found_by(workshop, recipe, "original", STEPS) == by
    assert allowed == ([] if early else [600.0])


def test_the_report_counts_what_made_other_code_and_lists_what_survived() -> None:
    """The same code and what does not compile are no defects."""
    fates = (
        Fate("shift", "a.c: x << 1 => x >> 1", "vectors/verified", 3),
        Fate("constant", "a.c: 7 => 8", SURVIVED, 5),
        Fate("constant", "a.c: 1 => 2", SAME, 6),
        Fate("arrow", "a.c: p->x => px", NO_CODE, 7),
    )
    report = fates_report("toy", fates, deep=False)
    assert report.above[0].text == "toy: 1 of 2 changes that made other code were noticed."
    survivors, finders = report.tables
    assert [dict(row.values) for row in survivors.rows] == [
        {"file": "a.c", "line": 5, "kind": "constant", "change": "7 => 8"}
    ]
    assert [row.values["check"] for row in finders.rows] == ["vectors/verified", "nothing"]


@pytest.mark.mutation
@pytest.mark.parametrize("place", PACKAGES)
def test_mutants_are_found_or_someone_has_looked_at_them(
    place: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """A mutant that survives all checks is in survivors.toml, with the reason."""
    fates = hunted(place, NUMBER, SEED, tmp_path, deep=True)
    for one in fates:
        record_property("fate", (one.kind, one.by))
    known = sorted_by_hand().get(place, {})
    new = [one.change for one in fates if one.by == SURVIVED and one.change not in known]
    assert not new, "\n".join(["nobody has looked at these:", *new])
