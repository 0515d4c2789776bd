# SPDX-License-Identifier: MIT
"""What all pages share: the templates with all that they know, style and script, and files.

Every table on a page, and in a file of `--format html`, is printed by `table.html.j2`.
"""

from importlib import resources
from pathlib import Path

from jinja2 import Environment

from assay import __version__
from assay.report import machine_tables
from assay.report.pictures import picture, templates
from assay.writing import write_below

ASSETS = ("results.css", "sort.js")


def page_environment() -> Environment:
    """Return what reads templates, with what a page needs."""
    environment = templates()
    environment.globals.update(version=__version__, picture=picture, tables=machine_tables)
    return environment


def asset(name: str) -> str:
    """Return the text of a style sheet or script."""
    return resources.files("assay.report").joinpath("templates", name).read_text("utf-8")


def copy_assets(folder: Path) -> None:
    """Put style and script next to the pages."""
    for name in ASSETS:
        write_below(folder, name, asset(name))
