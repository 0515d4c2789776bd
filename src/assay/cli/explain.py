# SPDX-License-Identifier: MIT
"""`assay explain`: what a check asks, why, how to fix what it finds, and code that fails it."""

import json
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from importlib.resources import files
from typing import Any

import click

from assay.check.check import Check
from assay.check.kinds import checks_called, every_check
from assay.cli.options import complete_checks
from assay.cli.verdicts import MARKS
from assay.model import Verdict
from assay.model.work import FORMERLY, todays

EXAMPLES = "defects.json"
WIDTH = 88
ANSWERED = (
    f"Answers: {MARKS[Verdict.PASS]}, {MARKS[Verdict.FAIL]}, {MARKS[Verdict.OPEN]} where what "
    f"decides could not be examined, {MARKS[Verdict.FINDING]} for what no rule forbids, and "
    f"{MARKS[Verdict.SKIPPED]} where the question does not apply or was not asked."
)


NO_QUESTION = "No question of its own: the reason and the cure stand in the verdict."
OUTCOMES = {
    "package/loads": "Whether the folder is a package, as its header and sources say.",
    "build/compiles": "Whether every source of the package compiles.",
    "build/links": "Whether what was compiled can be linked into an agent.",
    "build/fits": "Whether the code fits into the memory of the target.",
    "build/constants": "Whether the package's constants can be read from its header.",
    "build/warnings": "What the compiler warned of that makes code crash or compute otherwise.",
    "agent/answers": "Whether the agent that holds the package starts and answers.",
}


@click.command(name="explain")
@click.argument(
    "names", nargs=-1, required=True, metavar="CHECK...", shell_complete=complete_checks
)
def command(names: tuple[str, ...]) -> None:
    """Explain checks: the question, why it is asked, the cure, and an example of a defect.

    CHECK is a name as verdicts have it, such as buffers/guard, or a family, such as buffers.
    """
    known = every_check()
    found = list(dict.fromkeys(one for name in names for one in _meant(name)))
    examples = json.loads((files("assay.check") / EXAMPLES).read_text("utf-8"))
    texts = ("\n".join(_lines(name, known.get(name), examples.get(name))) for name in found)
    click.echo("\n\n".join(texts))


def _meant(name: str) -> Sequence[str]:
    today = todays(name)
    return (today,) if today in OUTCOMES else checks_called(name)


def _lines(name: str, check: Check[Any] | None, example: dict[str, Any] | None) -> Iterator[str]:
    formerly = FORMERLY.get(name)
    yield click.style(name, bold=True) + (f" (formerly {formerly})" if formerly else "")
    texts = (
        (check.asks, check.why, f"Cure: {check.cure}", check.origin.value, ANSWERED)
        if check
        else (OUTCOMES[name], NO_QUESTION)
    )
    for text in texts:
        yield click.wrap_text(text, WIDTH, "  ", "  ")
    if example is not None:
        base = example["base"] if "/" in example["base"] else f"a toy ({example['base']})"
        yield f"  Example, {example['name'].replace('-', ' ')}: {base} with this change:"
        for file, old, new in example["edits"]:
            yield f"    {file or 'the source'}"
            changed = unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm="")
            yield from (f"    {line}" for line in list(changed)[3:])
