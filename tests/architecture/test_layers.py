# SPDX-License-Identifier: MIT
"""The shape of the repository: imports go downward, and every file says what it is."""

import ast
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "assay"
MOST_ROOT_ENTRIES = 14

# design.md, section 4: a layer may import those that stand in its row, and no others.
FACTS = {"model", "errors"}
GROUND = {"package", "toolchain", "machine", "configure", "target"}
RECORDS = {"store", "stats"}
WORK = {"build", "execute"} | GROUND | FACTS
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "model": set(),
    "store": FACTS,
    "stats": FACTS,
    "published": FACTS | {"stats"},
    "machine": FACTS,
    "package": FACTS | {"target"},
    "target": FACTS,
    "toolchain": FACTS | {"machine"},
    "configure": FACTS | {"machine", "toolchain"},
    "execute": FACTS | GROUND,
    "build": FACTS | GROUND | {"execute"},
    "suite": WORK,
    "report": FACTS | RECORDS,
    "campaign": WORK | RECORDS | {"report", "suite"},
    "fleet": WORK | RECORDS | {"report", "suite", "campaign"},
    "service": WORK | RECORDS | {"report", "suite", "campaign"},
    "cli": WORK | RECORDS | {"report", "suite", "campaign", "fleet", "service", "published"},
}


def layer_of(path: Path) -> str:
    """Name the layer of a module: its folder below src/assay, or the module itself."""
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Give line and layer of every import of Assay's own modules, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "assay" and len(parts) > 1 and parts[1] != "__version__":
                yield getattr(node, "lineno", 0), parts[1]


def modules() -> list[Path]:
    """List Assay's modules."""
    return sorted(SOURCE.rglob("*.py"))


def tracked(*patterns: str) -> list[Path]:
    """List the files that git knows and that are still there."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", *patterns]
    done = subprocess.run(listing, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no clone")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_the_table_has_no_circle() -> None:
    """Downward means that there is an order."""
    order = list(TopologicalSorter(ALLOWED).static_order())
    assert set(order) == set(ALLOWED)


def test_every_folder_has_a_place_in_the_table() -> None:
    """A new layer is entered above, with what it may know."""
    layers = {layer_of(path) for path in modules()} - {"__init__", "__main__"}
    assert layers <= set(ALLOWED)


def test_imports_go_downward_only() -> None:
    """No module imports what stands above it, or beside it without leave."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {other}"
        for path in modules()
        for line, other in imported(path)
        if other != layer_of(path) and other not in ALLOWED.get(layer_of(path), set())
    ]
    assert wrong == []


def test_only_the_command_line_prints() -> None:
    """The library raises and returns; it never talks to the terminal or exits."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        if layer_of(path) != "cli"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"print", "click.echo", "sys.exit", "exit", "quit"}
    ]
    assert wrong == []


def test_the_root_is_small() -> None:
    """What a visitor sees fits on one screen; hidden and generated entries do not count."""
    entries = {path.relative_to(ROOT).parts[0] for path in tracked()}
    visible = sorted(entry for entry in entries if not entry.startswith("."))
    assert len(visible) <= MOST_ROOT_ENTRIES, visible


def test_every_source_has_a_licence_line() -> None:
    """SPDX stands in the first lines of all C, assembly, Python and shell of ours."""
    wrong = [
        str(path.relative_to(ROOT))
        for path in tracked("*.py", "*.c", "*.h", "*.S", "*.s", "*.sh", "scripts/*")
        if "tests/corpus" not in str(path)
        and "SPDX-License-Identifier: " not in "".join(path.read_text().splitlines(True)[:3])
    ]
    assert wrong == []


def test_docstrings_are_asked_for_by_the_linter() -> None:
    """Ruff checks them all; nobody may switch off more than the pairs that contradict."""
    text = (ROOT / "pyproject.toml").read_text()
    ignored = {part.split('"')[0] for part in text.split('"D')[1:]}
    assert 'select = ["ALL"]' in text
    assert {number for number in ignored if number.isdigit()} <= {"203", "213", "107"}
