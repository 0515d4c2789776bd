# SPDX-License-Identifier: MIT
"""The words of the code: what docstrings begin with, and what classes are called."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.model.operations import OPERATIONS

SOURCE = Path(__file__).resolve().parents[3] / "src" / "assay"
NOT_A_START = re.compile(r"(Give|Gives|Say|Says|Tell|Tells|Whether)\b")
FEWEST_WORDS = 40
LONGEST = 45
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


def test_a_public_class_name_is_used_once() -> None:
    """One word, one thing: who reads `Outcome` knows which one."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, module in parsed():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_every_word_of_the_list_is_explained_once() -> None:
    """docs/words.md has some forty terms in alphabetical order."""
    page = (SOURCE.parents[1] / "docs" / "words.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| \*\*([^*|]+)\*\*", page, re.MULTILINE)
    assert len(words) >= FEWEST_WORDS
    assert sorted(words, key=str.lower) == words
    assert len(set(words)) == len(words)


def test_no_function_is_longer_than_a_screen() -> None:
    """Forty-five lines, docstring included: longer ones do more than one thing."""
    long = [
        f"{path}:{node.lineno}: {node.name}"
        for path, module in parsed()
        for node in ast.walk(module)
        if isinstance(node, Function) and (node.end_lineno or 0) - node.lineno + 1 > LONGEST
    ]
    assert long == []


def test_a_module_binds_each_of_its_names_once() -> None:
    """Where two modules are joined, the later constant would silently stand for both."""
    twice = [f"{path}: {name}" for path, module in parsed() for name in _bound_again(module)]
    assert twice == []


def _bound_again(module: ast.Module) -> list[str]:
    """Return the names that a module's own statements bind more than once."""
    bound = Counter(name for statement in module.body for name in _bound(statement))
    return [name for name, times in bound.items() if times > 1]


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, Function | ast.ClassDef):
        yield statement.name
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
        for node in (one for target in targets for one in ast.walk(target)):
            if isinstance(node, ast.Name):
                yield node.id


def test_operations_are_named_by_their_table_alone() -> None:
    """Code that is about one of them names its row, so that a list of them is easily found."""
    wrong = [
        f"{path}:{node.lineno}"
        for path, module in parsed()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and node.value in OPERATIONS
        if path != "model/operation.py"
    ]
    assert wrong == []
