# SPDX-License-Identifier: MIT
"""The examples that `assay explain` shows: the smallest broken package that each check catches."""

import json
import tomllib
from typing import Any

from tests.whole.corpus.families import CORPUS, FILES

MOST_CHARACTERS = 600  # of a change; a larger one explains little


def text() -> str:
    """Return the examples as JSON, by the name of the check."""
    found: dict[str, dict[str, Any]] = {}
    for file in FILES:
        for one in tomllib.loads((CORPUS / file).read_text())["defect"]:
            check = one.get("caught") or one.get("noted")
            if isinstance(check, str) and one.get("edits") and isinstance(one.get("base"), str):
                edits = [each if len(each) == 3 else ["", *each] for each in one["edits"]]
                example = {"name": one["name"], "base": one["base"], "edits": edits}
                known = found.get(check)
                if _size(example) <= MOST_CHARACTERS and (
                    known is None or _size(example) < _size(known)
                ):
                    found[check] = example
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def _size(example: dict[str, Any]) -> int:
    return sum(len(old) + len(new) for _, old, new in example["edits"])
