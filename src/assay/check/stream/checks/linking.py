# SPDX-License-Identifier: MIT
"""What a cipher's object code defines beside the functions of the API, and what it is like."""

from pathlib import Path

from assay.check.check import CheckFailed, CheckSkipped
from assay.check.object import linked
from assay.check.object.reserved import C_LIBRARY, RESERVED, RESERVED_NAMES
from assay.check.stream.trial import Trial
from assay.elf.reading import global_symbols, open_object

OWN = ("ECRYPT_",)


def _names(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that an object file defines for others, and those that it needs."""
    with open_object(path) as elf:
        return global_symbols(elf)


def run_names(trial: Trial) -> None:
    """Fail where a name is somebody else's; what only clutters is a remark."""
    read = [_names(path) for path in linked.objects_of(trial)]
    defined = frozenset().union(*(own for own, _ in read))
    needed = frozenset().union(*(others for _, others in read))
    taken = sorted(
        name for name in defined if name.startswith(RESERVED) or name in RESERVED_NAMES | C_LIBRARY
    )
    if taken:
        raise CheckFailed(f"it defines {', '.join(taken[:4])}, which others have")
    more = sorted(one for one in defined - needed if not one.startswith(OWN))
    if more:
        raise CheckSkipped(
            f"{', '.join(more[:4])} can be seen from outside and is not of the API: "
            "it collides with whatever has that name, too; make it `static`"
        )


CHECKS = (
    linked.names(run_names),
    *linked.CHECKS,
)
