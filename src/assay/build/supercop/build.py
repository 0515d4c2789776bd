# SPDX-License-Identifier: MIT
"""Builds the agent of a package of the SUPERCOP API: one object, with its names hidden.

The package's sources, its adapter and its subroutines are combined into one object of
which only the adapter's table can be seen from outside. So nothing that a package
defines takes the place of a symbol of the harness or of the C library.
"""

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assay.build.files import copied, failed, is_regular, place
from assay.build.harness import harness_hash, harness_objects
from assay.build.libraries import Libraries, joined, libraries_for, staged
from assay.build.parts import HARNESS, link_command
from assay.build.recipe import Recipe
from assay.build.supercop.adapter import TABLE, adapter
from assay.build.supercop.headers import own_headers, shared_headers
from assay.build.supercop.lines import (
    COMBINED,
    RAW,
    combine_line,
    compile_lines,
    compile_words,
    compiler_path,
    hide_line,
    script,
    tool,
)
from assay.build.supercop.names import abi_of, details_of, fits_abi, namespace
from assay.build.supercop.subroutines import Plan, Subroutine, plan
from assay.errors import MachineError
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder
from assay.model import Build, BuildStage, Package

INCLUDED = ("-I.", "-I../include", "-I../provided")
PROVIDED = "supercop/include"
NO_TREE = "Give the tree that has it with --tree, or add the primitive to this one."


def build_operation(recipe: Recipe, folder: Path, jail: Jail) -> Build:
    """Build the agent of a cell into `folder`; a failure is a Build with a reason."""
    return _OneBuild(recipe, folder, jail).run()


