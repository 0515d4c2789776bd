# SPDX-License-Identifier: MIT
"""Tables of leaks: configurations in few words, and what cures them."""

from assay.model.secrets import ConfigurationLeaks, Leak, TriedCure
from assay.plan.recipes import MATRIX
from assay.report.constant_time import leak_report

LEAK = Leak("branch", "select (a.c:7)", "jae 3")


def found(*levels: str) -> tuple[ConfigurationLeaks, ...]:
    """Return rows of a compiler that leaks at some levels, and of one that never does."""
    return tuple(
        ConfigurationLeaks(name, one, name + one, (LEAK,) if at else (), "")
        for name in ("clang 15", "gcc 12")
        for one in MATRIX
        for at in [name == "clang 15" and one in levels]
    )


def test_levels_from_one_on_are_named_by_the_first() -> None:
    """-Os is no step between -O0 and -Ofast, so it is named by itself."""
    rows = leak_report("p", found("-O1", "-O2", "-O3", "-Os", "-Ofast")).tables[1].rows
    assert [row.values["configurations"] for row in rows] == ["clang 15 -Os from -O1 on"]


def test_levels_that_are_no_run_up_to_the_last_are_listed() -> None:
    """A leak that -O2 takes away is not there from -O1 on."""
    rows = leak_report("p", found("-O1", "-Os")).tables[1].rows
    assert [row.values["configurations"] for row in rows] == ["clang 15 -O1 -Os"]


def test_a_cure_has_its_price_and_options_that_cure_nothing_are_named_below() -> None:
    """What a compiler does not know was not tried, with its reason."""
    made = ("clang 15", "-O1")
    report = leak_report(
        "p",
        found("-O1"),
        (
            TriedCure(*made, "-fno-a", "a", "manual", (LEAK,), price="slower by 3 %"),
            TriedCure(*made, "-fno-b", "b", "manual", ()),
            TriedCure(*made, "-fno-c", "c", "manual", (), "unknown option"),
        ),
    )
    (row,) = report.tables[2].rows
    assert (row.values["option"], row.values["price"]) == ("-fno-a", "slower by 3 %")
    assert [one.text for one in report.below] == [
        "p: clang 15 -O1 with -fno-b: cures nothing",
        "p: clang 15 -O1 with -fno-c: not tried: unknown option",
    ]


def test_kinds_that_were_not_looked_for_are_named_where_nothing_else_leaks() -> None:
    """`clean` alone would say that operands of divisions were seen."""
    left = (("prefetch", "no rule"), ("floating point", "no rule"))
    rows = (
        ConfigurationLeaks("gcc 12", "-O1", "a", (), "", left_out=left),
        ConfigurationLeaks("gcc 12", "-O2", "b", (LEAK,), "", left_out=left),
        ConfigurationLeaks("gcc 12", "-O3", "c", (), ""),
    )
    report = leak_report("p", rows)
    assert [row.values for row in report.tables[0].rows] == [
        {
            "compiler": "gcc 12",
            "-O1": "clean, not to the end",
            "-O2": "1 place, not to the end",
            "-O3": "clean",
        }
    ]
    assert [one.text for one in report.below] == [
        "p: prefetch, floating point not looked for (gcc 12 -O1 -O2): no rule"
    ]
