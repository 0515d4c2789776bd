# SPDX-License-Identifier: MIT
"""Libraries that packages of the SUPERCOP API are linked with."""

from dataclasses import dataclass
from pathlib import Path

from assay.execute.jail import Jail
from assay.model import Compiler, Package


@dataclass(frozen=True, slots=True)
class Libraries:
    """Folders of headers, link options, and what is missing (empty if nothing is)."""

    include: tuple[Path, ...] = ()
    link: tuple[str, ...] = ()
    missing: str = ""


def libraries_for(package: Package, compiler: Compiler, jail: Jail) -> Libraries:
    """Find what a package's includes ask for."""
    del package, compiler, jail
    return Libraries()
