# SPDX-License-Identifier: MIT
"""What building a wheel adds: uPlot, if set-up has fetched it, goes where reports look for it."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

UPLOT = "share/assay/uplot"


class UPlot(BuildHookInterface):  # type: ignore[type-arg]
    """Take uPlot out of the clone's environment into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder to what a wheel installs into its environment."""
        folder = Path(self.root) / ".venv" / UPLOT
        if version == "standard" and folder.is_dir():
            build_data["shared_data"][str(folder)] = UPLOT
