# SPDX-License-Identifier: MIT
"""docs/architecture.md names what there is."""

import re
from pathlib import Path

CLONE = Path(__file__).resolve().parents[3]
SOURCE = CLONE / "src" / "assay"
PAGE = (CLONE / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_layers_are_the_folders() -> None:
    """Every folder of src/assay is in the picture, and nothing else is."""
    picture = PAGE.partition("## Layers")[2].split("```")[1]
    named = set(re.findall(r"^[a-z]+", picture, re.MULTILINE))
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert named == folders | modules | {"harness", "model"}


def test_every_file_on_the_page_exists() -> None:
    """Below src/assay or at the root."""
    paths = set(re.findall(r"`((?:[a-z_-]+/)+(?:[a-z_-]+\.(?:py|h|c|mk))?)`", PAGE))
    assert paths
    missing = [p for p in sorted(paths) if not any((top / p).exists() for top in (SOURCE, CLONE))]
    assert missing == []
