# SPDX-License-Identifier: MIT
"""Everything that decides what a build becomes, and the command lines that follow.

SUPERCOP has headers of integers and of other primitives for whatever it compiles
(`crypto_uint32.h`, `crypto_verify_16.h`). A package of another API finds them behind its own files
and its API's, and is linked with Assay's own implementation.
"""

import shlex
import shutil
from functools import lru_cache
from pathlib import Path, PurePath

from msgspec import Struct, field
from msgspec.structs import replace

from assay.compile.files import content_of, key_of
from assay.compile.harness import harness_hash
from assay.compile.parts import (
    HARNESS,
    HOSTED,
    OPTIONS,
    linker_scripts,
    package_words,
    replaced_functions,
    users_files,
)
from assay.compile.supercop.layout import write_texts
from assay.compile.supercop.names import abi_of, shared_headers
from assay.compile.supercop.subroutines import Subroutine, resolved
from assay.model import Cell, Compiler, Configuration, Package, Runtime, Target
from assay.model.api import Api
from assay.model.apis import PACKAGED
from assay.package.places import TREE, shipped
from assay.package.supercop.api import subroutines
from assay.package.supercop.files import Files
from assay.targets.catalogue import native

_PROVIDED = HARNESS / "supercop" / "include"
_RANDOM = "agent/random.c"


def adapters_of(api: Api) -> dict[str, str]:
    """Return what is compiled with a package's header, once per compiler and arch options.

    It is an object file for each source, which stands below harness/.
    """
    return {f"{part.removesuffix('s')}.o": f"{part}/{api.name}.c" for part in api.parts}


def adapter_options(package: Package, variant: int) -> tuple[str, ...]:
    """Return the options that the adapter is compiled with."""
    return _filled(PACKAGED[package.api].adapter_words, package, variant)


def _filled(words: tuple[str, ...], package: Package, variant: int) -> tuple[str, ...]:
    """Write the package's names into the words of its API."""
    stem = PurePath(package.header).stem
    return tuple(
        one.format(api=package.api, variant=variant, header=package.header, stem=stem)
        for one in words
    )


WARNINGS = ("-Wall", "-pedantic")
RUNTIME_HEADERS = "runtime/include"


class Served(Struct, frozen=True):
    """What a package gets of Assay's own: names of headers, and implementations of primitives."""

    headers: tuple[str, ...] = ()
    subroutines: tuple[Subroutine, ...] = ()

    def __bool__(self) -> bool:
        """Return whether it gets anything."""
        return bool(self.headers or self.subroutines)

    @property
    def identity(self) -> str:
        """Name what compilers see of it besides the harness; empty for nothing."""
        texts = (f"{one.package.code_identity} {one.league}" for one in self.subroutines)
        return key_of(*self.headers, *texts) if self else ""

    @property
    def folder(self) -> str:
        """Name the folder of the headers in that of a build, after what is in it."""
        return f"served-{self.identity[:16]}"

    @property
    def options(self) -> tuple[str, ...]:
        """Return what a compile line ends with, so that all other folders come first."""
        return (f"-I{self.folder}",) if self else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """State what was taken, for the record of a build."""
        return (f"with Assay's own {', '.join(self.headers)}",) if self.headers else ()

    def services(self, target: Target) -> tuple[str, ...]:
        """Name the sources of the harness whose functions these headers declare."""
        return (_RANDOM,) if self and target.runtime in HOSTED else ()

    def stage(self, home: Path) -> None:
        """Write the headers into the folder of a build."""
        if self:
            shutil.copytree(_PROVIDED, home / self.folder)
            for one in self.subroutines:
                write_texts(home / self.folder, shared_headers(one.package, one.league))


def served(package: Package, configuration: Configuration, target: Target) -> Served:
    """Find what a package includes and has not; those of operations have a way of their own."""
    if package.kind.rules.combined:
        return Served()
    headers, primitives = _wanted(package.root, package.files, package.content_hash)
    if not primitives:
        return Served(headers)
    wanted = [(name, "") for name in primitives]
    chosen = resolved(wanted, shipped() / TREE, abi_of(configuration, target))
    return Served(headers, tuple(replace(one, shipped=True) for one in chosen.subroutines))


