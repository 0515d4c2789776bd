# SPDX-License-Identifier: MIT
"""Objects that stand for others, where all the rest of these would be in a test's way."""

from inspect import get_annotations
from types import FunctionType, SimpleNamespace
from typing import TypeVar, cast, get_origin

KindT = TypeVar("KindT")


def stand_in(kind: type[KindT], /, **said: object) -> KindT:
    """Return what has some attributes of a class, and no others; its objects must have them."""
    unknown = said.keys() - _attributes(get_origin(kind) or kind)
    assert not unknown, f"no {kind.__name__} has {', '.join(sorted(unknown))}"
    return cast("KindT", SimpleNamespace(**said))


def _attributes(kind: type) -> set[str]:
    """Name what objects of a class have: its own, declared, or given by `__init__`."""
    names = set(dir(kind))
    for one in kind.__mro__:
        names.update(get_annotations(one))
        if isinstance(begins := vars(one).get("__init__"), FunctionType):
            names.update(begins.__code__.co_names)
    return names
