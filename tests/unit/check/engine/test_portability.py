# SPDX-License-Identifier: MIT
"""Each slip of portability is shown as red on the targets where it hurts, and on no other."""

import re
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.mock.engine import stand

from assay.check.answers.vector_files import file_text
from assay.check.engine.cells import Examination
from assay.check.engine.verdict import TargetStanding, explained, no_room
from assay.check.engine.workshop import common_trait, open_workshop
from assay.check.session import describe_stream as describe
from assay.compile.recipe import Recipe
from assay.execute.jail import Jail, strongest_jail
from assay.model import CheckResult, Package, Target, Verdict
from assay.package.estream import load_estream
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for, native

CORPUS = Path(__file__).parents[3] / "whole/corpus"
# One of each kind: byte orders, signs of char, 16, 32 and 64 bits, strict and lenient.
ASKED = ("qemu-mipsel", "qemu-mips", "qemu-ppc603e", "qemu-armv4", "simavr-atmega1281",
         "qemu-i386", "qemu-amd64", "qemu-s390x")  # fmt: skip


@dataclass(frozen=True)
class Slip:
    """One entry of corpus/portability.toml."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    red: tuple[str, ...]
    cause: str
    suspect: str
    pair: tuple[str, ...]
    honest: tuple[str, str, str] | None


def slips() -> list[Slip]:
    """Read the corpus."""
    entries = tomllib.loads((CORPUS / "portability.toml").read_text())["defect"]
    return [
        Slip(
            entry["name"],
            tuple((file, old, new) for file, old, new in entry["edits"]),
            tuple(entry["red"]),
            entry["cause"],
            entry["suspect"],
            tuple(entry["pair"]),
            tuple(entry["honest"]) if "honest" in entry else None,
        )
        for entry in entries
    ]


def targets(*names: str) -> tuple[Target, ...]:
    """Find targets; the test is skipped if one is not installed."""
    chosen = choose(names, catalogue())
    for one in chosen:
        if not look_for(one).ok:
            pytest.skip(f"{one.name} is {look_for(one).reason}")
    return chosen


def only(name: str) -> Target:
    """Find one target, or skip the test."""
    return targets(name)[0]


@pytest.fixture(scope="session")
def jail() -> Jail:
    """Give the strongest jail of this machine."""
    return strongest_jail()


@pytest.fixture
def toy(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, jail: Jail
) -> Callable[..., Package]:
    """Give a function that writes a toy with changes, and vectors of the one without."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def write(name: str, *edits: tuple[str, str, str]) -> Package:
        root = tmp_path / name
        shutil.copytree(CORPUS / "sync", root)
        for file, old, new in edits:
            text = (root / file).read_text()
            assert text.count(old) == 1, f"{file} has not one {old!r}"
            (root / file).write_text(text.replace(old, new))
        return load_estream(root, place=f"submissions/toy/{name}")

    def make(slip: Slip | None = None) -> Package:
        honest = write("honest", *([slip.honest] if slip and slip.honest else []))
        path = tmp_path / "toy.test-vectors"
        path.write_text(vectors_of(honest, jail))
        return replace(write("broken", *slip.edits) if slip else honest, vectors=path)

    return make


def vectors_of(package: Package, jail: Jail) -> str:
    """Compute a package's vectors on this machine."""
    configuration, compiler = target_configuration(native())
    with open_workshop(jail) as workshop:
        build = workshop.build(Recipe(package, 1, configuration, compiler, native()))
        connect = workshop.connector(build)
        with connect() as agent:
            subject = describe(agent)
        return "".join(file_text(connect, subject))


def judge(rows: tuple[TargetStanding, ...], slip: Slip) -> None:
    """Compare a matrix with what the corpus says, but for what red rows have in common."""
    assert {row.target.name for row in rows} & set(slip.red) == {
        row.target.name for row in rows if row.failed
    }
    for row in rows:
        assert row.answer("builds") == "yes"
        if row.failed:
            assert re.search(slip.cause, row.cause), row.cause
        else:
            assert row.cause == ""
            assert [row.answer(column) for column in ("conforms", "vectors")] == ["yes", "yes"]


@pytest.mark.parametrize(
    "slip",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.slow] if number else [])
        for number, one in enumerate(slips())
    ],
)
def test_slips_are_red_where_they_hurt(
    toy: Callable[..., Package], jail: Jail, slip: Slip
) -> None:
    """The row gives the cause, and what sets it apart; that of another target is green."""
    package = toy(slip)
    rows = explained(stand(package, one, jail) for one in targets(*slip.pair))
    judge(rows, slip)
    (red,) = [row for row in rows if row.failed]
    assert set(slip.suspect.split(" and ")) <= set(red.suspect.split(" and "))
    assert red.cause.endswith(f"(only where {red.suspect})")


