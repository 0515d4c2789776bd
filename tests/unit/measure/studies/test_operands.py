# SPDX-License-Identifier: MIT
"""Operands of which more or fewer bits are set, and what is said of the time on them."""

import pytest
from click.testing import CliRunner

from assay.cli import studies
from assay.compile.recipe import Recipe
from assay.errors import AssayError, UsageError
from assay.measure.studies.operands import RANDOM, Operands, OperandsRow

BYTES = 4096


@pytest.mark.parametrize(
    ("name", "eighths"), [("zeros", 0), ("sparse", 1), (RANDOM, 4), ("dense", 7), ("ones", 8)]
)
def test_operands_have_as_many_bits_set_as_their_name_says(name: str, eighths: int) -> None:
    """Of 32,768 drawn bits, within five standard deviations."""
    drawn = Operands(1, name, []).randbytes(BYTES)
    share = int.from_bytes(drawn, "little").bit_count() / (8 * BYTES)
    assert len(drawn) == BYTES
    assert abs(share - eighths / 8) < 0.014


def test_only_operands_are_drawn_so() -> None:
    """The order of calls and the masks stay random."""
    assert len({Operands(seed, "zeros", []).getrandbits(64) for seed in range(8)}) == 8


def test_operands_that_cannot_be_are_named_and_not_timed() -> None:
    """Two strings of zeros are equal, so nothing can be refused."""
    rows = [
        OperandsRow("p", RANDOM, (2e-9, 2e-9, 2e-9), (2e-9,)),
        OperandsRow("p", "ones", (3e-9, 3e-9, 3e-9), (2e-9,)),
        OperandsRow("p", "zeros", (), (2e-9,), "its inputs are not to be accepted"),
    ]
    table = studies.operands_report(rows, 3).tables[0]
    one, slower, not_timed = (row.values for row in table.rows)
    assert (one["ratio"], slower["ratio"]) == (1.0, 1.5)
    assert not_timed["ratio"] is None
    assert "not to be accepted" in not_timed["quartiles"]


def test_packages_without_operands_are_refused() -> None:
    """The agent draws what ciphers and hashes of other APIs are given."""
    with pytest.raises(UsageError, match="is no operation"):
        CliRunner().invoke(studies.operands_command, ["rc4/ref"], catch_exceptions=False)


@pytest.mark.slow
def test_an_operation_is_timed_on_all_operands() -> None:
    """Whatever the figures are."""
    words = ["crypto_hash/sha256/ref", "--launches", "3"]
    done = CliRunner().invoke(studies.operands_command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert sum(line.startswith("crypto_hash/sha256/ref") for line in done.output.splitlines()) == 6


def test_an_operation_that_is_given_nothing_is_refused() -> None:
    """A KEM makes its keys and messages of its own randomness, which stays random."""
    words = ["crypto_kem/mlkem768/ref", "--launches", "3"]
    with pytest.raises(AssayError, match="are given nothing that is drawn"):
        CliRunner().invoke(studies.operands_command, words, catch_exceptions=False)


def test_a_package_that_cannot_be_studied_takes_nothing_from_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its reason is a warning, and the exit code says that something failed."""

    def answered(_: object, recipe: Recipe, *__: object) -> list[OperandsRow]:
        if recipe.package.selector.endswith("16/ref"):
            raise AssayError("it does not build", "Repair it.")
        return [OperandsRow(recipe.package.selector, RANDOM, (2e-9,) * 3, (2e-9,))]

    monkeypatch.setattr(studies, "operands_of", answered)
    words = ["crypto_verify/16/ref", "crypto_verify/32/ref"]
    code = studies.operands_command.main(words, standalone_mode=False)
    said = capsys.readouterr()
    assert code == 1
    assert "crypto_verify/32/ref" in said.out
    assert "warning: crypto_verify/16/ref: it does not build Repair it." in said.err
