# SPDX-License-Identifier: MIT
"""How much code is asked, from the options of a command to a trial."""

import pytest
from msgspec.structs import replace

from assay.check.depth import IN_FULL, Depth, Extent
from assay.check.engine.cells import asker, askers
from assay.check.engine.wanted import Wanted
from assay.model import Runner
from assay.targets.catalogue import native


def test_a_further_code_of_a_deep_check_gets_the_slow_checks_with_fewer_inputs() -> None:
    """The first code of a package gets all of it."""
    wanted = Wanted(Extent(Depth.DEEP))
    first, further = (wanted.extent_on(native(), first=one) for one in (True, False))
    assert (first.thorough, first.deep) == (True, True)
    assert (further.thorough, further.deep) == (False, True)


def test_on_another_target_only_who_measures_there_asks_the_first_code_in_full() -> None:
    """There it takes several times as long."""
    emulated = replace(native(), runner=Runner.QEMU_USER)
    assert not emulated.is_native
    assert not Wanted().extent_on(emulated, first=True).thorough
    assert Wanted(keep=True).extent_on(emulated, first=True).thorough


@pytest.mark.parametrize("depth", [Depth.GLANCE, Depth.SHORT])
def test_less_than_a_full_check_tries_no_code_thoroughly(depth: Depth) -> None:
    """Not even the first one."""
    assert not Extent(depth).thorough
    assert not Extent(depth).deep


def test_verdicts_of_who_asked_more_answer_who_asks_less_and_never_the_other_way() -> None:
    """A glance is answered by every examination, a full check by full ones alone."""
    glance, short, full = (
        Wanted(replace(IN_FULL, depth=one)) for one in (Depth.GLANCE, Depth.SHORT, Depth.FULL)
    )
    known = [asker("hash", one) for one in (glance, short, full)]
    assert [
        [one in askers("hash", wanted) for one in known] for wanted in (glance, short, full)
    ] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]
