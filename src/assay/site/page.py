# SPDX-License-Identifier: MIT
"""What all pages share: templates, links, and the words of figures."""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partial
from importlib import resources
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader
from jinja2.bccache import Bucket
from msgspec import Struct

from assay.machine.cache import cache_folder
from assay.report.drawing import Drawing
from assay.report.formats.html import page_environment
from assay.report.formats.pictured import pdf_of, svg_of
from assay.report.printable import printable
from assay.site.cells import SiteMachine
from assay.site.names import family_name
from assay.site.writer import Derived, Page
from assay.writing import write_below

STYLES = (("assay.report", "results.css"), ("assay.site", "site.css"))
SCRIPTS = (("assay.report", "sort.js"), ("assay.site", "site.js"))
COMPILED = "templates"  # the folder of the user's cache
NONE = "-"
_LINE = re.compile(r"[\n\r]+")


class Known(Struct, frozen=True):
    """What pages know of the rest of the site.

    `labels` are the names of machines by identity, `addresses` the folders of their pages, and
    `facts` what is known of each in each folder. `elsewhere` are versions whose page another
    primitive has.
    """

    labels: Mapping[str, str]
    addresses: Mapping[str, str]
    facts: Mapping[tuple[int, str], SiteMachine]
    elsewhere: frozenset[str] = frozenset()


@cache
def environment() -> Environment:
    """Return what reads templates; they escape everything."""
    loader = ChoiceLoader([PackageLoader("assay.site"), PackageLoader("assay.report")])
    made = page_environment().overlay(loader=loader, autoescape=True, bytecode_cache=_Compiled())
    made.globals.update(family_name=family_name, links={})
    made.filters.update(figure=figure, span=span, count=count, lines=lines)
    return made


class _Compiled(BytecodeCache):
    """Keeps compiled templates in the user's cache.

    Compiling them was an eighth of making a site again after one new result.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template that was compiled of the same text, if there is one."""
        with suppress(OSError):
            bucket.bytecode_from_string((cache_folder() / COMPILED / bucket.key).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template."""
        with suppress(OSError):
            write_below(cache_folder() / COMPILED, bucket.key, bucket.bytecode_to_string())


def page(path: str, template: str, **context: Any) -> tuple[str, str]:
    """Make a page; `root` is how it reaches the first one."""
    root = "../" * path.count("/")
    text = environment().get_template(template).render(**context, root=root)
    return path, text


def graph(stem: str, drawn: Drawing) -> tuple[Page, Page]:
    """Make the files of a graph, whose path without its end is `stem`."""
    svg = svg_of(drawn)
    return (f"{stem}.svg", svg), (f"{stem}.pdf", Derived(svg, partial(pdf_of, drawn)))


def figure(value: float | None) -> str:
    """Write a figure with three digits that count."""
    if value is None:
        return NONE
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", "\u2009")
    return f"{value:#.3g}" if abs(value) < 100 else f"{value:.0f}"


def span(ends: tuple[float, float]) -> str:
    """Write an interval."""
    return f"{figure(ends[0])} to {figure(ends[1])}"


def count(value: int | None) -> str:
    """Write a number of bytes."""
    return NONE if value is None else f"{value:,}".replace(",", "\u2009")


def lines(text: str) -> str:
    """Make what a compiler or a package said harmless, line by line."""
    return "\n".join(printable(line) for line in _LINE.split(text.replace("\t", "    ")))


def assets() -> tuple[tuple[str, str], ...]:
    """Return the style sheet and the script of all pages."""
    return ("site.css", _joined(STYLES)), ("site.js", _joined(SCRIPTS))


def _joined(files: tuple[tuple[str, str], ...]) -> str:
    texts = (resources.files(one).joinpath("templates", name).read_text("utf-8")
             for one, name in files)  # fmt: skip
    return "\n".join(texts)
