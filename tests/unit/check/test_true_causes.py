# SPDX-License-Identifier: MIT
"""Checks name the cause of what they see, and not the thing that they happened to vary."""

from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in
from tests.whole.corpus.ciphers import Workbench

from assay.check.answers.vectors import _raise
from assay.check.arena import Arena
from assay.check.buffers.places import _require_repeats
from assay.check.check import CheckFailed, CheckOpen
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome
from assay.check.session import StreamSession
from assay.check.supercop.checks import _unpromised
from assay.cli.list import _missing
from assay.model import OperationDetails, Package


def far(answer: bytes) -> Arena:
    """Return an arena with buffers far apart, whose code gives this answer."""
    return stand_in(
        Arena,
        anew=lambda _: RoutineOutcome((0,), {"k": answer}),
        session=stand_in(StreamSession, refused=lambda: False),
    )


def test_code_that_draws_from_rand_is_not_accused_of_its_addresses() -> None:
    """Asked twice at one place it differs: no distance is the cause."""
    routine = Routine("crypto_dh_keypair", {}, ())
    before = RoutineOutcome((0,), {"k": bytes(4)})
    with pytest.raises(CheckFailed, match="another result each time") as caught:
        _require_repeats(far(b"1234"), routine, before)
    assert "ptrdiff_t" not in caught.value.cure
    assert "rand" in caught.value.cure
    _require_repeats(far(bytes(4)), routine, before)


@pytest.mark.parametrize(("layout", "excused"), [("supercop", False), ("nist", True)])
def test_outputs_over_inputs_are_a_rule_of_supercop_alone(layout: str, excused: bool) -> None:
    """Its tests ask it of AEADs, c over k too; other APIs promise nothing: a finding."""
    trial = stand_in(OperationTrial, details=stand_in(OperationDetails, layout=layout))
    assert bool(_unpromised(trial)) == excused


def test_what_is_missing_for_a_target_is_printed_as_it_was_written() -> None:
    """A sentence with its cure is one item."""
    assert (
        _missing("ntdll.dll (of libwine:i386), wine64")
        == "no: ntdll.dll (of libwine:i386), wine64"
    )


@pytest.mark.parametrize(
    ("folder", "right", "raised"),
    [("x/other", 0, CheckOpen), ("x/other", 1, CheckFailed), ("chacha20/mine", 0, CheckFailed)],
)
def test_another_version_of_a_name_is_not_called_wrong(
    folder: str, right: int, raised: type[Exception]
) -> None:
    """If a name alone chose the vectors and none is right, nothing is decided."""
    reference = "submissions/chacha20/verified.test-vectors"
    package = stand_in(Package, root=Path("/nowhere") / folder, reference=reference)
    with pytest.raises(CheckFailed) as caught:
        _raise(package, "difference", right)
    assert type(caught.value) is raised


def test_code_that_faults_anywhere_is_not_said_to_need_aligned_buffers(
    workbench: Workbench,
) -> None:
    """A pointer of the context that nothing sets is no matter of alignment."""
    edit = ("toy.c", "    (void)ivsize;\n", "    (void)ivsize;\n    *(volatile u8 *)0 = 1;\n")
    package = workbench.package("sync", "faults", (edit,))
    found = workbench.examine("sync", package, thorough=False, only=("buffers/alignment",))
    assert found["buffers/alignment"].reason.startswith("it faults, which other checks report")
