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


<<<<<<< HEAD
def option(*declarations: str, **attributes: Any) -> Callable[[Any], Any]:
    """Return the decorator that gives a command an option; `attributes` are those of `Option`."""
    return click.option(*declarations, cls=Option, **attributes)
=======
ALWAYS = Applies()
TREES = Applies(some=(OPERATION,))
SEED = Applies(some=(OPERATION,), needs="sample")
TARGETS_FILE = Applies(needs="target_names")
NATIVE = "Leave out --target, or the option."
COUNTED = "Leave it out: an emulator's counts are exact."
OPERATIONS = "Leave it out: it is for packages of operations, such as crypto_hash/sha256/ref."
NAME_IT = "Name the operation: `assay show crypto_hash --results FOLDER`."
PAGES = "Use --all: it shows every configuration of every implementation."
FORMS = {
    "form": Applies(excludes=("as_csv", "as_json", "as_latex", "as_markdown")),
    "as_csv": Applies(excludes=("as_json", "as_latex", "as_markdown")),
    "as_json": Applies(excludes=("as_latex", "as_markdown")),
    "as_latex": Applies(excludes=("as_markdown",)),
    "as_markdown": ALWAYS,
    "columns": ALWAYS,
}
ARGUMENT_AND_COMMON = ("packages", "jail_name", "as_json", "patience")


def _table(**entries: Applies) -> dict[str, Applies]:
    """Add what means the same in every command."""
    return {**dict.fromkeys(ARGUMENT_AND_COMMON, ALWAYS), **entries}


