# SPDX-License-Identifier: MIT
"""The options that a job may have: those that change effort, and nothing about the machine.

Servers and workers both look, since neither takes the other's word.
"""

import re
from collections.abc import Sequence
from types import MappingProxyType

from assay.fleet.jobs import Action

FLAG = re.compile("")
NUMBER = re.compile(r"[1-9]\d{0,3}")
SIZES = re.compile(r"\d{1,4}/\d{1,4}(/\d{1,4})?|all")
CHECK = re.compile(r"[a-z0-9-]{1,40}/[a-z0-9-]{0,40}")
PERCENT = re.compile(r"\d{1,2}(\.\d{1,3})?%?")
SAFE = MappingProxyType(
    {
        Action.JUDGE: {"--deep": FLAG, "--unhurried": FLAG},
        Action.MEASURE: {
            "--accept": CHECK,
            "--all": FLAG,
            "--best": NUMBER,
            "--curve": FLAG,
            "--exhaustive": FLAG,
            "--glance": FLAG,
            "--launches": NUMBER,
            "--most-launches": NUMBER,
            "--precision": PERCENT,
            "--race": FLAG,
            "--samples": NUMBER,
            "--sizes": SIZES,
        },
    }
)


def refused_option(action: Action, options: Sequence[str]) -> str:
    """Return why a job with these options is refused; nothing if all of them are safe."""
    left = list(options)
    while left:
        name = left.pop(0)
        form = SAFE[action].get(name)
        if form is None:
            known = ", ".join(SAFE[action])
            return f"a job that is to {action.value} has no option {name!a}; there are {known}"
        if form is FLAG:
            continue
        value = left.pop(0) if left else ""
        if not form.fullmatch(value):
            return f"{name} has the value {value!a}, which does not have its form"
    return ""
