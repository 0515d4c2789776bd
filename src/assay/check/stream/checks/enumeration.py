# SPDX-License-Identifier: MIT
"""Whether the header enumerates sizes as the API says."""

from assay.check.check import Check, CheckFailed, Origin
from assay.check.stream.sizes import increasing
from assay.check.stream.trial import Trial


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


CHECKS = (
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
