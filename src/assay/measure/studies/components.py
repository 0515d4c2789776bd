# SPDX-License-Identifier: MIT
"""What share of each function's work is hashing, multiplying polynomials, or sampling.

Each function of an operation is called once, on random inputs, in an emulator that counts what
the package's own functions execute (`assay.execute.counting`). Functions are assigned to
components by their names, so what a compiler has inlined counts as the function around it, and
nothing is known of names that say nothing.
"""

import re
from collections.abc import Iterator
from random import SystemRandom
from typing import cast

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.depth import Extent
from assay.check.engine.workshop import Workshop
from assay.check.operation.routines import OperationUse, fresh, group
from assay.check.operation.session import OperationSession
from assay.check.routine import Routine, RoutineOutcome
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.counting import difference
from assay.model import OperationSubject, Verdict
from assay.model.operation import Op

LENGTH = 32  # bytes of message and data
OTHER = "other"
RUNTIME = "code that it calls"  # subroutines of SUPERCOP, the C library, the compiler's functions
# The first pattern that a name matches decides: `poly_uniform` samples, `poly_ntt` multiplies.
COMPONENTS = (
    ("Ascon", r"ascon"),
    ("AES", r"aes|rijndael|ghash|gcm"),
    ("ChaCha, Salsa", r"chacha|salsa|poly1305"),
    ("BLAKE", r"blake"),
    ("SHA-2", r"sha_?(?:2|256|384|512)|hmac|mgf1"),
    ("Keccak", r"keccak|shake|sha3|fips202|absorb|squeeze|(?:^|_)k12"),
    ("other hashing", r"haraka|thash|wots|(?:^|_)hash"),
    ("sampling", r"sampl|reject|rej_|cbd|noise|gauss|uniform|_eta|gamma|challenge|random"),
    ("packing", r"pack|tobytes|frombytes|compress|encode|decode|tomsg|frommsg"),
    ("polynomials", r"ntt|basemul|montgomery|barrett|butterfl|plant|fqmul|zeta|matacc|poly|fft"),
    ("matrices", r"matri[xc]"),
    ("field and curve", r"(?:^|_)(?:fe|ge|sc|gf)_|fe25519|scalar|mod(?:mul|sqr|inv)|curve"),
    ("permutation", r"permut"),
)
HASHING = frozenset({"BLAKE", "SHA-2", "Keccak", "other hashing", "permutation"})
# KEMs and signatures expand seeds with AES, and pqm4 counts that (mupq's PROFILE_HASHING).
EXPANDING = frozenset({*HASHING, "AES"})
# What adapters put before the names of a package.
_OURS = re.compile(r"^crypto_\w+?_(?:constbranchindex|constbranch|constindex|timingleaks)_")
_KNOWN = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in COMPONENTS)


class ComponentsRow(Struct, frozen=True):
    """What a function executes in all, and how much of it in each component, the most first."""

    package: str
    target: str
    compiler: str
    level: str
    function: str
    instructions: int
    parts: tuple[tuple[str, int], ...]
    functions: tuple[tuple[str, int], ...]

    @property
    def hashed(self) -> tuple[int, ...]:
        """Return the instructions of each component that hashes."""
        expands = self.function.startswith((Op.KEM, Op.SIGN))
        known = EXPANDING if expands else HASHING
        return tuple(count for part, count in self.parts if part in known)

    @property
    def hashing(self) -> int:
        """Return the instructions of all components that hash."""
        return sum(self.hashed)


def component_of(name: str) -> str:
    """Return what a function is part of, by its name."""
    return next((one for one, pattern in _KNOWN if pattern.search(name)), OTHER)


def components_of(workshop: Workshop, recipe: Recipe) -> tuple[ComponentsRow, ...]:
    """Count all functions of a package; AssayError for one that does not build or fails."""
    name, build = recipe.package.selector, workshop.build(recipe)
    if not build.ok:
        raise AssayError(f"{name} does not build: {build.reason}", build.cure)
    outcome = workshop.examine(recipe, build, Extent(brief=True, only=("agent/",)))
    subject = cast("OperationSubject | None", outcome.subject)
    if subject is None or outcome.verdict is Verdict.FAIL:
        raise AssayError(f"{name} does not run", f"`assay check {name}` says why.")
    rows: dict[str, ComponentsRow] = {}
    stage = workshop.stage.patient(recipe.package.kind)
    with stage.counted(workshop.admit(build), build.objects) as (agent, counting):
        session, timed = OperationSession(agent, subject), group(subject, LENGTH, LENGTH)
        arena = Arena(session)

        def perform(routine: Routine) -> RoutineOutcome:
            before = counting.read()
            made = arena.outcome(routine)
            counts = difference(counting.read(), before)
            found = {RUNTIME: counts.runtime.instructions}
            for one, each in counts.functions.items():
                plain = _OURS.sub("", one)
                found[plain] = found.get(plain, 0) + each.instructions
            rows.setdefault(routine.name, _row(recipe, routine.name, found))
            return made

        use = OperationUse(subject, timed, fresh(SystemRandom().randbytes, timed))
        for _ in use.in_turn(perform):
            pass
    return tuple(rows.values())


def _row(recipe: Recipe, function: str, found: dict[str, int]) -> ComponentsRow:
    parts: dict[str, int] = {}
    for name, count in found.items():
        part = RUNTIME if name == RUNTIME else component_of(name)
        parts[part] = parts.get(part, 0) + count
    return ComponentsRow(
        recipe.package.selector, recipe.target.name, recipe.compiler.release,
        recipe.configuration.opt, function, sum(parts.values()), tuple(_most(parts)),
        tuple(_most(found)),
    )  # fmt: skip


def _most(counts: dict[str, int]) -> Iterator[tuple[str, int]]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    yield from (pair for pair in ordered if pair[1])
