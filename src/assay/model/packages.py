# SPDX-License-Identifier: MIT
"""What somebody submits."""

from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from assay.model.kinds import PackageKind

GOALS = frozenset({"constbranch", "constindex"})


class Quirk(Struct, frozen=True):
    """A way in which a package departs from its API and is accepted all the same.

    `name` is a stable identifier such as `quirk/no-profile`; `message` says what
    was seen, `cure` how the author fixes it.
    """

    name: str
    message: str
    cure: str


class PackageRole(StrEnum):
    """Why a package is in the comparison."""

    SUBMISSION = "submission"
    BENCHMARK = "benchmark"


class OperationDetails(Struct, frozen=True):
    """What a package of the SUPERCOP API has besides, by its api.h and the files beside it.

    `operation` is a name of `assay.model.operations` (`crypto_hash`); `tree` the folder in
    which `crypto_*` stand. `constants` are the names that api.h defines, without `CRYPTO_`,
    each with its text. `language` is `c`, `c++` or `rust`; `layout` `supercop`, `nist`,
    `pqclean`, `liboqs` or `libjade`. `goals` holds those of `constbranch` and `constindex`
    that are declared.
    `architectures` are ABI names, empty for any. `includes` are the other primitives whose
    headers the sources include (`crypto_hash_sha512`), and `public` those of them included
    by their `_publicinputs` header only. Checksums are hexadecimal, None where the primitive
    has none. `loops` are the small and the big number of loops of the checksum tests where
    the primitive has its own; `weights` says that the primitive's tests go on with inputs
    of every weight. `notes` are pairs such as (`designers`, text).

    `prefix` stands before the names of functions and of `CRYPTO_` constants (PQClean's
    `PQCLEAN_MLKEM768_CLEAN_`); in the layout `nist` functions have their plain names
    (`crypto_kem_enc`). `shared` are files from elsewhere that belong to the package: the
    name that `sources` and `#include` have for each, below the package's folder, and the
    file. `folders` are folders of the package, besides its own, in which headers are
    looked for. `defines` are macros for single sources (`rng.c`, `randombytes=other`), and
    `forced` headers that are included before all else of a source. `entry` is the C that
    stands between the package and its adapter: it defines the functions and constants of the
    operation by the package's own; empty where these have the operation's names.
    `by_table` says that functions are called through the API's table. `answers` are the files
    of known answers that lie beside the package. `functions` have, for each suffix, what is
    called: a name, or an expression of the parameters; empty where the layout says it.
    `size_lengths` says that they write lengths as `size_t`. `libraries` are files to link with.
    `pieces` is the macro under which they give messages to their own functions in pieces.
    """

    operation: str
    tree: Path
    language: str
    layout: str
    constants: tuple[tuple[str, str], ...]
    goals: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    checksum_small: str | None = None
    checksum_big: str | None = None
    loops: tuple[int, int] | None = None
    weights: bool = False
    notes: tuple[tuple[str, str], ...] = ()
    prefix: str = ""
    shared: tuple[tuple[str, Path], ...] = ()
    folders: tuple[str, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    forced: tuple[tuple[str, str], ...] = ()
    entry: str = ""
    by_table: bool = False
    answers: tuple[Path, ...] = ()
    functions: tuple[tuple[str, str], ...] = ()
    size_lengths: bool = False
    libraries: tuple[Path, ...] = ()
    pieces: str = ""

    @property
    def built(self) -> str:
        """What decides besides the files what a package with an `entry` becomes, as text."""
        if not self.entry:
            return ""
        return repr((self.entry, self.defines, self.forced, self.folders))

    @property
    def read_as(self) -> str:
        """What loaders made of the files, as text: how they are compiled, called and judged."""
        names = tuple(name for name, _ in self.shared)
        parts = (self.operation, self.language, self.layout, self.prefix, names, self.folders)
        macros = (self.defines, self.forced, self.constants, self.entry)
        calls = (self.by_table, self.functions, self.size_lengths, self.includes, self.public)
        rest = (self.goals, self.architectures, *map(str, self.libraries))
        return repr((parts, macros, calls, *rest))


class Package(Struct, frozen=True):
    """One implementation as somebody submitted it.

    `selector` is `<primitive>/<implementation>` and unique in a tree; `place` is
    the path below the tree's root (`submissions/salsa20/ref`), used for mirror
    folders. `sources` and `files` are relative to `root`. `std` holds the
    Makefile's std line split into options. `vectors` is the verified vector file
    in the folder or the nearest ancestor. `content_hash` covers all files.
    `architecture` is set where assembly binds the package to one (`32-bit x86`).
    `details` is set for the API `supercop` alone, whose kind is `operation`.
    `sizes` are the digest sizes in bits that a compact hash's header states, if it does.
    `reference` names what outputs are compared with where the package's own tree has nothing
    and Assay comes with something for a primitive of that name; empty otherwise. `judged_by`
    is a digest of these outputs (verified vectors, checksums), wherever they are from.
    """

    selector: str
    primitive: str
    implementation: str
    place: str
    role: PackageRole
    api: str
    kind: PackageKind
    root: Path
    header: str
    sources: tuple[str, ...]
    files: tuple[str, ...]
    std: tuple[str, ...]
    variants: int
    vectors: Path | None
    quirks: tuple[Quirk, ...]
    content_hash: str
    architecture: str | None = None
    details: OperationDetails | None = None
    sizes: tuple[int, ...] = ()
    reference: str = ""
    judged_by: str = ""

    @property
    def places(self) -> dict[str, Path]:
        """Return where each file lies, by its name in a build; shared ones lie elsewhere."""
        own = {name: self.root / name for name in self.files}
        return own | (dict(self.details.shared) if self.details else {})

    @property
    def family(self) -> str:
        """What implementations of its primitive have in common: its operation, or its kind."""
        return self.details.operation if self.details else self.kind.value

    @property
    def code_identity(self) -> str:
        """What object code is kept under: the files, and which of them are compiled in what way.

        A later version of Assay may read the same files in another way.
        """
        parts = (self.api, self.header, self.sources, self.files, self.std, self.variants)
        text = repr((self.content_hash, parts, self.details.read_as if self.details else ""))
        return sha256(text.encode()).hexdigest()

    @property
    def identity(self) -> str:
        """What verdicts are stored under: they hold for this code and these known outputs."""
        return sha256(f"{self.code_identity} {self.judged_by}".encode()).hexdigest()

    @property
    def label(self) -> str:
        """What tells it from its siblings: the implementation, or the primitive of a flat one."""
        return self.implementation or self.primitive

    @property
    def goals(self) -> frozenset[str]:
        """What the package promises of its timing, by files such as `goal-constbranch`."""
        if self.details:
            return GOALS.intersection(self.details.goals)
        return frozenset(goal for goal in GOALS if f"goal-{goal}" in self.files)


class BrokenPackage(Struct, frozen=True):
    """A package that cannot even be loaded: a record with a reason, not an error.

    `selector` and `place` are what a Package would have; `root` is its folder.
    """

    selector: str
    place: str
    root: Path
    reason: str
    cure: str

    @property
    def kind(self) -> PackageKind | None:
        """What kind it would be of, where its place says so."""
        return kind_at(self.place)


def kind_at(place: str) -> PackageKind | None:
    """Return the kind of packages at a place, where that says so: `crypto_hash/sha256/ref`."""
    return PackageKind.OPERATION if place.startswith("crypto_") else None
