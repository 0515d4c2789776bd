# SPDX-License-Identifier: MIT
"""Words of database lines: nothing in them may look like the end of one."""

from collections.abc import Sequence

from assay.model.supercop import Source
from assay.stats.stabilised import listed_median, stabilised_integer

# Versions from this one on write StQ2 and deviations, earlier ones a median and a list.
DEVIATIONS_SINCE = 20260214
BLANKS = str.maketrans(" \t\r\n", "____")
OWN = "assay-"
# Facts about a try name implementation and compiler; others stand in a heading.
TRIED = frozenset(
    {
        *("fromcompiler", "namespace"),
        *("timecop_pass", "timecop_fail", "timecop_error", "timecop_output"),
    }
)


def word(text: str) -> str:
    """Make one word: white space becomes underscores, and nothing becomes a dash."""
    return text.translate(BLANKS) or "-"


def host_word(name: str) -> str:
    """Shorten a host's name as SUPERCOP does: letters and digits before the first dot."""
    kept = "".join(c for c in name.partition(".")[0].lower() if c.isascii() and c.isalnum())
    return kept or "unknown"


def lists_timings(source: Source) -> bool:
    """Return whether lines of this source have the older format."""
    return (
        source.version.isascii()
        and source.version.isdigit()
        and (int(source.version) < DEVIATIONS_SINCE)
    )


def timing_words(values: Sequence[int], *, listed: bool) -> list[str]:
    """Write the middle timing and all timings, in the older format if `listed`."""
    middle = listed_median(values) if listed else stabilised_integer(values)
    if len(values) == 1:
        return [str(middle)]
    if listed:
        return [str(middle), *map(str, values)]
    return [str(middle), "".join(f"{value - middle:+d}" for value in values)]
