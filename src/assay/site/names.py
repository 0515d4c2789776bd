# SPDX-License-Identifier: MIT
"""Addresses of pages: the same for ever, whatever somebody called a package or a machine."""

import re
from collections.abc import Iterable

from assay.report.machines import machine_names
from assay.site.cells import SiteMachine, digest

LONGEST = 60
HASH = re.compile(r"[0-9a-f]{40,64}")
Key = tuple[str, str]


def slug(text: str) -> str:
    """Return a text as the name of a folder; two texts never have the same one."""
    safe = re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-.")[:LONGEST]
    return safe if safe == text else f"{safe or 'x'}-{digest(text, length=8)}"


def primitive_at(key: Key) -> str:
    """Return the folder of a primitive's pages."""
    return f"primitives/{slug(key[0])}/{slug(key[1])}"


def operation_at(family: str) -> str:
    """Return the folder of an operation's page."""
    return f"operations/{slug(family)}"


def version_at(version: str) -> str:
    """Return the folder of a package version, which depends on its contents; none without them."""
    if not version:
        return ""
    return f"versions/{version if HASH.fullmatch(version) else digest(version, length=40)}"


def machine_at(machine: SiteMachine) -> str:
    """Return the folder of a machine's page."""
    return f"machines/{slug(machine.host)}.{machine.identity}"


def labels(machines: Iterable[SiteMachine]) -> dict[str, str]:
    """Return what machines are called, by identity."""
    return machine_names((one.identity, one.host) for one in machines)


def family_name(family: str) -> str:
    """Return what readers call an operation or a kind."""
    return {"stream": "stream ciphers", "hash": "compact hashes"}.get(family, family)
