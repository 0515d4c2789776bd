# SPDX-License-Identifier: MIT
"""How a campaign tells where it is. The command line shows it; tests listen."""

from typing import Protocol


class Progress(Protocol):
    """Hears of stages and steps."""

    def begin(self, stage: str, steps: int) -> None:
        """Begin a stage of so many steps."""

    def advance(self, note: str = "") -> None:
        """Finish a step; `note` says on what."""

    def warn(self, text: str) -> None:
        """Hear of something a reader should know."""


class Silence:
    """Is told, and shows nothing."""

    def begin(self, stage: str, steps: int) -> None:
        """Do nothing."""

    def advance(self, note: str = "") -> None:
        """Do nothing."""

    def warn(self, text: str) -> None:
        """Do nothing."""
