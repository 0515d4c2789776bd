# SPDX-License-Identifier: MIT
"""Tables as one HTML file that needs nothing else: style sheet and sorting stand in it."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from assay import __version__
from assay.report.printable import printable
from assay.report.table import Report, Table


def html_text(report: Report) -> str:
    """Write the page; names are escaped, whoever chose them."""
    return (
        page_environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            title=next((one.heading for one in report.tables if one.heading), "Results"),
            style=asset("results.css"),
            script=asset("sort.js"),
            digest=_digest,
        )
    )


def table_html(table: Table) -> str:
    """Write a table alone, to be put into a page."""
    module = page_environment().get_template("table.html.j2").module
    return str(module.grid(table))  # type: ignore[attr-defined]


class _Environment(Environment):
    """Looks into rows, which are mappings, before it asks for attributes."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what a template means by `obj.attribute`."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)


@cache
def page_environment() -> Environment:
    """Return what reads templates; they escape everything but in plain text."""
    made = _Environment(
        loader=PackageLoader("assay.report"),
        autoescape=select_autoescape(disabled_extensions=("txt.j2",), default=True),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals.update(version=__version__)
    made.filters.update(line=printable)
    return made


def asset(name: str) -> str:
    """Return the text of a style sheet or script."""
    return resources.files("assay.report").joinpath("templates", name).read_text("utf-8")


def _digest(text: str) -> str:
    """Name a style sheet or script so that a browser runs it and no other one."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
