# SPDX-License-Identifier: MIT
"""A hash whose object code is large only where checks compile it for themselves."""

import json
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import calling

ROOT = Path(__file__).parents[3]
SECTIONS = r"""
#if defined(__pic__) && !defined(__pie__)
__asm__(".altmacro\n.macro assay_s n\n.section .assay\\n,\"a\"\n.byte 1\n.endm\n"
        ".set assay_i,0\n.rept 60000\nassay_s %assay_i\n.set assay_i,assay_i+1\n.endr\n.text");
#endif
"""


@pytest.mark.slow
def test_a_hash_that_is_large_as_a_library_only_fails_where_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its agent is small; what the object's checks compile is limited by its size."""
    place = tmp_path / "toy"
    shutil.copytree(ROOT / "submissions" / "sha256" / "portable", place)
    source = place / "sha256.c"
    source.write_text(SECTIONS + source.read_text())
    done = calling(monkeypatch, capsys)("check", "--json", str(place))
    assert done.code == 1, done.err
    checks = json.loads(done.out)[0]["checks"]
    failed = [one["reason"] for one in checks if one["verdict"] == "fail"]
    assert any("bytes, and at most" in one for one in failed), checks
