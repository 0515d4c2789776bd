# SPDX-License-Identifier: MIT
"""Verdicts that are kept depend on what asked for them, not on how they are shown."""

import ast
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.mock.agent import Program
from tests.unit.mock.target import mock_workshop

from assay.check.engine.cells import SHARED, SOURCE, asked_by
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.model import BuildStage, CheckResult, Compiler, Configuration, Verdict
from assay.model.progress import Silence
from assay.package.estream import load_estream
from assay.store import Store

CORPUS = Path(__file__).parents[3] / "whole/corpus"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")
WRONG = (CheckResult("vectors/consistent", Verdict.FAIL, "an older check was wrong"),)


@pytest.fixture
def recipe() -> Recipe:
    """Return a recipe; its sources are never compiled."""
    package = load_estream(CORPUS / "sync", place="submissions/toy/ref")
    return Recipe(package, 1, Configuration("gcc", "gcc", "", "-O2", "O2", "O2"), GCC)


@pytest.mark.parametrize(
    ("asker", "verdict"), [("an older Assay", Verdict.PASS), ("this one", Verdict.FAIL)]
)
def test_verdicts_of_changed_checks_are_asked_for_again(
    tmp_path: Path, recipe: Recipe, asker: str, verdict: Verdict
) -> None:
    """The build is taken from the store, and so are verdicts of the same checks."""
    (tmp_path / "results").mkdir()
    with Store.create(tmp_path / "results") as store:
        workshop = mock_workshop(tmp_path, lambda _: Program())
        engine = Engine(workshop, store, 1, Silence())
        (first,) = engine.examine([recipe], Wanted(keep=True))
        assert first.passed
        by = asked_by("stream") if asker == "this one" else asker
        store.put_checks(recipe.cell, WRONG, by)
        (second,) = engine.examine([recipe], Wanted(keep=True))
        found = {one.check: one.verdict for one in second.checks}
    assert found["vectors/consistent"] is verdict


def test_a_build_that_failed_is_tried_again_by_another_assay(
    tmp_path: Path, recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may compile what an older one could not; the same one knows that it cannot."""
    (tmp_path / "results").mkdir()
    with Store.create(tmp_path / "results") as store:
        workshop = mock_workshop(tmp_path, lambda _: Program())
        builder = workshop._builder
        engine, built = Engine(workshop, store, 1, Silence()), builder.build
        none = {
            "object_hash": None,
            "agent": None,
            "reason": "no",
            "diagnostics": "no",
        }
        monkeypatch.setattr(
            builder, "build", lambda one: replace(built(one), stage=BuildStage.COMPILE, **none)
        )
        (first,) = engine.examine([recipe], Wanted(keep=True))
        monkeypatch.setattr(builder, "build", built)
        (same,) = engine.examine([recipe], Wanted(keep=True))
        store.put_checks(recipe.cell, first.checks, "an older Assay")
        (other,) = engine.examine([recipe], Wanted(keep=True))
    assert first.verdict is same.verdict is Verdict.FAIL
    assert other.passed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Copy the sources to where they can be changed."""
    shutil.copytree(SOURCE, tmp_path / "assay", ignore=shutil.ignore_patterns("harness", "*.pyc"))
    return tmp_path / "assay"


@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("check/stream/routines.py", {"stream"}),
        ("check/operation/script.py", {"operation"}),
        ("check/check.py", {"stream", "hash", "operation"}),
        ("check/shared/new.py", {"stream", "hash", "operation"}),
        ("execute/agent.py", {"stream", "hash", "operation"}),
        ("report/pages.py", set()),
        ("cli/check.py", set()),
        ("measure/launcher.py", set()),
    ],
)
def test_what_kinds_a_change_asks_again(source: Path, file: str, kinds: set[str]) -> None:
    """Those whose checks, or what checks use, are another file than before."""
    every = ("stream", "hash", "operation")
    before = {kind: asked_by(kind, source) for kind in every}
    asked_by.cache_clear()
    path = source / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(path.read_text() + "# changed\n" if path.exists() else "")
    assert {kind for kind in every if asked_by(kind, source) != before[kind]} == kinds


def test_all_that_checks_import_is_part_of_the_digest() -> None:
    """A folder that a check begins to use belongs into `SHARED`; two modules judge no code."""
    used = set()
    for path in (SOURCE / "check").rglob("*.py"):
        if "engine" in path.relative_to(SOURCE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay."):
                used.add(str(node.module).split(".")[1])
    assert used - {"check", "errors", "fence"} <= set(SHARED)
