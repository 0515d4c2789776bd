# SPDX-License-Identifier: MIT
"""Tables of the store and dependencies are all on their pages."""

import re
import tomllib
from pathlib import Path

from assay.store import schema

DOCS = Path(__file__).resolve().parents[3] / "docs"
# What Debian calls otherwise than the page does.
SAID = {
    "python3": "python 3",
    "python3-venv": "venv",
    "gcc-mips-linux-gnu": "gcc for mips",
    "libc6-dev-mips-cross": "gcc for mips",
}


def test_every_table_of_the_store_is_described() -> None:
    """By name, with all of its columns."""
    text = (DOCS / "reference" / "store.md").read_text(encoding="utf-8")
    for table in (schema.TABLES + schema.PUBLISHED_TABLES).split("CREATE TABLE ")[1:]:
        name, _, rest = table.partition(" (")
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        columns = rest.partition("UNIQUE (")[0].partition("PRIMARY KEY (")[0].split(",")
        names = [words[0] for words in map(str.split, columns) if len(words) > 1]
        plain = [column for column in names if column.islower() and column.isidentifier()]
        assert plain
        assert [column for column in plain if f"`{column}`" not in row] == [], name


def test_every_dependency_has_its_reason() -> None:
    """Those of pyproject.toml, and the Debian packages that scripts/setup installs."""
    text = (DOCS / "reference" / "dependencies.md").read_text(encoding="utf-8").lower()
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["dependencies"]
    wanted += project["project"]["optional-dependencies"]["test"]
    wanted += project["build-system"]["requires"]
    names = {re.split(r"[><=]", each)[0] for each in wanted}
    setup = (DOCS.parent / "scripts" / "setup").read_text(encoding="utf-8")
    for line in re.findall(r"packages\+?=\((.*)\)", setup):
        names |= {SAID.get(name, name) for name in line.split()}
    assert [name for name in sorted(names) if name not in text] == []
