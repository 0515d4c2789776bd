# SPDX-License-Identifier: MIT
"""From a package to an agent: what is kept, what is shared, and what is not trusted."""

import functools
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.campaign.ready import compile_agents
from assay.check.session import describe_stream as describe
from assay.compile import harness, parts
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.configure.compilers import first_configuration
from assay.errors import MachineError, PackageError
from assay.execute.agent import Agent
from assay.execute.jail import AGENT_LIMITS, COMPILE_LIMITS, Jail, JailMode, strongest_jail
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, BuildStage, Compiler, Package
from assay.package.estream import load_estream
from assay.targets.catalogue import native

WritePackage = Callable[..., Package]
MakeRecipe = Callable[..., Recipe]
Texts = tuple[str, str]


@pytest.fixture
def name_of() -> Iterator[Callable[[Build], str]]:
    """Give a function that launches a build's agent and asks for the cipher's name."""
    with staged_folder("assay-test-") as home:

        def ask(build: Build) -> str:
            assert build.agent is not None, build.reason
            program = home / build.agent.name
            program.write_bytes(build.agent.read_bytes())
            hand_over(program)
            pipe = ProcessPipe([str(program)], home, strongest_jail(), AGENT_LIMITS)
            with Agent(pipe) as agent:
                return describe(agent).name

        yield ask


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count which sources of the harness are compiled."""
    sources: list[str] = []
    original = harness._compile_one

    def count(command: list[str], source: str, to: Path) -> None:
        sources.append(source)
        original(command, source, to)

    monkeypatch.setattr(harness, "_compile_one", count)
    return sources


@pytest.fixture
def new_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Begin with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "assay"


def test_a_good_package_becomes_an_agent(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe,
    name_of: Callable[[Build], str],
) -> None:  # fmt: skip
    """Everything that a report needs is in the record, and the agent answers."""
    build = builder.build(recipe(write_package()))
    assert build.ok
    assert (build.stage, build.reason, build.jail) == (BuildStage.DONE, "", "bubblewrap")
    assert build.command.split()[1:4] == ["-c", "-Wall", "-pedantic"]
    assert "-DECRYPT_API=ecrypt-sync.h -DECRYPT_VARIANT=1" in build.command
    assert name_of(build) == "Toy"


def test_warnings_are_kept_and_fail_nothing(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts
) -> None:
    """What a compiler grumbles about is part of the record of a good build."""
    source = texts[1].replace("{ ctx->i", "{ int unused; ctx->i")
    build = builder.build(recipe(write_package(source=source)))
    assert build.ok
    assert "unused" in build.diagnostics


def test_identical_code_shares_an_agent(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe
) -> None:
    """Options that change nothing give one object code and one file."""
    package = write_package()
    first = builder.build(recipe(package, opt="-O2"))
    second = builder.build(recipe(package, opt="-O2 -fno-unroll-loops"))
    assert first.object_hash == second.object_hash
    assert first.agent == second.agent


def test_identical_code_under_other_headers_is_another_agent(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts,
    name_of: Callable[[Build], str],
) -> None:  # fmt: skip
    """Two packages with the same code and other names or sizes each describe themselves.

    A header has code of its own, which is compiled into the adapter, so it is another identity.
    """
    one = builder.build(recipe(write_package("one")))
    other_header = texts[0].replace('"Toy"', '"Other"')
    other = builder.build(recipe(write_package("other", header=other_header)))
    assert one.object_hash != other.object_hash
    assert (name_of(one), name_of(other)) == ("Toy", "Other")


def test_files_that_were_changed_after_loading_are_not_built(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe
) -> None:
    """Store and cache would know the new code by the hash of the old one."""
    package = write_package()
    wanted = recipe(package)
    source = package.root / "toy.c"
    source.write_text(source.read_text() + "\n")
    with pytest.raises(PackageError, match="was changed since"):
        builder.build(wanted)


def test_a_source_with_the_name_of_the_adapter_is_linked_as_the_packages_own(
    builder: Builder,
    write_package: WritePackage,
    recipe: MakeRecipe,
    texts: Texts,
    new_cache: Path,
) -> None:
    """Its object has the adapter's name for a while, and is not overwritten by it."""
    assert not new_cache.exists()
    makefile = "name = adapter\ntype = sync\nstd = -std=c99\n"
    package = write_package(files={"Makefile": makefile, "adapter.c": texts[1]})
    (package.root / "toy.c").unlink()
    package = load_estream(package.root, place=package.place)
    assert package.sources == ("adapter.c",)
    for _ in range(2):
        build = builder.build(recipe(package))
        assert build.ok, build.diagnostics


