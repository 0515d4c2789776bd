# SPDX-License-Identifier: MIT
"""Options that say where they apply, and the refusal of what would be ignored.

`refuse` is called by a command as soon as it knows what its arguments mean, and before it
does anything.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import click
from click.core import ParameterSource

from assay.errors import UsageError
from assay.model import PackageKind, Target
from assay.package.discover import Found

STREAM, HASH = PackageKind.STREAM, PackageKind.HASH
OPERATION = PackageKind.OPERATION
SUMMARY, MIXED, FOLDER, NAMED = "summary", "mixed", "folder", "named"
SEVERAL = "several"
ADDRESS, LOCAL = "address", "local"
FOREIGN, COUNTS = "foreign", "counts"
CLOCK = "clock"
MANY = 12  # more than that are reported in a summary

WORDS = {
    STREAM: "stream ciphers",
    HASH: "compact hashes",
    OPERATION: "packages of operations",
    SUMMARY: f"more than {MANY} packages at once",
    MIXED: "packages of operations together with others",
    FOREIGN: "other targets than this machine",
    COUNTS: "targets that count instructions or cycles",
    FOLDER: "a folder of results of operations",
    NAMED: "another named folder",
    SEVERAL: "the folders of several machines",
    ADDRESS: "an address, whose archive the service fetches",
    LOCAL: "what is sent from here",
    CLOCK: "the clock",
}


NATIVE = "Leave out --target, or the option."
COUNTED = "Leave it out: an emulator's counts are exact."
OPERATIONS = "Leave it out: it is for packages of operations, such as crypto_hash/sha256/ref."


class Option(click.Option):
    """An option that says where it applies, and may have older spellings, which are not shown.

    `refused` has a cure for each of the situations in which the option would be ignored.
    `some` names kinds of which there must be one at least. `needs` names another option
    that it depends on, and `excludes` those that would make it mean nothing.
    """

    def __init__(
        self,
        declarations: Sequence[str],
        *,
        refused: Mapping[str, str] | None = None,
        some: Sequence[str] = (),
        needs: str = "",
        excludes: Sequence[str] = (),
        older: Sequence[str] = (),
        **rest: Any,
    ) -> None:
        """Take what every option has besides."""
        super().__init__([*declarations, *older], **rest)
        self.refused, self.some = refused or {}, some
        self.needs, self.excludes = needs, excludes
        self.older = frozenset(older)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Describe the option by its new spelling alone."""
        shown = copy(self)
        shown.opts = [each for each in self.opts if each not in self.older]
        return super(Option, shown).get_help_record(ctx)


def option(*declarations: str, **attributes: Any) -> Callable[[Any], Any]:
    """Return the decorator that gives a command an option; `attributes` are those of `Option`."""
    return click.option(*declarations, cls=Option, **attributes)


def kinds_of(found: Iterable[Found]) -> dict[str, str]:
    """Return the kinds of packages, with an example of each."""
    seen: dict[str, str] = {}
    for one in found:
        if one.kind is not None:
            seen.setdefault(one.kind, one.selector)
    if OPERATION in seen and len(seen) > 1:
        seen[MIXED] = ", ".join(seen.values())
    return seen


def situations_of(found: Iterable[Found], targets: Iterable[Target]) -> dict[str, str]:
    """Return the kinds of packages, and what the targets are, each with an example."""
    foreign = [one for one in targets if not one.is_native]
    seen = kinds_of(found)
    for one in foreign:
        seen.setdefault(FOREIGN, one.name)
        if one.counts:
            seen.setdefault(COUNTS, one.name)
    return seen


def refuse(situations: Mapping[str, str] | None = None) -> None:
    """Raise UsageError for the first option given that would be ignored in this call.

    `situations` are kinds of packages and what else options know, each with an example
    that the message names.
    """
    context = click.get_current_context()
    given = {one.name or "": one for one in context.command.params if _given(context, one)}
    ruled = [one for one in given.values() if isinstance(one, Option)]
    for one in ruled:
        for each in (name for name in one.excludes if name in given):
            mine, other = _spelled(context, one), _spelled(context, given[each])
            cure = f"Leave out {mine} or {other}."
            raise UsageError(f"{mine} and {other} do not go together", cure)
    for one in ruled:
        if one.needs and one.needs not in given:
            needed = next(other for other in context.command.params if other.name == one.needs)
            raise UsageError(
                f"{_spelled(context, one)} means nothing without {needed.opts[0]}",
                f"Add {needed.opts[0]}, or leave out {_spelled(context, one)}.",
            )
        if situations:
            _fitting(_spelled(context, one), one, situations)


def _fitting(spelled: str, one: Option, situations: Mapping[str, str]) -> None:
    """Raise UsageError if an option would be ignored in one of the situations."""
    for each in (other for other in situations if other in one.refused):
        example = f" ({situations[each]})" if situations[each] else ""
        raise UsageError(f"{spelled} does not apply to {WORDS[each]}{example}", one.refused[each])
    if one.some and not any(other in situations for other in one.some):
        words = " or ".join(WORDS[other] for other in one.some)
        raise UsageError(f"{spelled} applies to {words} only", "Leave it out.")


def _given(context: click.Context, option: click.Parameter) -> bool:
    """Return whether the user wrote an option, with a value that is not nothing."""
    source = context.get_parameter_source(option.name or "")
    return source is ParameterSource.COMMANDLINE and context.params.get(option.name or "") not in (
        None,
        (),
    )


def _spelled(context: click.Context, option: click.Parameter) -> str:
    """Spell an option as on the command line."""
    if isinstance(option, click.Argument):
        return option.make_metavar(context)
    off = context.params.get(option.name or "") is False and option.secondary_opts
    spellings = option.secondary_opts if off else option.opts
    return next((each for each in spellings if each.startswith("--")), spellings[0])
