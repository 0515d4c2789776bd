# SPDX-License-Identifier: MIT
"""Functions of a tree that take more than those of the API: contexts, flags, random coins."""

import re
from collections.abc import Iterator

from assay.model.api import Api

_LAST_WORD = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", re.ASCII)


def longer_functions(operation: Api, code: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield a name, the call with 0 for whatever the API has no value for, and what that is.

    Only where the header names its parameters as the API does, and has further ones.
    """
    for one in operation.functions:
        name = operation.name + one.suffix
        declared = re.search(rf"\b{name}\s*\(([^()]*)\)\s*;", code)
        if declared is None:
            continue
        found = [_LAST_WORD.search(each) for each in declared[1].split(",")]
        given = [each[1] if each else "" for each in found]
        known = {each.name for each in one.parameters}
        more = tuple(each for each in given if each not in known)
        if more and known <= {*given}:
            arguments = (each if each in known else "0" for each in given)
            yield name, f"{name}({', '.join(arguments)})", more