@pytest.mark.parametrize("names", [("a/x.c", "b/x.c"), ("x.c", "b/x.S")])
def test_sources_of_one_name_have_an_object_each(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, names: tuple[str, str],
) -> None:  # fmt: skip
    """In two folders, or with two suffixes: each defines what the cipher needs."""
    calls = "int one(void), two(void); int both(void) { return one() + two(); }\n"
    second = "int two(void) { return 2; }\n"
    assembly = '.globl two\ntwo: ret\n.section .note.GNU-stack,"",%progbits\n'
    files = {
        "Makefile": f"name = toy\ntype = sync\nsources = toy.c {' '.join(names)}\n",
        names[0]: "int one(void) { return 1; }\n" + calls,
        names[1]: assembly if names[1].endswith("S") else second,
    }
    package = write_package(files=files)
    assert package.sources == ("toy.c", *names)
    build = builder.build(recipe(package))
    assert build.ok, (build.reason, build.diagnostics)
    assert len(set(build.objects)) == len(package.sources)
    assert build.command.count("-o ") == len(package.sources)


def test_a_compilation_without_end_is_ended_and_told(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The limit by the clock is a reason of its own, not a compiler error."""
    short = replace(COMPILE_LIMITS, wall_seconds=1.0)
    monkeypatch.setattr("assay.compile.builder.COMPILE_LIMITS", short)
    rows = "".join(f"#define M{i + 1} M{i} M{i} M{i} M{i}\n" for i in range(16))
    source = texts[1] + "#define M0 +1\n" + rows + "int t = 0 M16;\n"
    build = builder.build(recipe(write_package(source=source)))
    assert build.stage is BuildStage.COMPILE
    assert build.reason == "compilation did not end within 1 seconds"
    assert "macros" in build.cure


def test_a_package_that_reads_itself_for_ever_is_a_failed_build(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe
) -> None:
    """Recursive inclusion ends with the compiler's own message, cut to a bound."""
    build = builder.build(recipe(write_package(source='#include "toy.c"\n')))
    assert not build.ok
    assert build.reason
    assert len(build.diagnostics) < 300_000


def test_the_jail_stands_in_the_record(
    tmp_path: Path, write_package: WritePackage, recipe: MakeRecipe
) -> None:
    """A build in the weaker jail says so."""
    weaker = Builder(tmp_path / "weaker", Jail(JailMode.LIMITS_ONLY))
    build = weaker.build(recipe(write_package()))
    assert build.ok
    assert build.jail == "limits only"


def test_a_strict_umask_does_not_matter(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, new_cache: Path
) -> None:
    """What root stages with umask 077 can still be read by whom it is staged for."""
    before = os.umask(0o077)
    try:
        build = builder.build(recipe(write_package()))
    finally:
        os.umask(before)
    assert build.ok, build.diagnostics
    assert new_cache.is_dir()


def test_tcc_takes_the_howtos_makefile(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe
) -> None:
    """The HOWTO's own third line is `std = -ansi`, which tcc does not know."""
    build = builder.build(recipe(write_package(std="-ansi"), "tcc"))
    assert build.ok, build.diagnostics
    assert "-ansi" not in build.command


def test_the_harness_is_compiled_once(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, new_cache: Path,
    compiled: list[str],
) -> None:  # fmt: skip
    """Cells of one compiler share it, whatever their options."""
    package = write_package()
    for opt in ("-O1", "-O2"):
        assert builder.build(recipe(package, opt=opt)).ok
    assert sorted(compiled) == sorted(parts.sources(native(), "stream"))
    assert not list(new_cache.glob("harness/tmp*"))


def test_workers_that_begin_together_compile_the_harness_once(
    compiler: Callable[[str], Compiler], new_cache: Path, compiled: list[str]
) -> None:
    """The others wait; nobody sees files come and go."""
    assert not new_cache.exists()
    gcc = compiler("gcc")
    with ThreadPoolExecutor(3) as pool:
        ask = functools.partial(harness.harness_objects, gcc, (), native(), "stream")
        asked = [pool.submit(ask) for _ in range(3)]
        results = [one.result() for one in asked]
    assert len(set(results)) == 1
    assert all(path.is_file() for path in results[0])
    assert sorted(compiled) == sorted(parts.sources(native(), "stream"))


@pytest.mark.usefixtures("new_cache")
def test_what_setup_compiles_is_what_the_first_figure_needs(compiled: list[str]) -> None:
    """All of it, so that a package of any kind waits for its own files alone."""
    first = first_configuration()
    if first is None:
        pytest.skip("no compiler of the shortlist")
    compile_agents()
    assert set(compiled) == {one for kind in parts.KINDS for one in parts.sources(native(), kind)}
    compiled.clear()
    configuration, compiler = first
    for kind in parts.KINDS:
        harness.harness_objects(compiler, tuple(configuration.arch.split()), native(), kind)
    assert not compiled


def test_kinds_of_agents_share_what_they_have_in_common(
    compiler: Callable[[str], Compiler], new_cache: Path, compiled: list[str]
) -> None:
    """Most of an agent is the same for all, and each file is compiled once."""
    gcc, kinds = compiler("gcc"), ("stream", "bare", "hash")
    objects = {kind: harness.harness_objects(gcc, (), native(), kind) for kind in kinds}
    assert {path.parent for each in objects.values() for path in each} <= {
        *new_cache.glob("harness/*")
    }
    wanted = {source for kind in kinds for source in parts.sources(native(), kind)}
    assert sorted(compiled) == sorted(wanted)


def test_an_object_that_is_missing_is_made_again(
    compiler: Callable[[str], Compiler], new_cache: Path, compiled: list[str]
) -> None:
    """It alone."""
    gcc = compiler("gcc")
    objects = harness.harness_objects(gcc, (), native(), "stream")
    assert objects[0].is_relative_to(new_cache)
    objects[3].unlink()
    compiled.clear()
    assert harness.harness_objects(gcc, (), native(), "stream") == objects
    assert objects[3].read_bytes()[:4] == b"\x7fELF"
    assert compiled == [parts.sources(native(), "stream")[3]]


def test_a_failure_halfway_leaves_only_whole_objects(
    compiler: Callable[[str], Compiler], new_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a compiler had begun to write is not taken for an object."""
    original = harness._compile_one
    made: list[str] = []

    def stop(command: list[str], source: str, to: Path) -> None:
        if len(made) == 3:
            to.write_bytes(b"cut")
            raise MachineError("the disk is full")
        made.append(to.name)
        original(command, source, to)

    gcc = compiler("gcc")
    with monkeypatch.context() as patch:
        patch.setattr(harness, "_compile_one", stop)
        with pytest.raises(MachineError):
            harness.harness_objects(gcc, (), native(), "stream")
    (folder,) = (path for path in (new_cache / "harness").iterdir() if path.name != ".lock")
    assert sorted(path.name for path in folder.iterdir()) == sorted(made)
    assert all(path.is_file() for path in harness.harness_objects(gcc, (), native(), "stream"))


def test_a_cut_agent_is_never_left_behind(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """When the disk fills up while an agent is kept, no file by its name is there."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    wanted = recipe(write_package())
    builder.build(recipe(write_package(), opt="-O1"))  # fills the caches
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space"):
            builder.build(wanted)
    first = {path.suffix for path in (tmp_path / "agents").iterdir()}
    assert len(list((tmp_path / "agents").iterdir())) == len(first) == 2, "an agent, its object"


def test_a_compiler_that_cannot_compile_the_harness_is_told(
    compiler: Callable[[str], Compiler], new_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message has the compiler's own words and the cure."""
    assert not new_cache.exists()
    monkeypatch.setattr(parts, "OPTIONS", ("-std=gnu11", "-DCHAR_BIT=", "-include", "nothing.h"))
    with pytest.raises(MachineError, match=r"gcc cannot compile the harness \(agent/agent.c\)"):
        harness.harness_objects(compiler("gcc"), (), native(), "stream")


@pytest.mark.parametrize("arch", ["-m32", "-m64"])
def test_options_of_the_abi_reach_the_harness(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, arch: str,
    name_of: Callable[[Build], str],
) -> None:  # fmt: skip
    """A 32-bit package is linked with a 32-bit harness."""
    build = builder.build(recipe(write_package(), arch=f"{arch} -mtune=generic"))
    if "stubs-32" in build.diagnostics + build.reason or "libc6-dev-i386" in build.cure:
        pytest.skip("no 32-bit libraries")
    assert build.ok, build.reason
    assert build.agent is not None
    assert build.agent.read_bytes()[4] == {"-m32": 1, "-m64": 2}[arch]
    assert name_of(build) == "Toy"
    assert parts.abi_options((arch, "-mtune=generic")) == (arch,)
