# SPDX-License-Identifier: MIT
"""Which other primitives an implementation uses, by the headers that it includes.

As SUPERCOP does, every file counts, and so does an #include under a condition, unless
that is certainly false.
"""

import re
from collections.abc import Iterable

from assay.model.operations import OPERATIONS
from assay.package.supercop.files import Files

_HEADER = re.compile(r"(crypto_[a-z]{1,20})_(\w{1,100}?)(_publicinputs)?\.h", re.ASCII)


def subroutines(
    files: Files, own: str, given: Iterable[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the primitives used (`crypto_hash_sha512`), and those for public inputs only.

    `own` is the package's primitive, which is none. A header that stands in the folder
    itself, or is `given` by its tree, is found there and is none either.
    """
    secret: set[str] = set()
    public: set[str] = set()
    there = {*files.real, *given}
    for header in files.includes():
        found = _HEADER.fullmatch(header)
        if found and found[1] in OPERATIONS and header not in there:
            (public if found[3] else secret).add(f"{found[1]}_{found[2]}")
    used = (secret | public) - {own}
    return tuple(sorted(used)), tuple(sorted(used - secret))
