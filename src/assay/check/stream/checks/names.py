# SPDX-License-Identifier: MIT
"""What a cipher's header says of its sizes, and what names its object code defines."""

from pathlib import Path

from assay.check.check import Check, CheckFailed, CheckSkipped, Origin
from assay.check.object import linked
from assay.check.object.linked import C_LIBRARY, RESERVED, RESERVED_NAMES
from assay.check.stream.routines import increasing
from assay.check.stream.trial import Trial
from assay.elf.reading import global_symbols, open_object

OWN = ("ECRYPT_",)


def sizes_enumerate(trial: Trial) -> None:
    """Key, IV and MAC sizes must increase strictly and end at the stated maximum."""
    subject = trial.subject
    families = [
        ("KEY", subject.key_bits, subject.max_key_bits),
        ("IV", subject.iv_bits, subject.max_iv_bits),
    ]
    if subject.authenticates:
        families.append(("MAC", subject.mac_bits, subject.max_mac_bits))
    for family, sizes, maximum in families:
        shown = f"ECRYPT_{family}SIZE(i) gives {', '.join(map(str, sizes))}"
        if not increasing(sizes):
            text = f"*** ERROR: ECRYPT_{family}SIZE(i) does not conform to API."
            raise CheckFailed(
                f"ECRYPT_{family}SIZE(i) does not increase with i", f"{text}\n{shown}"
            )
        if sizes[0] > maximum:
            reason = (
                f"ECRYPT_{family}SIZE(0) is {sizes[0]}, above ECRYPT_MAX{family}SIZE {maximum}"
            )
            raise CheckFailed(reason, shown)


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


HEADER = (
    Check(
        name="api/sizes",
        asks="Can the key, IV and MAC sizes be enumerated as the API says?",
        why="Programs find the sizes of a cipher by counting up i until the maximum is passed; "
        "an enumeration that does not increase never ends, or hides sizes.",
        cure="Let ECRYPT_KEYSIZE(i), ECRYPT_IVSIZE(i) and ECRYPT_MACSIZE(i) increase strictly "
        "with i, and make the ECRYPT_MAX...SIZE macros the largest size meant.",
        run=sizes_enumerate,
        origin=Origin.ESTREAM,
    ),
)

OBJECT = (
    linked.names(run_names),
    *linked.CHECKS,
)
