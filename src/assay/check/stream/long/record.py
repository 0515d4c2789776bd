# SPDX-License-Identifier: MIT
"""How far a long keystream is, kept so that the same command goes on where it was interrupted."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Milestone:
    """The legs that are done, what the stream began with, and both contexts, in hexadecimal.

    `first` are the first blocks of the stream; `repeats` is n if they came again after 2^n
    blocks.
    """

    legs: int
    seed: int
    key: str
    iv: str
    contexts: tuple[str, str] = ("", "")
    first: str = ""
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The file with the last milestone."""

    path: Path

    def read(self) -> Milestone | None:
        """Return the milestone that an earlier command reached; None if there is none."""
        try:
            found = json.loads(self.path.read_text("utf-8"))
            return Milestone(**{**found, "contexts": tuple(found["contexts"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, milestone: Milestone) -> None:
        """Replace the milestone; an interrupted command leaves the one before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".new")
        partial.write_text(json.dumps(asdict(milestone)), "utf-8")
        partial.replace(self.path)

    def remove(self) -> None:
        """Forget it: the check has an answer."""
        self.path.unlink(missing_ok=True)
