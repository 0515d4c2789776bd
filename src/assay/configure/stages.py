# SPDX-License-Identifier: MIT
"""What the configure script does, stage by stage."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from assay.configure import folder
from assay.configure.compilers import supported_compilers
from assay.configure.dialogue import Dialogue, parse_selection
from assay.machine.cpuinfo import cpu_mhz, parse_mhz
from assay.model import Configuration
from assay.toolchain.configs import configurations
from assay.toolchain.probe import Supported, stand_ins
from assay.toolchain.shortlist import (
    ordered,
    parse_shortlist,
    proposed_shortlist,
    render_shortlist,
    shortlist_names,
    shortlist_text,
    standing_in,
)
from assay.writing import remove_leftovers


class Answers(Struct, frozen=True):
    """Answers given beforehand; None is asked."""

    compilers: str | None = None
    shortlist: str | None = None
    shortlist_only: bool | None = None
    mhz: float | None = None
    cross: bool = False
    quick: bool = False
    slower_than: float | None = None


class ReportsFolderSummary(Struct, frozen=True):
    """What a configured reports folder holds."""

    reports: Path
    compilers: tuple[Supported, ...]
    selected: tuple[str, ...]
    configurations: tuple[Configuration, ...]
    shortlist: str
    on_shortlist: int
    shortlist_only: bool
    mhz: float
    slower_than: float | None = None


def configure(reports: Path, dialogue: Dialogue, answers: Answers) -> ReportsFolderSummary | None:
    """Run all stages; None if the user does not want the candidates executed.

    Each stage's file is complete before the next one asks, so a start that is
    broken off loses only the stage it was in.
    """
    _validate(answers)
    remove_leftovers(reports)
    supported = supported_compilers(
        reports, dialogue, cross=answers.cross, tags=_tags(answers) if answers.quick else None
    )
    if supported is None:
        return None
    selected = _select(supported, dialogue, answers.compilers)
    made = configurations(selected)
    with dialogue.progress("creating config files"):
        folder.write_configurations(reports, made)
    shortlist, scores = _choose_shortlist(reports, dialogue, answers.shortlist, selected)
    only = answers.shortlist_only
    only = not dialogue.wants_other_options() if only is None else only
    folder.write_shortlist_only(reports, only=only)
    mhz = _collect_cpu(reports, dialogue, answers.mhz)
    slow = dialogue.slow_rate() if answers.slower_than is None else answers.slower_than or None
    folder.write_slow_rate(reports, slow)
    named = ordered(made, scores)
    return ReportsFolderSummary(
        reports,
        supported,
        tuple(each.command for each in selected),
        made,
        shortlist,
        sum(each.score > 0 for each in named),
        only,
        mhz,
        slow,
    )


def _validate(answers: Answers) -> None:
    """Refuse a wrong answer before the long search, not after it."""
    if answers.shortlist is not None:
        shortlist_text(answers.shortlist)
    if answers.mhz is not None:
        parse_mhz(str(answers.mhz))


def _tags(answers: Answers) -> tuple[str, ...]:
    """Return the tags of the shortlist that will be copied; none if there is no list."""
    name = answers.shortlist or proposed_shortlist()
    return tuple(parse_shortlist(shortlist_text(name))) if name else ()


def _select(
    supported: Sequence[Supported], dialogue: Dialogue, answer: str | None
) -> tuple[Supported, ...]:
    """Choose the active compilers."""
    if answer is None:
        numbers = dialogue.choose_compilers([each.command for each in supported])
        dialogue.tell("")
    else:
        numbers = parse_selection(answer, len(supported))
    return tuple(supported[number - 1] for number in numbers)


def _choose_shortlist(
    reports: Path, dialogue: Dialogue, answer: str | None, selected: Sequence[Supported]
) -> tuple[str, dict[str, int]]:
    """Choose a shortlist and copy it; return its name and the scores that this machine has.

    Where a compiler does not take `native`, the highest level that can be used has its scores.
    """
    name = answer
    if name is None:
        lists = [(each, len(parse_shortlist(shortlist_text(each)))) for each in shortlist_names()]
        name = dialogue.choose_shortlist(lists, proposed_shortlist())
        dialogue.tell("")
    text = shortlist_text(name)
    levels = stand_ins(selected)
    with dialogue.progress(f"copying shortlist.{name}"):
        scores = standing_in(parse_shortlist(text), levels)
        changed = scores != parse_shortlist(text)
        folder.write_shortlist(reports, render_shortlist(scores) if changed else text)
    for family, level in levels.items() if changed else ():
        dialogue.warn(f"{family}: in the shortlist {level} stands in for native")
    return name, scores


def _collect_cpu(reports: Path, dialogue: Dialogue, answer: float | None) -> float:
    """Write what is known of the processor, with the frequency that the user confirms."""
    dialogue.tell("")
    with dialogue.progress("collecting CPU information"):
        stated = cpu_mhz()
    mhz = dialogue.confirm_mhz(stated) if answer is None else answer
    folder.write_cpuinfo(reports, mhz)
    return mhz