@lru_cache(maxsize=4096)
def _wanted(
    root: Path, names: tuple[str, ...], _content: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the headers of the harness and the primitives that a package's files include."""
    files = Files(root, {name: str(root / name) for name in names}, ())
    own = {name.rsplit("/", 1)[-1] for name in names} | _of_apis()
    headers = sorted(one for one in files.includes() if one in _provided() and one not in own)
    return tuple(headers), subroutines(files, "", own)[0]


@lru_cache(maxsize=1)
def _provided() -> frozenset[str]:
    return frozenset(path.name for path in _PROVIDED.iterdir())


@lru_cache(maxsize=1)
def _of_apis() -> frozenset[str]:
    return frozenset(path.name for path in (HARNESS / "api").iterdir())


class Recipe(Struct, frozen=True):
    """A package's variant, how it is compiled, and where it shall run."""

    package: Package
    variant: int
    configuration: Configuration
    compiler: Compiler
    target: Target = field(default_factory=native)

    @property
    def cell(self) -> Cell:
        """The cell that this is the recipe of."""
        return Cell(self.package.selector, self.variant, self.configuration.name, self.target.name)

    @property
    def api(self) -> Api:
        """The package's API."""
        return PACKAGED[self.package.api]

    @property
    def adapters(self) -> dict[str, str]:
        """What the package's API needs of the harness, by the names of its object files."""
        return adapters_of(self.api)

    @property
    def arch(self) -> tuple[str, ...]:
        """The configuration's options that choose the machine."""
        return tuple(self.configuration.arch.split())

    @property
    def adapter_key(self) -> str:
        """Name what the adapter becomes: all but the optimisation and the Makefile's std."""
        return key_of(self.package.code_identity, self.adapter_needs)

    @property
    def adapter_needs(self) -> str:
        """Name what the adapter depends on besides the package."""
        arch = self.configuration.arch
        needs = (str(self.variant), self.compiler.identity, arch, harness_hash())
        return key_of(*needs, self.served.identity)

    @property
    def served(self) -> Served:
        """What the package includes of SUPERCOP's headers, and gets of Assay's own."""
        return served(self.package, self.configuration, self.target)

    @property
    def agent_name(self) -> str:
        """Name the linked agent, but for its object code: whose it is, and what else is in it.

        Two places have no file in common, not even with the same package in both.
        """
        files = (*users_files(self.target), *linker_scripts(self.target))
        contents = map(content_of, files)
        more = (*contents, *replaced_functions(self.configuration))
        return key_of(self.package.place, self.adapter_key, repr(self.target), *more)

    @property
    def objects(self) -> tuple[str, ...]:
        """The object files of the package's own sources, in their order.

        Sources of one name in two folders, or with two suffixes, have an object each.
        """
        sources = tuple(map(PurePath, self.package.sources))
        if self._share_names:
            return tuple(f"{number}-{source.name}.o" for number, source in enumerate(sources))
        return tuple(f"{source.stem}.o" for source in sources)

    @property
    def _share_names(self) -> bool:
        """Return whether a compiler would write two objects of the package into one file."""
        stems = [PurePath(source).stem for source in self.package.sources]
        return len(set(stems)) < len(stems)

    def compile_command(self) -> list[str]:
        """Return the command that compiles the package's own sources into `objects`."""
        line = self._compile_line()
        sources = [f"package/{source}" for source in self.package.sources]
        if not self._share_names:
            return [*line, *sources]
        each = zip(sources, self.objects, strict=True)
        lines = (shlex.join([*line, source, "-o", name]) for source, name in each)
        return ["sh", "-ec", "\n".join(lines)]

    def _compile_line(self) -> list[str]:
        """Return the line that compiles any of the sources, less the source."""
        command = [str(self.compiler.path), "-c", *WARNINGS, *self._std]
        command += package_words(self.configuration)
        own = _filled(self.api.package_words, self.package, self.variant)
        return [*command, *own, *self._runtime_headers, *self.served.options]

    @property
    def _std(self) -> tuple[str, ...]:
        """The Makefile's std; tcc has one dialect and refuses the HOWTO's own `-ansi`."""
        refused = {"-ansi"} if self.compiler.is_tcc else set()
        return tuple(word for word in self.package.std if word not in refused)

    def adapter_command(self) -> list[str]:
        """Return the line that compiles what depends on the package's header, less source."""
        command = [str(self.compiler.path), "-c", "-w", *OPTIONS, *self.arch]
        command += adapter_options(self.package, self.variant)
        return [*command, *self._runtime_headers, *self.served.options]

    @property
    def folders(self) -> tuple[str, ...]:
        """Name the folders of the harness that compilers may see."""
        runtime = (RUNTIME_HEADERS,) if self._runtime_headers else ()
        return (*self.api.sees, *runtime)

    @property
    def _runtime_headers(self) -> tuple[str, ...]:
        """Show headers where the C library has none for a target's ABI."""
        freestanding = self.target.runtime is Runtime.FREESTANDING
        return ("-isystem", RUNTIME_HEADERS) if freestanding else ()
