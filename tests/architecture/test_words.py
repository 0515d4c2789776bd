# SPDX-License-Identifier: MIT
"""The words of the code: what docstrings begin with, and what classes are called."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "assay"
NOT_A_START = re.compile(r"(Give|Gives|Say|Says|Tell|Tells|Whether)\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parsed() -> Iterator[tuple[str, ast.Module]]:
    """Yield every module with its path below src/assay."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_docstrings_of_functions_begin_with_what_they_do() -> None:
    """Return, Yield, Raise, Compile: not Give, Say, Tell or Whether."""
    wrong = [
        f"{path}:{node.lineno}: {text.splitlines()[0]}"
        for path, module in parsed()
        for node in ast.walk(module)
        if isinstance(node, Function) and (text := ast.get_docstring(node) or "")
        if NOT_A_START.match(text)
    ]
    assert wrong == []
