# SPDX-License-Identifier: MIT
"""Print the Debian packages of the live image: names.py CLONE [--targets]."""

import sys
import tomllib
from pathlib import Path

LIVE = Path(__file__).parent


def lines(name: str) -> list[str]:
    """Return the lines of a list next to this program, without comments."""
    text = (LIVE / name).read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def of_targets(clone: Path) -> set[str]:
    """Return what the catalogue's targets need, but those that are left out."""
    catalogue = tomllib.loads((clone / "src/assay/targets/catalogue.toml").read_text())
    without = {line.split()[0] for line in lines("without")}
    unknown = without - {one["name"] for one in catalogue["target"]}
    if unknown:
        sys.exit(f"error: the catalogue has no target {', '.join(sorted(unknown))}")
    kept = (one for one in catalogue["target"] if one["name"] not in without)
    return {name for one in kept for name in one["packages"]}


if __name__ == "__main__":
    wanted = set(lines("packages"))
    if "--targets" in sys.argv[2:]:
        wanted |= of_targets(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{name}\n" for name in sorted(wanted)))
