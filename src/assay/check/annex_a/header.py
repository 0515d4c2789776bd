# SPDX-License-Identifier: MIT
"""Whether the header is what an application may include (A.1.3)."""

import re

from assay.check.annex_a.declared import STANDARD, compile_unit, names_of
from assay.check.bench import Bench
from assay.check.check import Check, CheckFailed, CheckSkipped, Origin
from assay.check.hash.trial import HashTrial
from assay.model.api import Promise
from assay.package.text import code_of, read_text

DIALECTS = (("-std=c90", "C90"), ("-std=c99", "C99"))
STRICT = ("-pedantic", "-Wall", "-Wstrict-prototypes", "-Werror")
_INCLUDE = re.compile(r"^\s*#\s*include\s*(?P<name>.*\S)", re.MULTILINE)
_STANDARD = re.compile(r"<(\w+)\.h>")

FIELDS, SHABAL = ("buf", "ptr", "state", "out_size"), "shabal"
COUNTER = ("Wlow", "Whigh")  # of blocks: Shabal alone has one
TYPES = ("-std=gnu99", "-Werror=incompatible-pointer-types")


def _bench(trial: HashTrial) -> Bench:
    if trial.bench is None:
        raise CheckSkipped("there is no compiler at hand")
    return trial.bench


def _name(trial: HashTrial) -> str:
    return trial.package.header.removesuffix(".h")


def alone(trial: HashTrial) -> None:
    """Compile the header and nothing else, twice included, in two dialects."""
    line = f'#include "{trial.package.header}"\n'
    unit = f"{line}{line}extern int assay_unit;\n"
    for option, dialect in DIALECTS:
        ended = compile_unit(_bench(trial), unit, (option, *STRICT))
        if not ended.ok:
            once = compile_unit(
                _bench(trial), line + "extern int assay_unit;\n", (option, *STRICT)
            )
            what = "included twice" if once.ok else "by itself"
            raise CheckFailed(f"{what} it does not compile as {dialect}", ended.output)


def prototypes(trial: HashTrial) -> str:
    """Let the compiler compare the declarations with those of the table of APIs.

    Return which fields the context lacks that contexts have in common.
    """
    paper = Promise.ANNEX_A in trial.api.promises
    bench = _bench(trial)
    # tcc does not know the option, and makes errors of what it warns of anyway.
    strict = STRICT if bench.recipe.compiler.is_tcc else (*STRICT, "-pedantic-errors")
    ended = compile_unit(bench, _pointers(trial), ("-std=c99", *strict) if paper else TYPES)
    if not ended.ok:
        what = "those of A.1.3" if paper else f"those of the API {trial.api.name}"
        raise CheckFailed(f"the declarations are not {what}", ended.output)
    return _fields(trial) if paper else ""


def _fields(trial: HashTrial) -> str:
    """Name the common fields of section 2.1 of the paper that the header does not have."""
    code = code_of(read_text(trial.package.root / trial.package.header))
    wanted = (*FIELDS, *(COUNTER if trial.package.primitive == SHABAL else ()))
    lacking = [one for one in wanted if not re.search(rf"\b{one}\b", code)]
    if not lacking:
        return ""
    return (
        f"the context has no {', '.join(lacking)}: fields that contexts have in common in section "
        "2.1 of the Shabal paper (for debugging only: Annex A leaves fields free)"
    )


def _pointers(trial: HashTrial) -> str:
    """Write C that defines a pointer of the declared type to every function."""
    lines = ["#include <stddef.h>", f'#include "{trial.package.header}"']
    for number, one in enumerate(trial.api.functions):
        lines.append(trial.api.pointer(one, f"assay_{number}", _name(trial)))
    return "\n".join(lines) + "\n"


def guard(trial: HashTrial) -> None:
    """Look for the guard macro by its name, and at whether it guards."""
    wanted = f"{_name(trial)}_h__"
    code = code_of(read_text(trial.package.root / trial.package.header)).strip()
    if wanted not in names_of(_bench(trial)).macros:
        raise CheckFailed(f"including it does not define {wanted}")
    if not re.match(rf"#\s*(?:ifndef\s+{wanted}\b|if\s+!\s*defined\b\W*{wanted}\b)", code):
        raise CheckFailed(f"it does not begin with #ifndef {wanted}")


def includes(trial: HashTrial) -> None:
    """Look at every #include, whatever it depends on."""
    code = code_of(read_text(trial.package.root / trial.package.header))
    found = [m["name"] for m in _INCLUDE.finditer(code)]
    standard = [m[1] for name in found if (m := _STANDARD.fullmatch(name))]
    for name in found:
        if not (m := _STANDARD.fullmatch(name)) or m[1] not in STANDARD:
            raise CheckFailed(f"it includes {name}, which is no header of ISO C")
    if "stddef" not in standard:
        raise CheckFailed("it does not include <stddef.h>")


def names(trial: HashTrial) -> None:
    """Look at every macro and at every name of file scope."""
    name = _name(trial)
    found = names_of(_bench(trial))
    for what, many in (("macro", found.macros), ("name", found.declared)):
        strange = [one for one in many if one != name and not one.startswith(f"{name}_")]
        if strange:
            raise CheckFailed(
                f"the {what} {strange[0]} does not begin with {name}_", "\n".join(strange)
            )


CHECKS = (
    Check(
        name="header/alone",
        asks="Does the header compile on its own and included twice, as C90 and as C99?",
        why="An application includes it anywhere, so the header must include what it needs.",
        cure="Include <stddef.h> for size_t, and put everything inside the guard.",
        run=alone,
        origin=Origin.PAPER,
    ),
    Check(
        name="header/guard",
        asks="Is the guard macro `xxx_h__` (A.1.3)?",
        why="Its name contains the identifier, so that two hash functions never share a guard.",
        cure="Begin with `#ifndef xxx_h__` and `#define xxx_h__`, end with `#endif`.",
        run=guard,
        origin=Origin.PAPER,
    ),
    Check(
        name="header/includes",
        asks="Does the header include <stddef.h>, and otherwise only headers of ISO C (A.1.3)?",
        why="Other headers are missing on some systems and add names that may collide.",
        cure="Include <stddef.h>; take 32-bit types from <limits.h> or <stdint.h>.",
        run=includes,
        origin=Origin.PAPER,
    ),
    Check(
        name="header/names",
        asks="Do all macros, types and functions of the header begin with `xxx_` (A.1.3)?",
        why="Any other name may collide with one of the application.",
        cure="Rename them, or move them into the source.",
        run=names,
        origin=Origin.PAPER,
    ),
    Check(
        name="header/prototypes",
        asks="Are the functions declared with the types of the API?",
        why=(
            "Applications are compiled against these types. Another order or width of "
            "parameters works only by chance, on some machines."
        ),
        cure="Copy the declarations that `assay new` writes.",
        run=prototypes,
        origin=Origin.PAPER,
    ),
)
