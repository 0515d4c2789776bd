# SPDX-License-Identifier: MIT
"""Which options apply to what: the one table, and the refusal of what would be ignored.

Every option of every command has an entry. `refuse` is called by a command as soon as it
knows what its arguments mean, and before it does anything.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import click
from click.core import ParameterSource

from assay.errors import UsageError
from assay.model import PackageKind, Target
from assay.package.discover import Found

STREAM, HASH = PackageKind.STREAM, PackageKind.HASH
OPERATION = PackageKind.OPERATION
SUMMARY, MIXED, FOLDER, NAMED = "summary", "mixed", "folder", "named"
SEVERAL = "several"
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
}


@dataclass(frozen=True, slots=True)
class Applies:
    """To what an option applies.

    `refused` has a cure for each of the situations in which the option would be ignored.
    `some` names kinds of which there must be one at least. `needs` names another option
    that it depends on, and `excludes` those that would make it mean nothing.
    """

    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    some: tuple[str, ...] = ()
    needs: str = ""
    excludes: tuple[str, ...] = ()


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
        sha256=ALWAYS,
        no_wait=ALWAYS,
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

    `situations` are kinds of packages and what else the table knows, each with an example
    that the message names.
    """
    context = click.get_current_context()
    table = COMMANDS[context.command.name or ""]
    given = {one.name or "": one for one in context.command.params if _given(context, one)}
    for name, option in given.items():
        applies = table[name]
        for each in (other for other in applies.excludes if other in given):
            _excluded(_spelled(context, option), _spelled(context, given[each]))
        if applies.needs and applies.needs not in given:
            needed = next(one for one in context.command.params if one.name == applies.needs)
            raise UsageError(
                f"{_spelled(context, option)} means nothing without {needed.opts[0]}",
                f"Add {needed.opts[0]}, or leave out {_spelled(context, option)}.",
            )
        if situations:
            _fitting(_spelled(context, option), applies, situations)


def _fitting(option: str, applies: Applies, situations: Mapping[str, str]) -> None:
    """Raise UsageError if an option would be ignored in one of the situations."""
    for each in (one for one in situations if one in applies.refused):
        example = f" ({situations[each]})" if situations[each] else ""
        raise UsageError(
            f"{option} does not apply to {WORDS[each]}{example}", applies.refused[each]
        )
    if applies.some and not any(one in situations for one in applies.some):
        words = " or ".join(WORDS[one] for one in applies.some)
        raise UsageError(f"{option} applies to {words} only", "Leave it out.")


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
