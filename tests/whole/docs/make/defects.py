# SPDX-License-Identifier: MIT
"""The examples that `assay explain` shows: a broken package that each check catches.

Of several it is the smallest that fails without `--deep`, then one that fails, then a finding.
"""

import json
import tomllib

from tests.whole.corpus.families import CORPUS, FILES

MOST_CHARACTERS = 600  # of a change; a larger one explains little
WORST = (True, True, MOST_CHARACTERS + 1)


def text() -> str:
    """Return the examples as JSON, by the name of the check."""
    found: dict[str, dict[str, object]] = {}
    ranks: dict[str, tuple[bool, bool, int]] = {}
    for file in FILES:
        for one in tomllib.loads((CORPUS / file).read_text())["defect"]:
            check = one.get("caught") or one.get("noted")
            if isinstance(check, str) and one.get("edits") and isinstance(one.get("base"), str):
                edits = [each if len(each) == 3 else ["", *each] for each in one["edits"]]
                example = {"name": one["name"], "base": one["base"], "edits": edits}
                rank = ("caught" not in one, bool(one.get("deep")), _size(edits))
                if rank[-1] <= MOST_CHARACTERS and rank < ranks.get(check, WORST):
                    found[check], ranks[check] = example, rank
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def _size(edits: list[list[str]]) -> int:
    return sum(len(old) + len(new) for _, old, new in edits)
