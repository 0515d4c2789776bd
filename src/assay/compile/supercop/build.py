# SPDX-License-Identifier: MIT
"""Builds the agent of a package of the SUPERCOP API: one object, with its names hidden.

The package's sources, its adapter and its subroutines are combined into one object of
which only the adapter's table can be seen from outside. So nothing that a package
defines takes the place of a symbol of the harness or of the C library.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from assay.compile.cargo import rust_archive, rust_reason, rust_symbols
from assay.compile.files import content_of, copied, failed, is_regular, key_of, place
from assay.compile.kept import Kept
from assay.compile.libraries import (
    Libraries,
    contents_of,
    files_of,
    joined,
    staged,
)
from assay.compile.linking import link_operation
from assay.compile.recipe import Recipe
from assay.compile.sizes import stacks_of
from assay.compile.supercop.adapter import TABLE, adapter
from assay.compile.supercop.asking import SERVICE, asking_lines, is_narrow
from assay.compile.supercop.common import compile_common
from assay.compile.supercop.layout import (
    ADAPTER,
    defines_for,
    defines_for_adapter,
    include_options,
    lay_out,
    lay_out_adapter,
    services,
)
from assay.compile.supercop.lines import (
    COMBINED,
    RAW,
    WHOLE,
    archive_line,
    combine_line,
    compile_lines,
    object_names,
)
from assay.compile.supercop.making import Making, failed_subroutine, texts_of
from assay.compile.supercop.names import details_of, fits_abi, names_abi, namespace
from assay.compile.supercop.subroutines import Subroutine, Subroutines, linked, plan
from assay.compile.visible import place_instruments
from assay.elf.reading import ObjectError, require_limits
from assay.errors import MachineError
from assay.execute.command import Ended
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, BuildStage

# What gcc and clang say of intrinsics that the options, so this processor, do not allow.
_LACKING = re.compile(
    r"call to 'always_inline' '(\w+)[^\n]*target specific option mismatch"
    r"|always_inline function '(\w+)' requires target feature"
)
NO_TREE = "Give the tree that has it with --tree, or add the primitive to this one."


def build_operation(recipe: Recipe, folder: Path, jail: Jail, objects: Kept) -> Build:
    """Build the agent of a cell into `folder`; a failure is a Build with a reason.

    What is among the kept `objects` is not compiled again.
    """
    return _OneBuild(recipe, folder, jail, objects).build_all()


class _OneBuild(Making):
    def __init__(self, recipe: Recipe, folder: Path, jail: Jail, objects: Kept) -> None:
        super().__init__(recipe, jail)
        self.folder, self.objects = folder, objects
        self.package = recipe.package
        self.details = details_of(recipe.package)
        self.refused: frozenset[str] = frozenset()
        self._choose()

    def _choose(self) -> None:
        """Choose league and subroutines, and begin the record of the build with them."""
        self.plan: Subroutines = plan(self.package, self.abi, self.refused)
        self.own = namespace(self.package, self.plan.league)
        words = " ".join(self.words(self.package, self.own))
        jail = self.jail.mode.value
        self.build = Build(
            self.recipe.cell, BuildStage.COMPILE, None, None, "", words, jail, 0.0,
            league=self.plan.league, subroutines=linked(self.plan.subroutines),
            passed_over=tuple(sorted(self.refused)),
        )  # fmt: skip

    def build_all(self) -> Build:
        skipped = self._unfit()
        if skipped:
            return replace(self.build, stage=BuildStage.SKIPPED, reason=skipped)
        if self.plan.missing:
            wanted = " and ".join(f"{name}.h" for name in self.plan.missing)
            return replace(self.build, reason=f"it includes {wanted}, unknown here", cure=NO_TREE)
        parts = self._subroutines()
        if isinstance(parts, Build):
            return parts
        with staged_folder("assay-build-") as home:
            return self._compile(home, parts, self._all_libraries())

    def _unfit(self) -> str:
        """Explain why the package is not for this ABI or cannot be built here; empty if it can."""
        if not fits_abi(self.package, self.abi):
            return f"{self._named()} {self.abi}"
        return rust_reason(self.package, self.jail)

    def _unless_beside(self, build: Build) -> Build:
        """Return a failed build; one for other processors with the same registers is skipped."""
        if names_abi(self.package, self.abi):
            return build
        reason = f"{self._named()} {self.abi}, for which it does not compile: {build.reason}"
        return replace(build, stage=BuildStage.SKIPPED, reason=reason)

    def _named(self) -> str:
        return f"it is for {', '.join(self.details.architectures)}, and this is"

    # ------------------------------------------------------------ the package

    def _compile(self, home: Path, parts: list[Path], libraries: Libraries) -> Build:
        key = self._key(parts, libraries)
        lay_out(home, self.package, self.plan.league, self.plan.subroutines)
        lay_out_adapter(home, adapter(self.package, self.plan.league), self.details.entry)
        place_instruments(home, self.recipe)
        hand_over(home)
        copies = " ".join(str(path.relative_to(home)) for path in copied(tuple(parts), home))
        files = files_of(libraries, self.package, self.recipe.compiler, self.recipe.arch)
        libraries = staged(libraries, home)
        known = self.objects.find(key, home)
        try:
            ended = known or self._made(home, copies, libraries)
        except MachineError as error:
            return replace(self.build, reason=str(error), cure=error.cure)
        told, seconds = ended.output, ended.seconds
        build = replace(self.build, diagnostics=told, compile_seconds=seconds, libraries=files)
        lacking = _LACKING.search(ended.output)
        if not ended.ok and lacking:
            reason = f"this processor does not have what {lacking[1] or lacking[2]} needs"
            return replace(build, stage=BuildStage.SKIPPED, reason=reason)
        if not ended.ok or not is_regular(home / COMBINED) or not is_regular(home / RAW):
            return self._unless_beside(failed(build, ended, "compilation", LONG_COMPILE_LIMITS))
        sources = self.package.sources
        named = tuple(zip(sources, (home / name for name in object_names(sources)), strict=True))
        if known is None:
            made = (name for name in object_names(sources) if is_regular(home / name))
            whole = (WHOLE,) if self.recipe.target.counts else ()
            self.objects.keep(key, home, (COMBINED, RAW, *whole, *made), ended)
        try:
            require_limits(path for _, path in named if is_regular(path))
            require_limits([home / RAW])
            build = replace(build, stacks=stacks_of(named))
        except ObjectError as error:
            return replace(build, reason=str(error), cure=error.cure)
        versions = (one.version for one in files)  # another version is another code
        code = key_of(content_of(home / COMBINED), *contents_of(libraries), *versions)
        raw = self.folder / f"{content_of(home / RAW)}-{key_of(self.package.place, code)}.o"
        place(home / RAW, raw, mode=0o644)
        if self.recipe.target.counts:
            place(home / WHOLE, raw.with_suffix(".whole"), mode=0o644)
        build = replace(build, object_hash=code, objects=(raw,), stage=BuildStage.LINK)
        return link_operation(self.recipe, build, self.folder, home, libraries, self.jail)

    def _made(self, home: Path, copies: str, libraries: Libraries) -> Ended:
        """Compile the common sources apart, and then the package with them."""
        rust = self._rust(home)
        words = [*self._package_words(libraries), *include_options(self.package)]
        more = defines_for(self.package)
        common = compile_common(self.recipe, words, more, home, self.jail, self.objects)
        return common.added_to(
            self.run(self._lines(copies, libraries, rust, common.objects), home)
        )

    def _key(self, parts: list[Path], libraries: Libraries) -> str:
        """Name all that the package's objects depend on; `parts` are named after what they do."""
        lines = "\n".join(self._lines("", libraries, ""))
        texts = (lines, adapter(self.package, self.plan.league), self.details.entry)
        used = (one.name for one in parts)
        return self.named_after(self.package, *texts, *used, *texts_of(self.plan.subroutines))

    def _rust(self, home: Path) -> str:
        """Return what the linker takes of a package in Rust, and nothing of others."""
        if self.details.language != "rust":
            return ""
        native = "-march=native" in self.recipe.arch
        flags = "-C target-cpu=native" if native else ""
        archive = copied((rust_archive(self.package, self.own, self.jail, flags),), home)[0]
        names = rust_symbols(self.package, self.own)
        wanted = " ".join(f"-u {self.symbol(name)}" for name in names)
        return f"{wanted} {archive.relative_to(home)}"

    def _package_words(self, libraries: Libraries) -> list[str]:
        folders = [f"-I{path}" for path in libraries.include]
        return [*self.words(self.package, self.own), *folders]

    def _lines(
        self, copies: str, libraries: Libraries, rust: str, made: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """Yield the lines that make the one object; `copies` are those of subroutines."""
        ld, headers = self.linker(), include_options(self.package)
        words = self._package_words(libraries)
        c_words = self.words_in("c", self.own)
        c_words += [
            f"-I{path}" for path in libraries.include
        ]  # api.h may include what includes a library's header
        plain = words if self.details.layout == "nist" else c_words
        more, own = defines_for(self.package), services(self.package)
        own += [SERVICE] if is_narrow(self.recipe) else []
        asking = asking_lines(self.recipe, self.package, [*words, *headers], more)
        sources = self.package.sources
        yield from compile_lines([*words, *headers], sources, "objects", more, made, asking)
        if rust or self.details.layout != "supercop":
            yield combine_line(self.linker(last=False), rust or "objects/*.o", RAW)
        else:
            yield from self.called(self.package, self.own, RAW)
        told = defines_for_adapter(self.package)
        yield from compile_lines([*plain, "-w", *told, *headers], [ADAPTER], "table")
        together = f"{RAW} table/*.o {copies}"
        if own:
            yield from compile_lines([*c_words, *headers], own, "services")
            yield archive_line(self.tool("ar"), "services/*.o", "services.a")
            together += " services.a"
        yield combine_line(ld, together, "all.o")
        if self.recipe.target.counts:
            yield combine_line(ld, f"{RAW} {copies}", WHOLE)
        yield self.hide_line(TABLE)

    # ------------------------------------------------------------ subroutines

    def _subroutines(self) -> list[Path] | Build:
        """Return the objects of all subroutines; one that does not compile gives way to the next.

        Where no other is left the build fails as the first one did.
        """
        first: Build | None = None
        while True:
            if missing := self._all_libraries().missing:
                return replace(self.build, stage=BuildStage.SKIPPED, reason=missing)
            parts = [self._subroutine(one) for one in self.plan.subroutines]
            bad = [n for n, made in enumerate(parts) if isinstance(made, Build)]
            if not bad:
                return [made for made in parts if isinstance(made, Path)]
            first = first or next(made for made in parts if isinstance(made, Build))
            self.refused |= {self.plan.subroutines[n].package.selector for n in bad}
            self._choose()
            if self.plan.missing:
                return first

    def _subroutine(self, one: Subroutine) -> Path | Build:
        """Return a subroutine's object, or the build that failed for want of it."""
        made = self.subroutine(one, self.details.tree, self.refused)
        return made if isinstance(made, Path) else failed_subroutine(self.build, made, one)

    def _all_libraries(self) -> Libraries:
        users = (self.package, *(one.package for one in self.plan.subroutines))
        return joined(self.libraries(one) for one in users)
