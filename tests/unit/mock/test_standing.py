# SPDX-License-Identifier: MIT
"""What stands for an object says no more than such an object could."""

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.engine.workshop import Workshop
from assay.check.session import StreamSession
from assay.model import Cell


def test_what_is_said_is_there_and_nothing_else() -> None:
    """Code that looks at more than a test foresaw fails."""
    one = stand_in(Cell, variant=2)
    assert one.variant == 2
    with pytest.raises(AttributeError):
        _ = one.selector


@pytest.mark.parametrize("name", ["agent", "call"])
def test_a_class_with_parameters_and_what_init_gives_are_looked_at(name: str) -> None:
    """A session has its agent from `__init__`."""
    assert hasattr(stand_in(StreamSession, **{name: None}), name)


def test_what_no_object_of_the_class_has_is_refused() -> None:
    """A name that was changed in the class is changed in the tests, too."""
    assert stand_in(Workshop, stage=None) is not None
    with pytest.raises(AssertionError, match="no Workshop has builder, scene"):
        stand_in(Workshop, stage=None, scene=None, builder=None)
