# SPDX-License-Identifier: MIT
"""Sweeps that a signal ends."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

HASH_C = """#include "crypto_hash.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long n)
{
    for (int i = 0; i < 32; i++) out[i] = i;
    while (n--) out[n % 32] ^= in[n];
    return 0;
}
"""


def _judged(cache: Path) -> int:
    """Count the packages whose verdicts are stored."""
    with suppress(sqlite3.Error):
        for path in cache.glob("assay/checks/*/results.sqlite"):
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
                return int(file.execute("SELECT COUNT(*) FROM checked").fetchone()[0])
    return 0


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_a_sweep_with_the_summary_of_what_was_judged(
    tmp_path: Path, number: signal.Signals
) -> None:
    """The exit code names the signal, and the tables are those of a whole sweep."""
    for index in range(120):
        folder = tmp_path / "tree" / "crypto_hash" / f"made{index:03}" / "ref"
        folder.mkdir(parents=True)
        (folder / "api.h").write_text("#define CRYPTO_BYTES 32\n")
        (folder / "hash.c").write_text(HASH_C)
    cache = tmp_path / "cache"
    program = shutil.which("assay", path=str(Path(sys.executable).parent)) or "assay"
    with subprocess.Popen(
        [program, "check", "--tree", str(tmp_path / "tree")],
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as sweep:  # fmt: skip
        while sweep.poll() is None and not _judged(cache):
            with suppress(subprocess.TimeoutExpired):
                sweep.wait(0.2)
        sweep.send_signal(number)
        out, err = sweep.communicate()
    assert sweep.returncode == 128 + number, err
    assert "Verdicts by operation" in out
    assert "of 120 packages were judged" in err