COMMANDS: dict[str, dict[str, Applies]] = {
    "bundle": _table(folder=ALWAYS, output=ALWAYS, key=ALWAYS),
    "verify": _table(path=ALWAYS, allowed=ALWAYS),
    "add": _table(source=ALWAYS, into=ALWAYS, sha256=ALWAYS, large=ALWAYS),
    "check": _table(
        conf=Applies({FOREIGN: NATIVE}, excludes=("all_configs",)),
        target_names=ALWAYS,
        targets_file=TARGETS_FILE,
        trees=TREES,
        sample=TREES,
        seed=SEED,
        answers=Applies(
            {
                STREAM: "`assay vectors PACKAGE --answers FILE` compares others.",
                HASH: "`assay vectors PACKAGE --answers FILE` compares others.",
            },
        ),
        against=ALWAYS,
        deep=ALWAYS,
        unhurried=Applies(some=(OPERATION,), excludes=("deep",)),
        long=Applies(
            {
                FOREIGN: "A stream of 2^32 blocks is made on this machine alone.",
                SUMMARY: "Name a few packages: each takes minutes to hours.",
            },
            some=(STREAM,),
            needs="deep",
        ),
        form=Applies(excludes=("as_json",)),
        all_configs=ALWAYS,
        best=Applies(needs="all_configs"),
        results=ALWAYS,
        show_all=Applies(
            {SUMMARY: "Leave it out: the summary names packages to look at with --all."}
        ),
    ),
    "cleanup": _table(source=ALWAYS, into=ALWAYS, name=ALWAYS, yes=ALWAYS),
    "collect": _table(
        folder=ALWAYS,
        results=Applies(excludes=("folder",)),
        update=Applies(
            {FOLDER: "Leave it out: operations have no shortlist."}, excludes=("archived",)
        ),
        archived=ALWAYS,
        output=Applies(needs="archived"),
    ),
    "compare": _table(
        first=ALWAYS,
        second=ALWAYS,
        results=ALWAYS,
        metrics=ALWAYS,
        **FORMS,
        everything=ALWAYS,
        confidence=ALWAYS,
        threshold=ALWAYS,
        measure=ALWAYS,
        launches=ALWAYS,  # what measured can be repeated without --measure
        witness=Applies({OPERATION: "Leave it out: operations are timed, on this machine only."}),
        trees=ALWAYS,
        html=ALWAYS,
    ),
    "configure": _table(
        yes=ALWAYS,
        compilers=ALWAYS,
        shortlist=ALWAYS,
        shortlist_only=ALWAYS,
        mhz=ALWAYS,
        cross=ALWAYS,
        quick=ALWAYS,
        reports=ALWAYS,
        slower_than=ALWAYS,
    ),
    "doctor": _table(**FORMS),
    "export": _table(
        folder=ALWAYS,
        results=Applies(excludes=("folder",)),
        form=Applies(excludes=("supercop",)),
        supercop=ALWAYS,
        output=ALWAYS,
        imported=ALWAYS,
        version_word=Applies(excludes=("imported",)),
    ),
    "init": _table(tree=ALWAYS, into=ALWAYS),
    "fleet": _table(action=ALWAYS, path=ALWAYS, results=ALWAYS, names=ALWAYS),
    "import": _table(paths=ALWAYS, folder=ALWAYS, allowed=ALWAYS),
    "completion": _table(shell=ALWAYS),
    "manual": _table(),
    "list": _table(names=ALWAYS, trees=ALWAYS, **FORMS),
    "new": _table(name=ALWAYS, api=ALWAYS),
    "run": _table(
        results=ALWAYS,
        names=Applies(
            {
                FOREIGN: NATIVE,
                MIXED: "Run them one after another: their configurations have other names.",
            }
        ),
        shortlist_only=Applies({FOREIGN: NATIVE}, some=(STREAM, HASH), excludes=("names",)),
        best=ALWAYS,
        launches=Applies({COUNTS: COUNTED}),
        samples=Applies({COUNTS: COUNTED}),
        glance=ALWAYS,
        slower_than=Applies({COUNTS: COUNTED}, some=(STREAM,)),
        race=Applies(excludes=("everything",)),
        precision=Applies({COUNTS: COUNTED}),
        most_launches=Applies({COUNTS: COUNTED}, needs="precision"),
        no_cache=Applies({OPERATION: "Leave it out: their packages are always compiled."}),
        sizes=Applies(
            {OPERATION: "Leave it out: every message length is measured; see --curve, too."},
            some=(STREAM,),
        ),
        trees=TREES,
        sample=TREES,
        seed=SEED,
        curve=Applies({STREAM: OPERATIONS, HASH: OPERATIONS}),
        accept=Applies({STREAM: OPERATIONS, HASH: OPERATIONS}),
        everything=Applies({STREAM: OPERATIONS, HASH: OPERATIONS}),
        target_names=Applies(
            {
                OPERATION: "They are timed, and so on this machine only; "
                "`assay check --target` asks its checks elsewhere."
            }
        ),
        targets_file=TARGETS_FILE,
    ),
    "selftest": _table(
        packages=Applies(excludes=("recorded",)),
        quick=Applies(excludes=("recorded", "folder")),
        record=Applies(excludes=("folder",)),
        recorded=Applies(excludes=("folder",)),
        folder=ALWAYS,
        **FORMS,
        jail_name=Applies(excludes=("recorded",)),
    ),
    "show": _table(
        what=ALWAYS,
        everything=ALWAYS,
        packages=Applies({OPERATION: PAGES, FOLDER: PAGES}),
        results=Applies({NAMED: "Name folders one way: `assay show A B`, or --results A."}),
        **FORMS,
        size=Applies({STREAM: OPERATIONS, FOLDER: NAME_IT, SEVERAL: NAME_IT}),
        metric=Applies({STREAM: OPERATIONS, FOLDER: NAME_IT, SEVERAL: NAME_IT}),
        part=Applies({STREAM: OPERATIONS, FOLDER: NAME_IT, SEVERAL: NAME_IT}),
        joined=Applies({STREAM: "Name several folders: `assay show A B`.", FOLDER: NAME_IT}),
    ),
    "size": _table(
        target_names=ALWAYS,
        targets_file=TARGETS_FILE,
        html=ALWAYS,
        **FORMS,
    ),
    "start": _table(
        best=Applies(excludes=("everything",)), everything=ALWAYS, launches=ALWAYS, ask=ALWAYS
    ),
    "serve": _table(
        folder=ALWAYS,
        **dict.fromkeys(
            ("host", "port", "origin", "queue", "judges", "no_worker"), Applies(excludes=("name",))
        ),
        name=ALWAYS,
        **dict.fromkeys(("mail", "administrator", "waiting", "daily"), Applies(needs="name")),
    ),
    "site": _table(folders=ALWAYS, to=ALWAYS, allowed=ALWAYS),
    "submit": _table(
        source=ALWAYS,
        server=ALWAYS,
        token_file=ALWAYS,
        name=ALWAYS,
        message=ALWAYS,
        sha256=Applies({LOCAL: "Leave it out: what arrives is compared with what was sent."}),
        no_wait=ALWAYS,
        unchecked=Applies({ADDRESS: "Leave it out: nothing of it is here to be checked."}),
    ),
    "tabulate": _table(files=ALWAYS),
    "targets": _table(
        targets_file=ALWAYS, line_only=Applies(excludes=tuple(FORMS)), missing=ALWAYS, **FORMS
    ),
    "work": _table(
        url=ALWAYS,
        name=ALWAYS,
        folder=ALWAYS,
        targets=ALWAYS,
        only=ALWAYS,
        refused=ALWAYS,
        longest=ALWAYS,
        best=ALWAYS,
        approval=ALWAYS,
        once=ALWAYS,
        wish=Applies(excludes=("url",)),
    ),
    "vectors": _table(
        package=ALWAYS,
        output=Applies(excludes=("answers",)),
        answers=ALWAYS,
        long=Applies(
            {OPERATION: "Leave it out: packages of the SUPERCOP API have no long vectors."},
            excludes=("answers",),
        ),
        variant=Applies(
            {
                HASH: "Leave it out: a compact hash has no variants.",
                OPERATION: "Leave it out: packages of operations have no variants.",
            }
        ),
        conf=Applies({FOREIGN: NATIVE}),
        target_names=ALWAYS,
        targets_file=TARGETS_FILE,
        trees=TREES,
    ),
}
>>>>>>> 97acb233 (Check a package before assay submit sends it)


def kinds_of(found: Iterable[Found]) -> dict[str, str]:
    """Return the kinds of packages, with an example of each."""
    seen: dict[str, str] = {}
    for one in found:
        operation = one.place.startswith("crypto_")
        kind = OPERATION if operation else getattr(one, "kind", "")
        if kind:
            seen.setdefault(kind, one.selector)
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
    for one in (one for one in given.values() if isinstance(one, Option)):
        for each in (other for other in one.excludes if other in given):
            _excluded(_spelled(context, one), _spelled(context, given[each]))
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


def _excluded(option: str, other: str) -> None:
    raise UsageError(f"{option} and {other} do not go together", f"Leave out {option} or {other}.")


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
