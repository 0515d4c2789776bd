# SPDX-License-Identifier: MIT
"""What the README says that commands print is what they print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CLONE = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMPT = "$ ./scripts/assay "
# Commands that measure nothing and need nothing but the shipped packages.
COMMANDS = (
    "check phelix/fast",
    "vectors snow-2.0/ref --answers benchmarks/snow-2.0/verified.test-vectors",
    "list crypto_hash/sha256",
    "check crypto_hash/sha256/ref",
    "vectors crypto_hash/sha256/ref",
)


def printed(command: str) -> str:
    """Give what stands below a command in the README, up to the next one."""
    text = (CLONE / "README.md").read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        for part in block.split(PROMPT)[1:]:
            line, _, rest = str(part).partition("\n")
            if line == command:
                return rest
    raise AssertionError(f"the README has no {command}")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_samples_of_the_readme_are_what_a_reader_gets(command: str, cache: Path) -> None:
    """Line by line."""
    words = [str(Path(sys.executable).with_name("assay")), *command.split()]
    done = subprocess.run(
        words,
        cwd=CLONE,
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == printed(command), done.stderr
