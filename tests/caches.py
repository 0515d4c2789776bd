# SPDX-License-Identifier: MIT
"""Users' caches for tests, which share compiled harnesses: these take seconds to compile."""

import os
from pathlib import Path

import pytest


def new_cache(factory: pytest.TempPathFactory) -> Path:
    """Make a cache with the harnesses of all tests, whichever worker compiled them."""
    base = factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "harness"
    shared.mkdir(exist_ok=True)
    made = factory.mktemp("cache")
    (made / "assay").mkdir(mode=0o700)
    (made / "assay" / "harness").symlink_to(shared)
    return made
