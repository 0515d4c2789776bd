# SPDX-License-Identifier: MIT
"""How much code is asked: one record, from the options of a command to the trial of a build."""

from enum import IntEnum

from msgspec import Struct


class Depth(IntEnum):
    """What is asked; each depth asks what those before it do, and more.

    A glance compares outputs with known answers, and leaves the rest open. A short examination
    runs every check, with fewer sizes, lengths and vectors. A deep one has checks that take a
    minute, too, and a long one those that take hours.
    """

    GLANCE = 0
    SHORT = 1
    FULL = 2
    DEEP = 3
    LONG = 4


EVERY_CHECK = ("",)  # what every name begins with


class Extent(Struct, frozen=True):
    """How much is asked: the depth, and by how much it is cut.

    `brief` code is asked with fewer sizes, lengths and vectors, whatever the depth: the further
    codes of a package, and code on slow targets. `hurried` is one of very many packages: slow
    code has less time for each check, and SUPERCOP's tests of it end early. `only` are the names,
    or their beginnings, of the checks that run: work that answers others alone is not done.
    With `undeclared`, all that is asked of secrets is asked of packages without goals, too, and
    with `shadowed` MemorySanitizer is asked of them in place of valgrind. With `one_failure`
    nothing more is asked once a check has failed, and what waits for compilers comes last.
    """

    depth: Depth = Depth.FULL
    brief: bool = False
    hurried: bool = False
    only: tuple[str, ...] = EVERY_CHECK
    undeclared: bool = False
    shadowed: bool = False
    one_failure: bool = False

    def asks(self, name: str) -> bool:
        """Return whether the check of this name runs."""
        return name.startswith(self.only)

    @property
    def thorough(self) -> bool:
        """Return whether all sizes, lengths and vectors are tried."""
        return self.depth >= Depth.FULL and not self.brief

    @property
    def deep(self) -> bool:
        """Return whether checks are run that take a minute."""
        return self.depth >= Depth.DEEP


IN_FULL = Extent()
