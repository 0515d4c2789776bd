# SPDX-License-Identifier: MIT
"""Packages of all kinds that dawdle in every call: each answer comes in time, and never all."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import calling

ROOT = Path(__file__).parents[3]
NAP = """
static void nap(void)
{
    volatile unsigned long left = 40000000;
    while (left) left--;
}
"""
PLACES = {  # the honest package, its source, and before what it takes its nap
    "stream": ("tests/whole/corpus/sync", "toy.c", "    u32 whole = length / 16 * 16;\n"),
    "hash": ("submissions/sha256/portable", "sha256.c", ""),
    "operation": ("submissions/supercop/crypto_hash/sha256/small", "hash.c", ""),
}


def napping(kind: str, folder: Path) -> Path:
    """Write a package that counts for some 50 ms whenever it is called."""
    honest, name, line = PLACES[kind]
    place = folder / "crypto_hash" / "sha256" / "napping" if kind == "operation" else folder / kind
    shutil.copytree(ROOT / honest, place)
    text = (place / name).read_text()
    if kind == "hash":
        at = text.index("{", text.index("\nsha256_init(")) + 1
    elif kind == "operation":
        at = text.index("{", text.index("int crypto_hash(")) + 1
    else:
        at = text.index(line)
    (place / name).write_text(f"{NAP}{text[:at]}\nnap();\n{text[at:]}")
    return place


@pytest.mark.parametrize("kind", PLACES)
def test_a_package_that_dawdles_in_its_calls_is_open_in_the_time_that_it_has(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is open (exit code 3); what was not asked is skipped, counted, and the cure named."""
    place = napping(kind, tmp_path)
    done = calling(monkeypatch, capsys)("check", "--json", "--patience", "3", str(place))
    assert done.code == 3, done.err
    checks = json.loads(done.out)[0]["checks"]
    late = next(one for one in checks if one["check"] == "agent/patience")
    assert late["verdict"] == "open"
    assert late["reason"].startswith("not examined to the end")
    assert re.search(r"\d+ checks were answered, \d+ were not", late["reason"])
    assert "3 seconds" in late["reason"]
    assert "--patience 6" in late["cure"]
    assert any("took too long" in one["reason"] for one in checks if one["verdict"] == "skipped")
    assert not [one for one in checks if one["verdict"] == "fail"], checks
