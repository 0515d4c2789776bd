# SPDX-License-Identifier: MIT
"""What share of an operation's work is hashing, multiplying polynomials, or sampling."""

import json

import pytest
from click.testing import CliRunner

from assay.cli.components import command, components_report
from assay.errors import UsageError
from assay.measure.studies.components import ComponentsRow, component_of


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("KeccakF1600_StatePermute", "Keccak"),  # pqm4
        ("shake128_squeezeblocks", "Keccak"),
        ("sha512_block", "SHA-2"),
        ("ntt_fast", "polynomials"),
        ("asm_barrett_reduce", "polynomials"),
        ("poly_uniform", "sampling"),
        ("cbd", "sampling"),
        ("poly_tobytes", "packing"),
        ("fe_mul", "field and curve"),
        ("permute", "permutation"),
        ("ascon_absorb", "Ascon"),
        ("aes_block128", "AES"),
        ("store_block128", "other"),
        ("merge_sort", "other"),
        ("misc_init", "other"),
        ("thash", "other hashing"),
        ("FFT", "polynomials"),
        ("matrix_vector_mul", "matrices"),
        ("main_loop", "other"),
    ],
)
def test_functions_are_assigned_by_their_names(name: str, part: str) -> None:
    """As authors of KEMs and signatures call them; a name that says nothing is `other`."""
    assert component_of(name) == part


def test_shares_are_of_all_instructions_with_a_bar() -> None:
    """Three quarters, and a quarter."""
    parts = (("Keccak", 300), ("other", 100))
    row = ComponentsRow("p", "qemu-amd64", "gcc", "-O2", "crypto_kem_enc", 400, parts, ())
    table = components_report([row]).tables[0]
    shares = [(one.values["share"], len(one.values["bar"])) for one in table.rows]
    assert shares == [("75.0 %", 18), ("25.0 %", 6)]


def test_what_several_components_hash_is_one_row_more() -> None:
    """As pqm4's tables have it; a single one needs no sum."""
    parts = (("permutation", 200), ("Keccak", 100), ("other", 100))
    row = ComponentsRow("p", "qemu-amd64", "gcc", "-O2", "crypto_kem_enc", 400, parts, ())
    report = components_report([row])
    last = report.tables[0].rows[-1]
    assert (last.values["part"], last.values["share"]) == ("all hashing", "75.0 %")
    assert report.facts["rows"][0]["hashing"] == row.hashing == 300


@pytest.mark.parametrize(
    ("function", "hashing"),
    [("crypto_sign with m of 32 bytes", 60), ("crypto_kem_enc", 60), ("crypto_aead_encrypt", 20)],
)
def test_aes_hashes_in_kems_and_signatures_alone(function: str, hashing: int) -> None:
    """It expands MAYO's seeds, as pqm4 counts it; in AES-GCM it is the cipher."""
    parts = (("AES", 40), ("other", 40), ("Keccak", 20))
    row = ComponentsRow("p", "qemu-amd64", "gcc", "-O2", function, 100, parts, ())
    assert row.hashing == hashing
    table = components_report([row]).tables[0]
    assert [one.values["part"] for one in table.rows][3:] == ["all hashing"] * (hashing > 20)


def test_a_cipher_of_another_api_is_refused() -> None:
    """Its measures have no functions of an operation."""
    with pytest.raises(UsageError, match="is no operation"):
        CliRunner().invoke(command, ["rc4/ref"], catch_exceptions=False)


@pytest.mark.slow
def test_most_of_a_kem_is_its_hash() -> None:
    """ML-KEM's designers and pqm4 say so: more than half of each function is Keccak."""
    words = ["crypto_kem/mlkem768/ref", "--json", "--level", "-O2", "--level", "-Os"]
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    assert [row["level"] for row in rows] == ["-O2"] * 3 + ["-Os"] * 3
    for row in rows:
        assert row["hashing"] > row["instructions"] / 2


@pytest.mark.parametrize("target", ["all", "native"])
def test_targets_that_cannot_count_are_refused(target: str) -> None:
    """This machine among them, which `all` has, too."""
    words = ["crypto_kem/mlkem768/ref", "--target", target]
    with pytest.raises(UsageError, match="nothing counts instructions on native"):
        CliRunner().invoke(command, words, catch_exceptions=False)
