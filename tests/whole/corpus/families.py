# SPDX-License-Identifier: MIT
"""What the broken packages of tests/whole/corpus/ are broken in: rows of tables and of a page."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parent
FILES = {
    "defects.toml": "eSTREAM",
    "compact.toml": "compact hash",
    "sha3.toml": "SHA-3 competition",
    "operations.toml": "SUPERCOP",
    "portability.toml": "eSTREAM",
}
BUILD = "build/compiles, build/links"
# By the check that catches it, the longest beginning that fits.
FAMILIES = {
    "": "wrong output",
    "aad/": "API",
    "abi/": "ABI",
    "agent/": "API",
    "api/": "API",
    "buffers/guard": "memory",
    "build/": "API",
    "calls/deterministic": "state",
    "context/": "state",
    "digest/partial-bytes": "API",
    "digest/refused-sizes": "API",
    "digest/results": "API",
    "entropy/": "secrets",
    "header/": "API",
    "instructions/": "ABI",
    "lengths/keystream": "numbers",
    "lengths/period": "numbers",
    "mac/": "API",
    "memory/": "memory",
    "memory/initialised": "state",
    "object/": "API",
    "object/stack": "memory",
    "object/text": "memory",
    "object/writable": "state",
    "reentrant/": "state",
    "sanitize/": "memory",
    "sanitize/threads": "state",
    "sanitize/undefined": "numbers",
    "secrets/": "secrets",
    "size/": "API",
    "state/": "state",
    "stepping/": "ABI",
    "stepping/below-stack": "memory",
    "stepping/writes": "memory",
    "supercop/inputs": "API",
    "supercop/margins": "memory",
    "supercop/returns": "API",
}
ORDER = ("wrong output", "state", "memory", "API", "numbers", "secrets", "ABI")


@dataclass(frozen=True, slots=True)
class Row:
    """A broken package: its family, name and API, and the check that must catch it.

    `fails` is false where the check is skipped with a remark: what conforms is not failed.
    """

    family: str
    defect: str
    api: str
    check: str
    deep: bool
    fails: bool


def rows() -> list[Row]:
    """Read the whole corpus; sorted by family, API and check."""
    found = [row for name, api in FILES.items() for row in _of(name, api)]
    return sorted(found, key=lambda r: (ORDER.index(r.family), r.api, r.check, r.defect))


def _of(name: str, api: str) -> Iterator[Row]:
    for entry in tomllib.loads((CORPUS / name).read_text())["defect"]:
        check = _check(entry)
        kind = entry.get("family") or family(check)
        fails = "caught" in entry or not ("noted" in entry or "skipped" in entry)
        yield Row(kind, entry["name"], api, check, entry.get("deep", False), fails)


def _check(entry: dict[str, Any]) -> str:
    if "cause" in entry:
        return "the portability matrix"
    found = entry.get("caught") or entry.get("noted") or ", ".join(entry.get("skipped", ()))
    return found or BUILD


def family(check: str) -> str:
    """Name the family of what a check finds."""
    return FAMILIES[max((one for one in FAMILIES if check.startswith(one)), key=len)]
