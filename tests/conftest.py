# SPDX-License-Identifier: MIT
"""What holds for every test."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from tests.caches import new_cache

# No test asserts a time, Hypothesis included: the machines are shared.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")

# A runner that was started in the background hands on "ignore Ctrl-C" to all it starts, and
# the tests that interrupt a command would wait for ever. What we start shall hear of it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as `nohup` hands on

# What a command prints depends on the width that it is told; a runner's own is none of ours.
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(name, None)


def pytest_configure(config: pytest.Config) -> None:
    """Give each process that runs tests a temporary folder, and so a machine lock, of its own.

    No command waits, and says so, since another worker or a user's campaign has the machine.
    """
    if config.getoption("numprocesses", None):
        return  # the workers do it
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # tmp_path stays there
    made = tempfile.mkdtemp(prefix=f"assay-tests-{os.getpid()}-")
    Path(made).chmod(0o1777)
    os.environ["TMPDIR"] = tempfile.tempdir = made
    config.add_cleanup(lambda: shutil.rmtree(made, ignore_errors=True))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a user's cache for the tests of a file; harnesses are compiled once for all files."""
    return new_cache(tmp_path_factory)
