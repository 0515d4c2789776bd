# SPDX-License-Identifier: MIT
"""How cells are to be examined."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """`deep` runs the slow checks, too. `keep` keeps agents for whoever measures them next."""

    deep: bool = False
    keep: bool = False
