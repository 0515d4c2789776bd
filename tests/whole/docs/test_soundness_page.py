# SPDX-License-Identifier: MIT
"""docs/reference/soundness.md has every broken package and every family of defects."""

import importlib.util
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from tests.whole.corpus.families import Row

if TYPE_CHECKING:
    from tests.whole.corpus.predecessors import Outcomes

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests" / "whole" / "corpus"
PAGE = (ROOT / "docs" / "reference" / "soundness.md").read_text(encoding="utf-8")
FAMILIES = {"wrong output", "state", "memory", "API", "numbers", "secrets", "ABI"}
LEAST = 80  # broken packages
ENDS = {"succeeds", "endless", "hangs", "refused", "nothing", "not run"}
OUTCOMES = {"refused", "crashed", "hangs", "accepted", "not run"}


def load(name: str) -> ModuleType:
    """Load a module of the corpus, which is no package."""
    spec = importlib.util.spec_from_file_location(name, CORPUS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def corpus() -> list[Row]:
    """Give the rows of the corpus."""
    return list(load("families").rows())


def test_the_table_is_what_the_corpus_says(corpus: list[Row]) -> None:
    """`./scripts/docs` writes it again."""
    assert corpus
    assert load("soundness").page(PAGE) == PAGE


def test_every_family_has_broken_packages_and_there_are_enough(corpus: list[Row]) -> None:
    """The issue names the families; each API has a share."""
    assert Counter(one.family for one in corpus).keys() == FAMILIES
    assert len(corpus) >= LEAST
    assert {one.api for one in corpus} == {
        "eSTREAM",
        "compact hash",
        "SHA-3 competition",
        "SUPERCOP",
    }


def test_what_is_found_by_whom_stands_in_one_row(corpus: list[Row]) -> None:
    """A name is used once in an API."""
    assert max(Counter((one.api, one.defect) for one in corpus).values()) == 1


@pytest.fixture(scope="module")
def outcomes(corpus: list[Row]) -> "Outcomes":
    """Give what predecessors did, after the corpus, whose words they share."""
    assert corpus
    return dict(load("predecessors").outcomes())


def test_what_predecessors_did_is_there_for_every_row_of_theirs_and_for_no_other(
    corpus: list[Row], outcomes: "Outcomes"
) -> None:
    """A row that is renamed, added or removed has to be run there again."""
    assert outcomes.keys() == {
        (one.api, one.defect) for one in corpus if one.api in {"eSTREAM", "SUPERCOP"}
    }


def test_a_refusal_has_its_words_and_an_acceptance_none(
    outcomes: "Outcomes",
) -> None:
    """What could not be run says why; whatever hangs says nothing."""
    assert {one.outcome for one in outcomes.values()} == OUTCOMES
    silent = {"accepted", "hangs"}
    assert all(bool(one.says) != (one.outcome in silent) for one in outcomes.values())
    accepted = {key for key, one in outcomes.items() if one.outcome == "accepted"}
    assert {key for key, one in outcomes.items() if one.timecop} <= accepted


def test_the_counts_of_predecessors_are_those_of_the_rows() -> None:
    """Counted in the page itself, as a reader would."""
    rows = [one.split(" | ") for one in PAGE.splitlines() if one.startswith("| ")]
    (total,) = [one for one in rows if one[0] == "| all"]
    for api, column, place in (("eSTREAM", 5, 1), ("SUPERCOP", 6, 4)):
        cells = [one[column].removesuffix(" |") for one in rows if len(one) > 6 and one[2] == api]
        run = [one for one in cells if one != "-"]
        stopped = [one for one in run if one.startswith(("stops", "crashes"))]
        assert total[place : place + 2] == [str(len(run)), str(len(stopped))]


def test_the_page_has_every_attack_and_what_became_of_it_there(
    outcomes: "Outcomes",
) -> None:
    """Attacks are listed beside defects; a new one has to be run there, too."""
    assert outcomes
    entries = tomllib.loads((ROOT / "tests" / "whole" / "hostile" / "attacks.toml").read_text())[
        "attack"
    ]
    names = {one["name"] for one in entries}
    assert {name for name in names if f"\n| {name} | " not in PAGE} == set()
    known = load("predecessors").attacked()
    assert known.keys() == names
    assert {outcome for outcome, _ in known.values()} == ENDS
