# SPDX-License-Identifier: MIT
"""`--output FORMAT:FILE`: what a command found, also written into files, each in a format."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from assay.errors import UsageError
from assay.report.formats.names import (
    ANNOTATIONS,
    CHARTS,
    FIGURE_FORMS,
    FILE_FORMS,
    SUMMARY,
    VERDICT_FORMS,
)
from assay.writing import named_file

if TYPE_CHECKING:  # only who writes files needs them
    from assay.report.ci.records import Harvest

STDOUT = "-"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"  # where GitHub says that a step's summary belongs


class Output(Struct, frozen=True):
    """A file that is wanted in a format; `-` is standard output."""

    form: str
    file: str


class FileContents(Struct, frozen=True):
    """What files are made of: the text of a format of tables, and all that was found.

    Both are made when a file needs them.
    """

    text: Callable[[str], Any]
    harvest: "Callable[[], Harvest]"


def output_option(*, charts: bool = False) -> Callable[[Any], Any]:
    """Return the option `--output`; some commands have charts."""
    forms = (*FILE_FORMS, *(CHARTS if charts else ()))

    def read(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[Output, ...]:
        return tuple(_one_each([_parsed(text, forms) for text in texts]))

    return click.option(
        "--output",
        "outputs",
        multiple=True,
        metavar="FORMAT:FILE",
        callback=read,
        help="Also write FILE in a format, such as junit:verdicts.xml (docs/guide/ci.md lists "
        "the formats); repeatable, and `-` is standard output.",
    )


def _parsed(text: str, forms: Sequence[str]) -> Output:
    """Read `junit:verdicts.xml`; annotations and summaries have a place where GitHub expects them.

    UsageError for a format that there is not, and for a file that could not be written.
    """
    form, colon, file = text.partition(":")
    if form not in forms:
        raise UsageError(
            f"--output {text!a}: there is no format {form!a}", f"There are {', '.join(forms)}."
        )
    file = file or {ANNOTATIONS: STDOUT, SUMMARY: os.environ.get(STEP_SUMMARY, "")}.get(form, "")
    if not file:
        where = f", or set {STEP_SUMMARY}" if form == SUMMARY and not colon else ""
        raise UsageError(
            f"--output {text!a} names no file", f"Write {form}:FILE, or {form}:-{where}."
        )
    if file != STDOUT and not Path(file).parent.is_dir():
        raise UsageError(
            f"--output {text!a}: there is no folder {Path(file).parent}",
            "Make it, or name another file.",
        )
    return Output(form, file)


def _one_each(outputs: Sequence[Output]) -> Sequence[Output]:
    """Raise UsageError for a file that is named twice."""
    files = [one.file for one in outputs if one.file != STDOUT]
    twice = next((one for one in files if files.count(one) > 1), None)
    if twice is not None:
        raise UsageError(f"--output names {twice} twice", "Name a file for each format.")
    return outputs


def deliver(outputs: Sequence[Output], sources: FileContents) -> None:
    """Write the files that were asked for; what was found is looked for once."""
    found = cache(sources.harvest)
    for one in outputs:
        of_all = one.form in (*VERDICT_FORMS, SUMMARY, *FIGURE_FORMS)
        text = _writers()[one.form](found()) if of_all else sources.text(one.form)
        if one.file == STDOUT:
            click.echo(text, nl=False)
            continue
        content = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        with named_file(Path(one.file)) as file:
            file.write(_before(one) + content)


def _before(one: Output) -> bytes:
    """Return what a summary is added to: a step may have written some of it."""
    path = Path(one.file)
    return path.read_bytes() if one.form == SUMMARY and path.is_file() else b""


def _writers() -> "Mapping[str, Callable[[Harvest], str]]":
    from assay.campaign.gathering import check_texts  # noqa: PLC0415
    from assay.report.ci import figure_forms, summary, verdict_forms  # noqa: PLC0415 - most need none

    return {
        "junit": verdict_forms.junit_text,
        "sarif": lambda found: verdict_forms.sarif_text(found, check_texts()),
        ANNOTATIONS: verdict_forms.annotations_text,
        SUMMARY: summary.summary_text,
        "benchfmt": figure_forms.benchfmt_text,
        "bencher": figure_forms.bencher_text,
        "benchmark-action": figure_forms.benchmark_action_text,
        "openmetrics": figure_forms.openmetrics_text,
    }
