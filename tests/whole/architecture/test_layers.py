# SPDX-License-Identifier: MIT
"""The shape of the repository: imports go downward, and every file says what it is."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "assay"
MOST_ROOT_ENTRIES = 12

PAGE = ROOT / "docs" / "architecture.md"

# Layers that know less than the list in docs/architecture.md would allow.
GROUND = {"model", "errors", "fence", "grouped", "writing"}
KNOWS: dict[str, set[str]] = {
    "store": GROUND | {"machine"},
    "stats": GROUND,
    "targets": GROUND,
    "machine": GROUND,
    "imported": GROUND | {"stats"},
    "elf": GROUND,
    "package": GROUND | {"targets"},
    "toolchain": GROUND | {"machine"},
    "timing": GROUND | {"execute", "machine"},
    "execute": GROUND | {"elf", "machine", "targets"},
    "summary": GROUND | {"elf", "machine", "store", "stats", "targets"},
    "report": GROUND | {"elf", "store", "stats", "summary"},
}


def layers() -> list[str]:
    """Return the layers that docs/architecture.md lists, the highest first."""
    section = PAGE.read_text().split("## Layers", 1)[1].split("```")[1]
    return [line.split()[0] for line in section.strip().splitlines()]


def allowed(layer: str) -> set[str]:
    """Return the layers that this one may import."""
    listed = layers()
    below = set(listed[listed.index(layer) + 1 :])
    return below & KNOWS.get(layer, below)


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


def test_the_layers_of_the_page_are_the_folders() -> None:
    """The list in docs/architecture.md and the folders of src/assay are the same thing."""
    found = {layer_of(path) for path in modules()} - {"__init__", "__main__"}
    assert found | {"harness"} == set(layers())


def test_imports_go_down_the_list_of_the_page() -> None:
    """No module imports a layer that stands above its own, or one that its own may not know."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {other}"
        for path in modules()
        if layer_of(path) in layers()
        for line, other in imported(path)
        if other != layer_of(path) and other not in allowed(layer_of(path))
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
        if "tests/whole/corpus" not in str(path)
        and "SPDX-License-Identifier: " not in "".join(path.read_text().splitlines(True)[:3])
    ]
    assert wrong == []


def test_docstrings_are_asked_for_by_the_linter() -> None:
    """Ruff checks them all; nobody may switch off more than the pairs that contradict."""
    text = (ROOT / "pyproject.toml").read_text()
    ignored = {part.split('"')[0] for part in text.split('"D')[1:]}
    assert 'select = ["ALL"]' in text
    assert {number for number in ignored if number.isdigit()} <= {"203", "213", "107"}
