# SPDX-License-Identifier: MIT
"""What tests keep, or shall forget: harnesses in users' caches, and which jail works."""

import os
from pathlib import Path

import pytest

from assay.execute import jail


def new_cache(factory: pytest.TempPathFactory) -> Path:
    """Make a cache with the harnesses of all tests, whichever worker compiled them."""
    base = factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "harness"
    shared.mkdir(exist_ok=True)
    made = factory.mktemp("cache")
    (made / "assay").mkdir(mode=0o700)
    (made / "assay" / "harness").symlink_to(shared)
    return made


def forget_jails() -> None:
    """Let the jail look for its tools and be tried again."""
    for kept in (jail._tool, jail._strongest):
        kept.cache_clear()
