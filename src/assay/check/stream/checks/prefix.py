# SPDX-License-Identifier: MIT
"""Whether a short message is encrypted as the beginning of a long one."""

from assay.check.check import Check, CheckInapplicable
from assay.check.stream.checks.laying import (
    LONGEST_SWEPT,
    fresh,
    lay,
    load_key,
    must_equal,
    outcome,
)
from assay.check.stream.session import ENCRYPT
from assay.check.stream.trial import Trial
from assay.check.stream.ways import at_once, packet


def prefixes(trial: Trial) -> None:
    """Keystream does not depend on how much of it is used."""
    if "generates-keystream" not in trial.subject.flags:
        raise CheckInapplicable("the cipher says that it generates no keystream")
    lengths = [one for one in trial.lengths(thorough=trial.thorough) if one < LONGEST_SWEPT]
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, LONGEST_SWEPT)
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            packet(ENCRYPT, session, places, LONGEST_SWEPT, 0)
            whole = outcome(session, places, sizes, LONGEST_SWEPT).output
            waiting = []
            for length in lengths:
                at_once(ENCRYPT, session, places, length, 0)
                waiting.append((length, outcome(session, places, sizes, length).output))
            for length, prefix in waiting:
                complaint = f"{length} bytes encrypt differently from the same bytes in a longer "
                must_equal(f"{complaint}message", message, whole.data[:length], prefix.data)


CHECKS = (
    Check(
        name="lengths/prefix",
        asks="Does a short message encrypt like the beginning of a long one?",
        why="Receivers decrypt what has arrived, however much the sender encrypted at once.",
        cure="Let the keystream depend on the position alone, not on the length of the message.",
        run=prefixes,
    ),
)
