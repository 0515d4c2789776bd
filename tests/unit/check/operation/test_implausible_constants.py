# SPDX-License-Identifier: MIT
"""Constants of api.h that no buffer can have."""

import pytest

from assay.check.operation.kind import undefined
from assay.check.session import ImplausibleSizeError
from assay.model import OperationSubject
from assay.model.operation import Op
from assay.model.operations import OPERATIONS


@pytest.mark.parametrize(
    ("size", "shown"),
    [(2**64 - 1, "is -1,"), (2**32, "is 4294967296,"), (0xFFFFFFFF, "is more than 2^31,")],
)
def test_a_size_is_named_as_its_author_wrote_it(size: int, shown: str) -> None:
    """A negative constant arrives as a number of 64 bits."""
    assert shown in str(ImplausibleSizeError("crypto_hash_BYTES", size, 1 << 24))


@pytest.mark.parametrize(
    ("operation", "functions", "missing"),
    [
        ("crypto_stream", ("", "_xor"), ()),
        ("crypto_stream", ("", "_xor", "_beforenm"), ("CRYPTO_BEFORENMBYTES",)),
        ("crypto_box", ("", "_open", "_beforenm"), ("CRYPTO_BEFORENMBYTES",)),
        ("crypto_aead", ("_encrypt", "_decrypt"), ()),
        ("crypto_hash", ("",), ("CRYPTO_BYTES",)),
    ],
)
def test_a_size_is_missing_only_where_a_function_uses_it(
    operation: str, functions: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    """A failure of a stream cipher was said to follow from a size that nothing in it uses."""
    every = OPERATIONS[Op(operation)].constants
    wanted = {one.removeprefix("CRYPTO_") for one in missing} | {"NSECBYTES", "BEFORENMBYTES"}
    constants = tuple((one, 32) for one in every if one not in wanted)
    subject = OperationSubject(operation, "toy", "ref", constants, functions, 0)
    assert undefined(subject) == missing
