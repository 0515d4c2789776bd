# SPDX-License-Identifier: MIT
"""The columns of the table of operations fit each other, and what follows from them is right."""

import pytest

from assay.model.operation import Operation
from assay.model.operations import OPERATIONS

EVERY = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)


@EVERY
def test_each_variable_of_the_tests_has_a_size(operation: Operation) -> None:
    """A call names one variable for each parameter, and what it must be compared with."""
    sizes = operation.tests.sizes.keys()
    for call in operation.tests.calls:
        assert len(call.names) == len(call.function.parameters)
        compared = {name for one, other, _ in call.equal for name in (one, other)}
        assert {*call.names, *compared, *call.xor} <= sizes
        assert {call.forged, call.cleared} <= {"", *call.read, *call.written}


@EVERY
def test_what_is_reported_is_timed(operation: Operation) -> None:
    """A title without a measure would be a column that is always empty."""
    reported = {line.split(": ")[0].partition("/")[0] for line in operation.reports.split("; ")}
    assert reported == {row.name for row in operation.timing.measures if row.name}


@EVERY
def test_functions_that_are_named_exist(operation: Operation) -> None:
    """Those that seal, open and draw."""
    suffixes = {one.suffix for one in operation.functions}
    sealing = {one.seal for one in operation.seals if one.seal is not None}
    assert {*operation.opening, *operation.drawing, *sealing} <= suffixes
    assert {*operation.sent, *(one.split("=")[0] for one in operation.usual.split())} <= {
        *operation.constants
    }


@pytest.mark.parametrize(
    ("name", "overhead", "has_zeros", "is_symmetric", "keystreams"),
    [
        ("crypto_aead", "ABYTES", False, True, ("_encrypt",)),
        ("crypto_secretbox", "ZEROBYTES", True, True, ("",)),
        ("crypto_box", "ZEROBYTES", True, False, ("_afternm",)),
        ("crypto_sign", "BYTES", False, False, ()),
        ("crypto_auth", "", False, True, ()),
        ("crypto_stream", "", False, True, ("", "_xor")),
        ("crypto_rng", "", False, False, ()),
    ],
)
def test_what_follows_from_other_columns(
    name: str, overhead: str, has_zeros: bool, is_symmetric: bool, keystreams: tuple[str, ...]
) -> None:
    """As SUPERCOP's and NaCl's manuals have it."""
    one = OPERATIONS[name]
    found = (one.overhead, one.has_zeros, one.is_symmetric, one.keystreams)
    assert found == (overhead, has_zeros, is_symmetric, keystreams)


def test_a_signature_draws_unless_api_h_says_that_it_repeats() -> None:
    """CRYPTO_DETERMINISTIC is about signatures, and never about keys."""
    sign = OPERATIONS["crypto_sign"]
    for repeats in (0, 1):
        constants = {"DETERMINISTIC": repeats}
        assert sign.draws("", constants.__getitem__) is not bool(repeats)
        assert sign.draws("_keypair", constants.__getitem__)
        assert not sign.draws("_open", constants.__getitem__)


def test_a_kem_answers_damaged_ciphertexts_and_an_aead_refuses_them() -> None:
    """What decapsulation gives then is a part of SUPERCOP's checksum since 2019."""
    refuses = {
        name: OPERATIONS[name].tests.calls[-1].refuses for name in ("crypto_kem", "crypto_aead")
    }
    assert refuses == {"crypto_kem": False, "crypto_aead": True}
    assert not any(one.forged for one in OPERATIONS["crypto_kem"].tests.undamaged.calls)


def test_calls_of_tests_have_the_variables_with_which_they_are_timed() -> None:
    """The second key pair is the other one's; a length repeats the name of what it measures."""
    calls = [(one.suffix, " ".join(one.names)) for one in OPERATIONS["crypto_box"].tests.calls]
    assert calls[:3] == [("_keypair", "y a"), ("_keypair", "z b"), ("", "c m m n z a")]
    assert OPERATIONS["crypto_aead"].tests.calls[1].names == tuple("ttrccaapk")
