# SPDX-License-Identifier: MIT
"""Constants of api.h that no buffer can have."""

import pytest

from assay.check.session import ImplausibleSizeError


@pytest.mark.parametrize(
    ("size", "shown"),
    [(2**64 - 1, "is -1,"), (2**32, "is 4294967296,"), (0xFFFFFFFF, "is more than 2^31,")],
)
def test_a_size_is_named_as_its_author_wrote_it(size: int, shown: str) -> None:
    """A negative constant arrives as a number of 64 bits."""
    assert shown in str(ImplausibleSizeError("crypto_hash_BYTES", size, 1 << 24))
