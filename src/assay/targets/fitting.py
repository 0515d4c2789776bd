# SPDX-License-Identifier: MIT
"""Which targets suit a package: its architecture, and what is below the agent there."""

from assay.model import Package, Target
from assay.targets.architectures import architectures_of


def fits(architecture: str | None, target: Target) -> bool:
    """Return whether code bound to `architecture` (None: to none) runs on the target."""
    if architecture is None:
        return True
    return any(name in target.architectures for name in architectures_of(architecture))


def unsuited(package: Package, target: Target) -> str:
    """Explain why no code of the package runs on the target; empty if it may."""
    if not fits(package.architecture, target):
        return f"it is assembly for {package.architecture}"
    return ""
