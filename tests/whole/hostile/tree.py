# SPDX-License-Identifier: MIT
"""A tree of packages, and `assay run` in it as a user calls it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.objects import Json
from tests.whole.hostile.attacks import HONEST, Attack
from tests.whole.hostile.outside import Outside

from assay.configure.folder import write_configurations, write_cpuinfo, write_shortlist
from assay.model import Configuration

RUN = "from assay.cli.main import main; main()"
# As if nobody had looked for constructors: what is behind that check must hold, too.
TRUSTING = "import assay.check.families as families; families.OBJECT = (); "
HONEST_NAMES = ("first", "second")
CHANGE = "    x[7] = U32C(0x61707865);\n"
SECONDS = 900
QUICK = ("--launches", "1", "--samples", "19", "--sizes", "128/64")


@dataclass
class Tree:
    """Two honest packages, and whatever else is added."""

    root: Path
    cache: Path
    temporary: Path
    trusting: bool = False

    def plant(self) -> None:
        """Write the honest packages, two different ciphers, and one configuration."""
        reports = self.root / "reports-tester"
        configuration = Configuration("gcc", "gcc", "", "-O2", "gcc_default_O2", "gcc_default_O2")
        write_configurations(reports, [configuration])
        write_shortlist(reports, "     20 gcc_default_O2\n")
        write_cpuinfo(reports, 2000.0)
        for number, name in enumerate(HONEST_NAMES):
            folder = self.root / "submissions" / name / "ref"
            shutil.copytree(HONEST, folder)
            source = folder / "toy.c"
            source.write_text(source.read_text().replace(CHANGE, f"    x[7] = {number};\n"))

    def add(self, attack: Attack, outside: Outside) -> None:
        """Write a hostile package."""
        (self.root / "submissions" / attack.name).mkdir()
        attack.write(self.root / "submissions" / attack.name / "ref", outside)

    def run(self, results: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a campaign into a folder."""
        results.mkdir()
        return self._assay(results, "run", *QUICK, *arguments)

    def measure(self, results: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a campaign with the packages and options that are named."""
        results.mkdir()
        return self._assay(results, "run", *words)

    def shown(self, results: Path) -> list[Json]:
        """Give what `assay show --json --all` tells of a campaign: cells, each with its rows."""
        found = json.loads(self._assay(results, "show", "--json", "--all").stdout)
        rows = [row for table in found["tables"] for row in table["rows"]]
        return [
            {**cell, "rows": [row for row in rows if row["package"] == cell["package"]]}
            for cell in found["cells"]
        ]

    def quiet(self) -> list[float]:
        """Give what the user's cache says of the quiet core."""
        (shares,) = json.loads((self.cache / "assay" / "quiet.json").read_text()).values()
        return list(shares)

    def _assay(self, results: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "ASSAY_ROOT": str(self.root), "HOSTNAME": "tester", "XDG_CACHE_HOME": str(self.cache),
            "TMPDIR": str(self.temporary), "HOME": str(self.root), "LC_ALL": "C",
            "PATH": os.environ["PATH"],
        }  # fmt: skip
        return subprocess.run(
            [sys.executable, "-c", (TRUSTING if self.trusting else "") + RUN, *arguments],
            cwd=results, env=environment, capture_output=True, text=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