@pytest.mark.slow
@pytest.mark.parametrize("slip", slips(), ids=lambda one: one.name)
def test_slips_are_red_in_exactly_their_rows(
    toy: Callable[..., Package], jail: Jail, slip: Slip
) -> None:
    """Of a matrix with one target of each kind, where the one suspect is the true one."""
    package = toy(slip)
    rows = explained(stand(package, one, jail) for one in targets(*ASKED))
    judge(rows, slip)
    assert {row.suspect for row in rows if row.failed} == {slip.suspect}


@pytest.mark.slow
def test_the_honest_toy_is_green_everywhere(toy: Callable[..., Package], jail: Jail) -> None:
    """Else the rows of the others would prove nothing.

    Where words may lie anywhere, compilers for the i386 keep those of 8 bytes at multiples of 4.
    """
    package = toy()
    rows = explained(stand(package, one, jail) for one in targets(*ASKED))
    assert [row.cause for row in rows] == [""] * len(ASKED)
    assert all(row.misaligned in (0, None) for row in rows if row.target.aligned)


def test_unaligned_accesses_are_counted_where_they_are_allowed(
    toy: Callable[..., Package], jail: Jail
) -> None:
    """On an x86 they work, and the row still says how many there are."""
    (slip,) = [one for one in slips() if one.name == "word-at-an-odd-address"]
    row = stand(toy(slip), only("qemu-amd64"), jail)
    assert not row.failed
    assert int(row.answer("misaligned")) > 0


def test_a_package_that_is_too_large_is_skipped_with_the_reason(
    toy: Callable[..., Package], jail: Jail
) -> None:
    """A table of 9000 bytes is no mistake; a board with 8 KiB has no room for it."""
    table = ("toy.c", "void ECRYPT_init(void) {}", "u8 table[9000];\nvoid ECRYPT_init(void) {}")
    package = toy(Slip("large", (table,), (), "", "", (), None))
    row = stand(package, only("simavr-atmega1281"), jail)
    assert (row.examination, row.failed) == (None, False)
    assert row.cause.startswith("the target has no room for it: its memory for data")


def test_assembly_of_another_machine_is_skipped_with_the_reason(
    toy: Callable[..., Package], jail: Jail
) -> None:
    """A row that was not asked is neither green nor red."""
    package = replace(toy(), architecture="avr8")
    row = stand(package, only("qemu-mips"), jail)
    assert row.cause == "it is assembly for avr8"
    assert [row.answer(column) for column in ("builds", "vectors")] == ["-", "-"]


def test_a_target_that_is_not_installed_is_skipped_with_the_cure(
    toy: Callable[..., Package], jail: Jail
) -> None:
    """What is missing, and the line that installs it."""
    (mips,) = choose(["qemu-mips"], catalogue())
    nowhere = replace(mips, compiler="no-such-gcc", packages=("gcc-nowhere",))
    row = stand(toy(), nowhere, jail)
    assert "not installed: no-such-gcc" in row.cause
    assert "gcc-nowhere" in row.cause


def row(
    name: str, *traits: str, reason: str = "", check: str = "vectors/verified"
) -> TargetStanding:
    """Make a row, red if there is a reason."""
    verdict = CheckResult(check, Verdict.FAIL if reason else Verdict.PASS, reason)
    target = replace(native(), name=name)
    return TargetStanding(target, "", Examination(None, (verdict,)), traits=frozenset(traits))


def test_a_suspect_is_what_red_rows_share_and_green_ones_lack() -> None:
    """With nothing green, or nothing in common, there is none."""
    a, b, c, ab, bc = map(frozenset, ("a", "b", "c", "ab", "bc"))
    assert common_trait([ab, bc], [a, c]) == "b"
    assert common_trait([ab], [c]) == "a and b"
    assert common_trait([a, b], [c]) == ""
    assert common_trait([a], []) == ""
    assert common_trait([], [a]) == ""


def test_only_red_rows_are_explained() -> None:
    """A green row has no cause, and what did not build tells nothing of its machine."""
    rows = explained([
        row("one", "big", "signed", reason="differs"),
        row("two", "little", "signed"),
        row("three", reason="does not compile", check="build/compiles"),
    ])  # fmt: skip
    assert [one.cause for one in rows] == [
        "vectors/verified: differs (only where big)",
        "",
        "build/compiles: does not compile (only where big)",
    ]


def test_no_room_is_told_from_other_reasons() -> None:
    """Only of the build and of the vectors: a single check without room says nothing."""
    reason = "the target has no room for it: its memory for data is too small"
    assert no_room([CheckResult("build/links", Verdict.FAIL, reason)]) == reason
    assert no_room([CheckResult("vectors/verified", Verdict.SKIPPED, reason)]) == reason
    assert no_room([CheckResult("buffers/guard", Verdict.SKIPPED, reason)]) == ""
    assert no_room([CheckResult("build/links", Verdict.FAIL, "nothing defines main")]) == ""
