# SPDX-License-Identifier: MIT
"""docs/reference/checks.md says what the checks say."""

import ast
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.whole.docs.make.checks import AnyCheck
from tests.whole.docs.make.checks import page as checks_page

from assay.check.engine.cells import ANSWERS, COMPILES, FITS, LINKS
from assay.check.hash.kind import CHECKS as HASH_CHECKS
from assay.check.kinds import every_check, registered
from assay.check.operation.kind import CHECKS as OPERATION_CHECKS
from assay.check.stream.kind import CHECKS as STREAM_CHECKS
from assay.model.compared import ANSWERED
from assay.package.quirks import known_quirks

FILE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "checks.md"


def test_the_file_is_what_the_checks_make_of_it() -> None:
    """After a change: ./scripts/docs."""
    assert checks_page() == FILE.read_text()


def test_every_check_and_every_quirk_has_a_section() -> None:
    """Their names are headings, so that reports can link to them."""
    headings = set(re.findall(r"^### (\S+)$", FILE.read_text(), re.MULTILINE))
    named = {one.name for one in known_quirks().values()}
    checks: tuple[AnyCheck, ...] = (*STREAM_CHECKS, *HASH_CHECKS, *OPERATION_CHECKS)
    assert named | {check.name for check in checks} <= headings


def test_quirks_are_made_of_records_only() -> None:
    """A quirk that a loader makes up itself would be missing on the page."""
    source = FILE.parents[2] / "src/assay"
    makers = [
        path.name
        for path in sorted(source.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Quirk", "model.Quirk"}
    ]
    assert makers == ["quirks.py"]


def test_records_of_quirks_are_unique_complete_and_explained_to_submitters() -> None:
    """Each has a cure and a reason, and docs/guide/submit.md has a row with its name."""
    rows = (FILE.parents[1] / "guide" / "submit.md").read_text()
    assert len(known_quirks()) == len({one.name for one in known_quirks().values()}) >= 25
    for one in known_quirks().values():
        assert re.fullmatch(r"quirk/[a-z0-9-]+", one.name)
        assert one.cure.endswith(".")
        assert one.why.endswith(".")
        assert f"`{one.name}`" in rows


def test_every_verdict_that_is_no_check_has_a_section() -> None:
    """Building, answering and known answers are told under names of their own."""
    headings = set(re.findall(r"^### (\S+)$", FILE.read_text(), re.MULTILINE))
    beside = {COMPILES, LINKS, FITS, ANSWERS, ANSWERED, "package/loads"}
    assert beside <= headings


@pytest.mark.parametrize(
    "checks",
    [STREAM_CHECKS, HASH_CHECKS, OPERATION_CHECKS],
    ids=["stream", "hash", "operation"],
)
def test_names_of_checks_are_unique_and_their_texts_complete(
    checks: tuple[AnyCheck, ...],
) -> None:
    """A question ends in a question mark; reasons and cures are sentences."""
    assert len(checks) == len({check.name for check in checks})
    for check in checks:
        assert re.fullmatch(r"[a-z]+/[a-z0-9-]+", check.name)
        assert check.asks.endswith("?")
        assert check.why.endswith(".")
        assert check.cure.endswith(".")


def test_a_name_that_would_ask_two_questions_is_refused() -> None:
    """Authors look up a name and read one text; a kind may only bring a function of its own."""
    first: AnyCheck = next(iter(STREAM_CHECKS))
    assert list(registered([first, replace(first, run=lambda _: None)])) == [first.name]
    with pytest.raises(ValueError, match="asks two questions"):
        registered([first, replace(first, asks="Is it another question?")])


def test_no_name_of_a_check_stands_for_two_questions() -> None:
    """The page would show one of them to authors who were asked the other."""
    checks: tuple[AnyCheck, ...] = (*STREAM_CHECKS, *HASH_CHECKS, *OPERATION_CHECKS)
    assert set(every_check()) == {check.name for check in checks}
