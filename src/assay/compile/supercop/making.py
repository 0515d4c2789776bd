# SPDX-License-Identifier: MIT
"""What the builds of a package and of its subroutines have in common: words, lines, tools, names.

The object of a subroutine is made once, and kept in the user's cache.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from assay.compile.files import failed, is_regular, key_of, place
from assay.compile.harness import harness_hash
from assay.compile.libraries import Libraries, libraries_for, staged
from assay.compile.recipe import Recipe
from assay.compile.supercop.asking import asking_lines, opened_headers
from assay.compile.supercop.layout import (
    defines_for,
    include_options,
    lay_out,
    options_below,
    seeing_shared,
)
from assay.compile.supercop.lines import (
    COMBINED,
    RAW,
    called_lines,
    compile_lines,
    compile_words,
    hide_line,
    linker,
    object_names,
    rename_line,
    script,
    symbol,
    tool,
)
from assay.compile.supercop.names import abi_of, details_of, namespace, old_symbols
from assay.compile.supercop.subroutines import Subroutine, plan
from assay.compile.visible import place_instruments
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder
from assay.model import Build, Package
from assay.model.operations import OPERATIONS


class Making:
    """Compiles packages of the SUPERCOP API as a recipe says, in a jail."""

    def __init__(self, recipe: Recipe, jail: Jail) -> None:
        """Make objects for the configuration, compiler and target of `recipe`."""
        self.recipe, self.jail = recipe, seeing_shared(jail)
        self.abi = abi_of(recipe.configuration, recipe.target)
        self.found: dict[str, Libraries] = {}

    def subroutine(
        self, one: Subroutine, tree: Path, refused: frozenset[str] = frozenset()
    ) -> Path | Ended:
        """Return a subroutine's object, or how compiling it ended.

        What it uses itself is what all of the build use: chosen in `tree`, `refused` left out.
        """
        own = namespace(one.package, one.league)
        words = self.words(one.package, own)
        further = plan(one.package, self.abi, refused, tree).subroutines
        libraries = self.libraries(one.package)
        headers = " ".join(map(str, libraries.include))  # of the tree; named after what is in them
        name = self.named_after(one.package, " ".join(words), headers, *texts_of(further))
        kept = cache_folder() / "subroutines" / f"{name}.o"
        if kept.is_file():
            return kept
        kept.parent.mkdir(parents=True, exist_ok=True)
        with staged_folder("assay-build-") as home:
            lay_out(home, one.package, one.league, further)
            place_instruments(home, self.recipe)
            hand_over(home)
            folders = staged(libraries, home).include
            line = [*words, *include_options(one.package), *(f"-I{p}" for p in folders)]
            asking = asking_lines(self.recipe, one.package, line, {})
            lines = [
                *compile_lines(line, one.package.sources, asking=asking),
                *self.called(one.package, own, "all.o"),
                self.hide_line(f"{own}*"),
            ]
            ended = self.run(lines, home)
            if not ended.ok or not is_regular(home / COMBINED):
                return ended
            place(home / COMBINED, kept, mode=0o644)
        return kept

    def named_after(self, package: Package, *more: str) -> str:
        """Name what is made of a package here, by this compiler and in this jail."""
        compiler = self.recipe.compiler.identity
        jail = self.jail.mode.value
        return key_of(package.code_identity, compiler, harness_hash(), jail, *more)

    def called(self, package: Package, own: str, to: str) -> Iterator[str]:
        """Yield the lines that combine what a package's functions need of its objects."""
        tools = self.linker(last=to != RAW), self.tool("ar")
        functions = OPERATIONS[details_of(package).operation].functions
        names = (self.symbol(f"{own}{one.suffix}") for one in functions)
        for source, renamed in old_symbols(package, own).items():
            name = dict(zip(package.sources, object_names(package.sources), strict=True))[source]
            yield rename_line(self.tool("objcopy"), renamed, name)
        yield from called_lines(tools, names, package.sources, to)

    def words(self, package: Package, own: str) -> list[str]:
        """Return the line that compiles a source of a package, less includes and the source."""
        return self.words_in(details_of(package).language, own)

    def words_in(self, language: str, own: str) -> list[str]:
        """Return the line that compiles a source in a language, less includes and the source."""
        words = compile_words(self.recipe.compiler, self.recipe.configuration, language, own)
        return [*words, *options_below(self.recipe.target)]

    def libraries(self, package: Package) -> Libraries:
        """Return the libraries that a package needs."""
        recipe, target = self.recipe, self.recipe.target
        machine = "" if target.is_native else target.architecture
        found = self.found.get(package.selector)
        if found is None:
            opened = partial(self._opened, package)
            found = libraries_for(
                package, recipe.compiler, self.jail, recipe.arch, machine, opened
            )
            self.found[package.selector] = found
        return found

    def _opened(self, package: Package, headers: frozenset[str]) -> frozenset[str]:
        """Return which headers the compiler opens for a package's sources."""
        if details_of(package).language == "rust":
            return headers
        chosen = plan(package, self.abi)
        words = self.words(package, namespace(package, chosen.league))
        with staged_folder("assay-build-") as home:
            lay_out(home, package, chosen.league, chosen.subroutines)
            place_instruments(home, self.recipe)
            line = [*words, *include_options(package)]
            return opened_headers(package, headers, line, defines_for(package), home, self.jail)

    def hide_line(self, keep: str) -> str:
        """Return the line that hides all names but those that match `keep`."""
        objcopy, shown = self.tool("objcopy"), self.symbol(keep)
        configuration, target = self.recipe.configuration, self.recipe.target
        return hide_line(objcopy, shown, "all.o", COMBINED, configuration, target)

    def symbol(self, name: str) -> str:
        """Return the name that an object file has for a name of C."""
        return symbol(self.recipe.target, name)

    def linker(self, *, last: bool = True) -> str:
        """Return how a line begins that combines objects, as the last such line or not."""
        return linker(self.recipe.configuration, self.recipe.target, last=last)

    def tool(self, name: str) -> str:
        """Name a binary tool for what the configuration compiles for."""
        return tool(self.recipe.configuration, self.recipe.target, name)

    def run(self, lines: Iterable[str], home: Path) -> Ended:
        """Run lines in the jail until one fails."""
        return run_jailed(script(lines), home, self.jail, LONG_COMPILE_LIMITS)


def texts_of(subroutines: Iterable[Subroutine]) -> Iterator[str]:
    """Yield what tells subroutines apart, whose headers those see that call them."""
    for one in subroutines:
        yield from (one.package.selector, one.league, one.package.code_identity)


def failed_subroutine(build: Build, ended: Ended, one: Subroutine) -> Build:
    """Explain why a subroutine does not compile."""
    what = f"compilation of the subroutine {one.package.selector}"
    said = replace(build, diagnostics=ended.output)
    return failed(said, ended, what, LONG_COMPILE_LIMITS)
