# SPDX-License-Identifier: MIT
"""The table of APIs says what the headers say that packages include."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.model import PackageKind
from assay.model.api import Api, Role, Way
from assay.model.apis import APIS, PACKAGED, SYNC_AE, all_listed
from assay.model.operation import SCORE
from assay.model.operations import OPERATIONS
from assay.model.timed import TableCall, Timed, evaluate, timed

HARNESS = Path(__file__).parents[3] / "src" / "assay" / "harness"
STRICT = ("-std=gnu11", "-fsyntax-only", "-Wall", "-Werror", f"-I{HARNESS / 'api'}")


def named(api: Api) -> list[str]:
    """Name the functions that an API has, with its prefix."""
    return [api.prefix + one.suffix for one in (*api.functions, *api.optional)]


HEADED = [name for name, one in PACKAGED.items() if one.marks.headers]


@pytest.mark.parametrize("name", HEADED)
def test_prototypes_of_the_table_are_those_of_the_header(name: str) -> None:
    """A compiler accepts each as another declaration of the same function."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    api = PACKAGED[name]
    lines = [
        f'#include "{api.marks.headers[0]}"',
        *(f"{api.prototype(one)};" for one in api.functions),
    ]
    done = subprocess.run(
        ["gcc", *STRICT, "-xc", "-"], input="\n".join(lines), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", HEADED)
def test_functions_of_the_table_are_declared_in_the_header(name: str) -> None:
    """Under their names, once at least: a compiler takes what is declared nowhere, too."""
    api = PACKAGED[name]
    text = (HARNESS / "api" / api.marks.headers[0]).read_text()
    family = text + (HARNESS / "api" / "ecrypt-sync.h").read_text()
    for function in named(api):
        assert re.search(rf"(?:void|HashReturn) {function}\(", family), function


def test_ways_follow_from_types_and_roles() -> None:
    """The state is read and written, const is read, other pointers are written."""
    keysetup = SYNC_AE.functions[1]
    assert [(one.way, one.role, one.name) for one in keysetup.parameters] == [
        (Way.BOTH, Role.STATE, "ctx"),
        (Way.IN, Role.KEY, "key"),
        (Way.LENGTH, Role.SIZE, "keysize"),
        (Way.LENGTH, Role.SIZE, "ivsize"),
        (Way.LENGTH, Role.SIZE, "macsize"),
    ]
    (_, mac) = SYNC_AE.functions[-1].parameters
    assert (mac.way, mac.role, mac.size) == (Way.OUT, Role.MAC, "macsize/8")


@pytest.mark.parametrize("name", PACKAGED)
def test_phases_name_functions_of_the_api(name: str) -> None:
    """Nothing else is in them, and every function that must exist has a place."""
    api = PACKAGED[name]
    words = set(re.findall(r"\w+", api.phases))
    assert {one.replace("blocks", "bytes").replace("packet", "bytes") for one in words} <= set(
        named(api)
    )
    assert {api.prefix + one.suffix for one in api.functions} <= words


@pytest.mark.parametrize("name", APIS)
def test_every_parameter_has_a_name_of_its_own(name: str) -> None:
    """Prototypes, skeletons and checks use it."""
    for function in APIS[name].functions:
        names = [one.name for one in function.parameters]
        assert all(names)
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", PACKAGED)
def test_every_api_has_what_its_packages_are_compiled_with(name: str) -> None:
    """The sources that the table promises are in the harness."""
    api = PACKAGED[name]
    assert api.parts
    assert all((HARNESS / part / f"{name}.c").is_file() for part in api.parts)
    assert set(api.parts) <= set(api.sees)
    assert api.answers


def test_messages_name_the_headers_of_all_apis() -> None:
    """As a list in a sentence."""
    said = all_listed()
    assert all((one.marks.called or one.marks.headers[0]) in said for one in PACKAGED.values())
    assert said.endswith(" or api.h")
    assert len(OPERATIONS) == 21


@pytest.mark.parametrize("api", APIS.values(), ids=APIS)
def test_timed_calls_are_functions_with_variables_of_the_table(api: Api) -> None:
    """Every API has rows; they name its functions, and no variable without a size."""
    assert api.timing.measures
    for row in api.timing.measures:
        for call in row.calls:
            assert api.has(call.suffix)
            names = {one.lstrip("#@") for one in call.arguments} - {"", "&"}
            assert names <= set(api.timing.variables)


@pytest.mark.parametrize("api", APIS.values(), ids=APIS)
def test_the_measure_that_decides_is_timed(api: Api) -> None:
    """Of an operation it is a sum of them."""
    names = {row.name for row in api.timing.measures}
    assert api.timing.decides in names | {SCORE}
    assert (api.timing.decides == SCORE) == (api.kind is PackageKind.OPERATION)


def test_a_row_is_read_as_its_description_says() -> None:
    """The example of the module's own text."""
    row = timed("open_cycles: _open(t c~ #c n k) = -1", 59)
    assert row == Timed(
        "open_cycles", (TableCall("_open", ("t", "c", "#c", "n", "k"), "c"),), "-1", (59,)
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("#+ABYTES", 116),
        ("ITEMS*ABYTES+2", 50),
        ("#%ITEMS", 1),
        ("##", 7),
        ("-1", -1),
        ("#%NONE", 0),
    ],
)
def test_sizes_are_sums_of_products_and_remainders(text: str, value: int) -> None:
    """For a message of 100 bytes with 7 of data; the remainder by nothing is 0."""
    constants = {"ABYTES": 16, "ITEMS": 3, "NONE": 0}
    assert value == evaluate(text, constants.__getitem__, 100, 7)