class _OneBuild:
    def __init__(self, recipe: Recipe, folder: Path, jail: Jail) -> None:
        self.recipe, self.folder, self.jail = recipe, folder, jail
        self.package = recipe.package
        self.details = details_of(recipe.package)
        self.plan: Plan = plan(recipe.package, abi_of(recipe.configuration, recipe.target))
        self.own = namespace(recipe.package, self.plan.league)
        words = self._words(recipe.package, self.own)
        self.build = Build(
            recipe.cell, BuildStage.COMPILE, None, None, "", " ".join(words), jail.mode.value, 0.0,
            notes=_notes(self.plan),
        )  # fmt: skip

    def run(self) -> Build:
        skipped = self._unfit()
        if skipped:
            return replace(self.build, stage=BuildStage.SKIPPED, reason=skipped)
        if self.plan.missing:
            wanted = " and ".join(f"{name}.h" for name in self.plan.missing)
            return replace(self.build, reason=f"it includes {wanted}, unknown here", cure=NO_TREE)
        users = (self.package, *(one.package for one in self.plan.subroutines))
        libraries = joined(self._libraries(one) for one in users)
        if libraries.missing:
            return replace(self.build, stage=BuildStage.SKIPPED, reason=libraries.missing)
        parts: list[Path] = []
        for one in self.plan.subroutines:
            made = self._subroutine(one)
            if isinstance(made, Build):
                return made
            parts.append(made)
        with staged_folder("assay-build-") as home:
            return self._compile(home, parts, libraries)

    def _unfit(self) -> str:
        """Say why the package is not for this ABI or cannot be built here; empty if it can."""
        abi = abi_of(self.recipe.configuration, self.recipe.target)
        if not fits_abi(self.package, abi):
            return f"it is for {', '.join(self.details.architectures)}, and this is {abi}"
        return ""

    # ------------------------------------------------------------ the package

    def _compile(self, home: Path, parts: list[Path], libraries: Libraries) -> Build:
        self._stage(home, self.package, self.plan.league, adapter(self.package, self.plan.league))
        copies = " ".join(str(path.relative_to(home)) for path in copied(tuple(parts), home))
        ld, objcopy = self._tool("ld"), self._tool("objcopy")
        libraries = staged(libraries, home)
        words = [*self._words(self.package, self.own), *(f"-I{p}" for p in libraries.include)]
        c_words = compile_words(self.recipe.compiler, self.recipe.configuration, "c", self.own)
        lines = [
            *compile_lines([*words, *INCLUDED], self.package.sources),
            combine_line(ld, "objects/*.o", RAW),
            *compile_lines([*c_words, "-w", *INCLUDED], ["../adapter/adapter.c"]),
            combine_line(ld, f"{RAW} objects/*-adapter.c.o {copies}", "all.o"),
            hide_line(objcopy, TABLE, "all.o", COMBINED),
        ]
        ended = self._run(lines, home)
        build = replace(self.build, diagnostics=ended.output, compile_seconds=ended.seconds)
        if not ended.ok or not is_regular(home / COMBINED) or not is_regular(home / RAW):
            return failed(build, ended, "compilation", LONG_COMPILE_LIMITS)
        code = hashlib.sha256((home / COMBINED).read_bytes()).hexdigest()[:24]
        raw = self.folder / f"{code}-0.o"
        place(home / RAW, raw, mode=0o644)
        build = replace(build, object_hash=code, objects=(raw,), stage=BuildStage.LINK)
        return self._link(home, build, libraries)

    def _link(self, home: Path, build: Build, libraries: Libraries) -> Build:
        agent = self.folder / f"{build.object_hash}-{self._harness_name}"
        if agent.is_file():
            return replace(build, stage=BuildStage.DONE, agent=agent)
        recipe = self.recipe
        options = tuple(recipe.configuration.arch.split())
        try:
            harness = harness_objects(recipe.compiler, options, recipe.target, "operation")
        except MachineError as error:
            return replace(build, reason=str(error), cure=error.cure)
        command = link_command(recipe.compiler, options, recipe.target)
        if recipe.target.is_native:
            command[0] = compiler_path(recipe.compiler, self.details.language)
        command += ["-o", "agent", COMBINED, *map(str, copied(harness, home))]
        command += ["-Wl,--as-needed", *libraries.link, "-lm", *recipe.target.link]
        ended = run_jailed(command, home, self.jail, LONG_COMPILE_LIMITS)
        build = replace(build, diagnostics=build.diagnostics + ended.output)
        if not ended.ok or not is_regular(home / "agent"):
            return failed(replace(build, diagnostics=ended.output), ended, "linking",
                          LONG_COMPILE_LIMITS)  # fmt: skip
        place(home / "agent", agent, mode=0o755)
        return replace(build, stage=BuildStage.DONE, agent=agent)

    # ------------------------------------------------------------ subroutines

    def _subroutine(self, one: Subroutine) -> Path | Build:
        """Give a subroutine's object from the cache, or compile it into it."""
        own = namespace(one.package, one.league)
        words = self._words(one.package, own)
        key = (one.package.content_hash, self.recipe.compiler.identity, harness_hash(), *words)
        name = hashlib.sha256("\0".join(key).encode()).hexdigest()[:24]
        kept = cache_folder() / "subroutines" / f"{name}.o"
        if kept.is_file():
            return kept
        kept.parent.mkdir(parents=True, exist_ok=True)
        with staged_folder("assay-build-") as home:
            self._stage(home, one.package, one.league, None)
            folders = staged(self._libraries(one.package), home).include
            lines = [
                *compile_lines(
                    [*words, *INCLUDED, *(f"-I{p}" for p in folders)], one.package.sources
                ),
                combine_line(self._tool("ld"), "objects/*.o", "all.o"),
                hide_line(self._tool("objcopy"), f"{own}*", "all.o", COMBINED),
            ]
            ended = self._run(lines, home)
            if not ended.ok or not is_regular(home / COMBINED):
                what = f"compilation of the subroutine {one.package.selector}"
                return failed(replace(self.build, diagnostics=ended.output), ended, what,
                              LONG_COMPILE_LIMITS)  # fmt: skip
            place(home / COMBINED, kept, mode=0o644)
        return kept

    # ------------------------------------------------------------ what both need

    def _stage(self, home: Path, package: Package, league: str, table: str | None) -> None:
        """Lay out what the compiler may see."""
        for name in package.files:
            to = home / "package" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(package.root / name, to)
        _write(home / "package", own_headers(package, league))
        (home / "include").mkdir()
        abi = abi_of(self.recipe.configuration, self.recipe.target)
        for one in plan(package, abi).subroutines:
            _write(home / "include", shared_headers(one.package, one.league))
        shutil.copytree(HARNESS / PROVIDED, home / "provided")
        if table is not None:
            _write(home / "adapter", {"adapter.c": table})
            shutil.copytree(HARNESS / "subject", home / "subject")
        hand_over(home)

    def _words(self, package: Package, own: str) -> list[str]:
        language = details_of(package).language
        return compile_words(self.recipe.compiler, self.recipe.configuration, language, own)

    def _libraries(self, package: Package) -> Libraries:
        options = tuple(self.recipe.configuration.arch.split())
        return libraries_for(package, self.recipe.compiler, self.jail, options)

    def _tool(self, name: str) -> str:
        return tool(self.recipe.configuration, self.recipe.target, name)

    def _run(self, lines: Iterable[str], home: Path) -> Ended:
        return run_jailed(script(lines), home, self.jail, LONG_COMPILE_LIMITS)

    @property
    def _harness_name(self) -> str:
        recipe = self.recipe
        options = " ".join(recipe.configuration.arch.split())
        parts = (harness_hash(), recipe.compiler.identity, options, repr(recipe.target))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)


def _notes(chosen: Plan) -> tuple[str, ...]:
    """State the league, and which subroutines were linked."""
    subroutines = (
        f"subroutine {one.package.selector} ({one.league})" for one in chosen.subroutines
    )
    return (f"league {chosen.league}", *subroutines)
