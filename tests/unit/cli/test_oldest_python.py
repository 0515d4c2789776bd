# SPDX-License-Identifier: MIT
"""Whatever Python the tests have, Assay works with that of Debian 12, which is 3.11.2."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SYSTEM = Path("/usr/bin/python3")
SOURCE = Path(__file__).parents[3] / "src"
VERSION = "import sys; print(*sys.version_info[:3])"
IMPORT_ALL = """
import importlib, pkgutil, assay
for module in pkgutil.walk_packages(assay.__path__, "assay."):
    importlib.import_module(module.name)
"""


def system_version() -> tuple[int, ...]:
    """Return the version of the system's Python; empty without one."""
    if not SYSTEM.exists():
        return ()
    done = subprocess.run([SYSTEM, "-c", VERSION], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split()))


def test_every_module_can_be_imported_by_the_python_of_the_system() -> None:
    """A name that came with Python 3.11.4 ended `show` and `start` on a fresh Debian 12."""
    version = system_version()
    if version[:2] != sys.version_info[:2]:
        pytest.skip("the system has no Python of this version, for which libraries were installed")
    environment = {"PYTHONPATH": f"{SOURCE}:{sysconfig.get_path('purelib')}", "PATH": "/usr/bin"}
    done = subprocess.run(
        [SYSTEM, "-B", "-c", IMPORT_ALL], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
