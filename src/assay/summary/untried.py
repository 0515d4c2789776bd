# SPDX-License-Identifier: MIT
"""Which implementations of operations were not tried with all configurations, and why."""

from collections.abc import Iterator
from pathlib import PurePath

from assay.model import Dropped
from assay.store import Store
from assay.store.notes import Notes

NAMED = 6
OPERATION_PREFIX = "crypto_"


def untried(store: Store, operation: str | None = None) -> str:
    """Return the line that names them, of one operation or of all; empty if all were tried."""
    names = sorted(set(_names(store, operation)))
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (
        f"Not tried with further configurations, being far slower than the best of their "
        f"primitive with the first: {', '.join(names[:NAMED])}{more}. Checks of these, and of "
        "others that did not win, had fewer inputs than those of winners. `assay run --all` "
        "tries all, and checks them thoroughly."
    )


def _names(store: Store, operation: str | None) -> Iterator[str]:
    of = f"{operation}/" if operation else OPERATION_PREFIX
    for key, note in Notes(store).all(Dropped).items():
        name = "/".join(PurePath(key.place).parts[-3:])
        if not note.round and name.startswith(of):
            yield name
