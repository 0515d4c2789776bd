# SPDX-License-Identifier: MIT
"""Sources that the packages of a tree share are compiled once, and alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.compile.supercop.conftest import API, OUTPUT, Hashed, Loaded, Write

from assay.check.engine.instruments import starvable
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.recipe import Recipe
from assay.compile.supercop.common import common_sources
from assay.execute.jail import strongest_jail
from assay.model import Build, BuildStage

MIX_HEADER = "void mix(unsigned char *out);\n"
MIX = """\
#include "mix.h"
#include "size.h"
void mix(unsigned char *out) { for (int i = 0; i < SIZE; i++) out[i] = (unsigned char)(i + 1); }
"""
HASH = f"""\
#include "mix.h"
{OUTPUT}
{{
    (void)in, (void)inlen, out[0] = out[1] = out[2] = out[3] = 0;
    mix(out);
    return 0;
}}
"""
ONE, TWO = "crypto_hash/one/ref", "crypto_hash/two/ref"
Make = Callable[..., Build]


@pytest.fixture
def objects(tmp_path: Path) -> Kept:
    """Give an empty cache."""
    return Kept(tmp_path / "objects", "jail")


@pytest.fixture
def make(tmp_path: Path, objects: Kept, loaded: Loaded, recipe: Callable[..., Recipe]) -> Make:
    """Give the function that builds a package with this cache."""
    builder = Builder(tmp_path / "agents", strongest_jail(), objects)

    def build(place: str, command: str = "gcc", opt: str = "-O1") -> Build:
        return builder.build(recipe(loaded(place), command, opt))

    return build


@pytest.fixture
def shared(write: Write) -> Write:
    """Give the function that writes packages which take a source from `common/`."""
    write("common", {"mix.h": MIX_HEADER, "mix.c": MIX, "size.h": "#define SIZE 2\n"})

    def written(place: str, **more: str) -> Path:
        return write(place, {"api.h": API, "hash.c": HASH, **more})

    return written


def entries(objects: Kept) -> int:
    """Count what is in a cache."""
    assert objects.folder is not None
    return sum(not one.name.startswith(".") for one in objects.folder.iterdir())


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_a_source_in_common_is_compiled_once_for_two_packages(
    shared: Write, make: Make, objects: Kept, hashed: Hashed, command: str
) -> None:
    """The second package adds its own entry, and none for the source."""
    shared(ONE)
    shared(TWO)
    assert make(ONE, command).stage is BuildStage.DONE
    assert entries(objects) == 2
    assert hashed(make(TWO, command)) == bytes([1, 2, 0, 0])
    assert entries(objects) == 3


def test_a_package_whose_header_changes_the_text_gets_an_object_of_its_own(
    shared: Write, make: Make, objects: Kept, hashed: Hashed
) -> None:
    """What is the same is the text after preprocessing, not the file."""
    shared(ONE)
    shared(TWO, **{"size.h": "#define SIZE 3\n"})
    assert hashed(make(ONE)) == bytes([1, 2, 0, 0])
    assert hashed(make(TWO)) == bytes([1, 2, 3, 0])
    assert entries(objects) == 4


def test_other_options_are_other_objects(shared: Write, make: Make, objects: Kept) -> None:
    """Two configurations of one package share nothing."""
    shared(ONE)
    make(ONE, opt="-O1")
    make(ONE, opt="-O2")
    assert entries(objects) == 4


def test_an_agent_whose_allocations_can_fail_is_linked_from_the_same_objects(
    shared: Write, make: Make, objects: Kept, loaded: Loaded, recipe: Callable[..., Recipe],
    tmp_path: Path,
) -> None:  # fmt: skip
    """Compiling it again would take as long as the package does."""
    shared(ONE)
    plain = make(ONE)
    before = entries(objects), objects.written
    other = Builder(tmp_path / "others", strongest_jail(), objects)
    starved = other.build(starvable(recipe(loaded(ONE), opt="-O1")))
    assert (entries(objects), objects.written) == before
    assert starved.object_hash == plain.object_hash
    assert starved.agent is not None
    assert b"__wrap_malloc" in starved.agent.read_bytes()


def test_an_object_is_the_same_as_if_the_package_had_compiled_it(
    shared: Write, make: Make, tmp_path: Path, loaded: Loaded, recipe: Callable[..., Recipe],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Otherwise verdicts would belong to other code, depending on a cache."""
    shared(ONE)
    apart = make(ONE)
    monkeypatch.setattr("assay.compile.supercop.common.common_sources", lambda _: ())
    inside = Builder(tmp_path / "others", strongest_jail()).build(recipe(loaded(ONE), opt="-O1"))
    assert apart.object_hash == inside.object_hash


def test_a_source_that_needs_other_files_while_it_is_assembled_is_left_to_its_package(
    shared: Write, write: Write, make: Make, objects: Kept, hashed: Hashed
) -> None:
    """The text does not say what is in them, so two packages must not share the object."""
    bytes_of_package = (
        '__asm__(".data\\ntaken: .incbin \\"own.bin\\"\\n.text");\n'
        'extern unsigned char taken[4] __attribute__((visibility("hidden")));\n'
        '#include "mix.h"\n'
        "void mix(unsigned char *out) { for (int i = 0; i < 4; i++) out[i] = taken[i]; }\n"
    )
    write("common", {"mix.c": bytes_of_package})
    shared(ONE, **{"own.bin": "abcd", "own.h": '/* "own.bin" */'})
    shared(TWO, **{"own.bin": "efgh", "own.h": '/* "own.bin" */'})
    assert hashed(make(ONE)) == b"abcd"
    assert hashed(make(TWO)) == b"efgh"
    assert entries(objects) == 2


def test_a_source_that_does_not_compile_is_reported_as_ever(shared: Write, write: Write,
                                                            make: Make) -> None:  # fmt: skip
    """The message names the file."""
    write("common", {"mix.c": '#include "mix.h"\nvoid mix(unsigned char *out) { nonsense; }\n'})
    shared(ONE)
    build = make(ONE)
    assert build.stage is BuildStage.COMPILE
    assert "common/mix.c" in build.diagnostics


@pytest.mark.parametrize(
    "opt", ["-O1 -g", "-O1 -ggdb", "-O1 -fsanitize=address", "-O1 --coverage"]
)
def test_objects_that_depend_on_more_than_the_text_are_not_shared(
    shared: Write, loaded: Loaded, recipe: Callable[..., Recipe], opt: str
) -> None:
    """Debugging data and sanitizers name the folder or the place of the source."""
    shared(ONE)
    assert common_sources(recipe(loaded(ONE), opt="-O1")) == ("common/mix.c",)
    assert common_sources(recipe(loaded(ONE), opt=opt)) == ()
