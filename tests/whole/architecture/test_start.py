# SPDX-License-Identifier: MIT
"""A command imports what it needs, so that it answers soon."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from assay.cli.main import assay
assay.main([sys.argv[1], "--help"], standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
OF_KINDS = tuple(f"assay.{stage}.{kind}.kind" for stage in ("check", "measure")
                 for kind in ("stream", "hash", "operation"))  # fmt: skip

OTHERS = [("run", {"jinja2"}), ("check", {"jinja2", "rich", "assay.report.table"})]


@pytest.mark.parametrize(("command", "others"), OTHERS)
def test_neither_kinds_nor_pages_are_imported_before_they_are_needed(
    command: str, others: set[str]
) -> None:
    """The checks of a kind wait for its first package, templates for the first page."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, command], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert f"assay.cli.{command}" in loaded
    assert loaded.isdisjoint({*OF_KINDS, *others})
