# SPDX-License-Identifier: MIT
"""What shells complete besides commands and options: packages and checks."""

from collections.abc import Iterator
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from assay.model.packages import kind_at
from assay.package.places import FOLDERS, TREE

FOLDER = "dir"  # what tells a shell to complete folders, too


def complete_packages(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return the packages below the user's clone whose names begin so, and folders."""
    del context, parameter
    found = [CompletionItem(name) for name in _names(begun) if name.startswith(begun)]
    return [*found, CompletionItem(begun, type=FOLDER)]


def _names(begun: str) -> Iterator[str]:
    """Yield names of packages, without reading any: of operations where one is begun."""
    from assay.campaign.roots import packages_root  # noqa: PLC0415 - most complete no package

    root, levels = packages_root(), "*/*"
    folders = [root / folder for folder in FOLDERS]
    if kind_at(begun) is not None:
        folders, levels = [root / TREE], "*/*/*"
    with suppress(OSError):
        for folder in folders:
            for place in sorted(folder.glob(levels)):
                if place.is_dir() and "supercop" not in place.relative_to(folder).parts[:1]:
                    yield place.relative_to(folder).as_posix()


def complete_checks(
    context: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return the checks whose names begin so."""
    from assay.check.kinds import every_check  # noqa: PLC0415 - imports every kind

    del context, parameter
    return [CompletionItem(name) for name in every_check() if name.startswith(begun)]
