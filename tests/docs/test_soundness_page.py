# SPDX-License-Identifier: MIT
"""docs/soundness.md has every broken package of the corpus, and every family of defects."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "corpus"
PAGE = (ROOT / "docs" / "soundness.md").read_text(encoding="utf-8")
FAMILIES = {"wrong output", "state", "memory", "API", "numbers", "secrets", "ABI"}
LEAST = 80  # broken packages


def load(name: str) -> Any:
    """Load a module of the corpus, which is no package."""
    spec = importlib.util.spec_from_file_location(name, CORPUS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def corpus() -> list[Any]:
    """Give the rows of the corpus."""
    return list(load("families").rows())


def test_the_table_is_what_the_corpus_says(corpus: list[Any]) -> None:
    """`python tests/corpus/soundness.py` writes it again."""
    assert corpus
    assert load("soundness").page(PAGE) == PAGE


def test_every_family_has_broken_packages_and_there_are_enough(corpus: list[Any]) -> None:
    """The issue names the families; each API has a share."""
    assert Counter(one.family for one in corpus).keys() == FAMILIES
    assert len(corpus) >= LEAST
    assert {one.api for one in corpus} == {"eSTREAM", "compact hash", "SUPERCOP"}


def test_what_is_found_by_whom_stands_in_one_row(corpus: list[Any]) -> None:
    """A name is used once in an API."""
    assert max(Counter((one.api, one.defect) for one in corpus).values()) == 1
