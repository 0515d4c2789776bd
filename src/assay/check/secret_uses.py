# SPDX-License-Identifier: MIT
"""Uses that differ in secrets alone, for what asks whether something depends on them.

The secrets of another use fit together, as its calls made them from one another. Public inputs
stay, and with them what a secret key has of a public one.
"""

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay.check.routine import Routine, flipped
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial, Batch
from assay.model.api import Role

SEED_BYTES = 32
USES, PARTS = 3, 8
AUTHENTICATED = frozenset({Role.MAC, Role.CIPHERTEXT})
LAST_OF_BOX = 31  # of the tag of `crypto_box`, which stands first; others' stand last
COMPARED = 2  # secrets, by a function that says whether they are equal
WORD = 8  # bytes that are the same by chance nowhere


class SecretUse(Struct, frozen=True):
    """A routine, the same twice with other secrets, and the randomness of each.

    What `opens` refuses what is not of its key: with `all_others` public inputs are not those of
    the first use, or not as its calls made them.
    """

    routines: tuple[Routine, ...]
    seeds: tuple[bytes, ...]
    opens: bool = False
    all_others: bool = False

    @property
    def routine(self) -> Routine:
        """The first one."""
        return self.routines[0]

    @property
    def differs(self) -> bool:
        """Return whether it has secret inputs."""
        return any(one.secret and one.value for one in self.routine.variables.values())

    def partly(self, kept: Routine, part: int) -> Routine:
        """Return a routine with a part of the second one's secrets, of `PARTS`."""
        given = {}
        for name, one in kept.variables.items():
            theirs = self.routines[1].variables[name].value
            if one.secret and one.value and theirs and len(theirs) == len(one.value):
                at = slice(part * len(theirs) // PARTS, (part + 1) * len(theirs) // PARTS)
                value = one.value[: at.start] + theirs[at] + one.value[at.stop :]
                given[name] = replace(one, value=value)
        return replace(kept, variables={**kept.variables, **given})


def secret_uses(
    trial: AnyTrial, session: BaseSession, lengths: tuple[int, ...], uses: int = USES
) -> Iterator[SecretUse]:
    """Yield every routine that has secrets, or draws some, in so many uses."""
    seeds = tuple(trial.bytes(SEED_BYTES) for _ in range(uses))
    for length in lengths:
        made = [_inputs(trial, session, one, length) for one in seeds]
        for batches in zip(*made, strict=True):
            variables = (one for each in batches[0] for one in each.variables.values())
            public = words(one.value for one in variables if one.value and not one.secret)
            for routines in zip(*batches, strict=True):
                first = routines[0]
                others = tuple(_with_secrets_of(first, one, public) for one in routines[1:])
                use = SecretUse((first, *others), seeds, trial.opens(first))
                if use.differs or trial.draws(first):
                    yield use
                if use.differs and use.opens:
                    yield SecretUse(routines, seeds, opens=True, all_others=True)
                    yield from _near_misses(use)
                    yield from _nearly_equal(use)


def _near_misses(use: SecretUse) -> Iterator[SecretUse]:
    """Yield a use whose authenticator is right for the first secret up to its last byte.

    All its calls refuse, and a comparison that ends at the first difference ends late with that
    secret alone; where inputs are only those of other keys, it ends at the first byte with all.
    """
    for name, one in use.routine.variables.items():
        if one.role not in AUTHENTICATED or not one.value:
            continue
        for at in {len(one.value) - 1, min(LAST_OF_BOX, len(one.value) - 1)}:
            wrong = flipped(one.value, at)
            routines = tuple(each.given(name, wrong) for each in use.routines)
            yield SecretUse(routines, use.seeds, opens=True, all_others=True)


def _nearly_equal(use: SecretUse) -> Iterator[SecretUse]:
    """Yield a use whose secrets of one size differ in a bit, at the end with the first one alone.

    Strings at random differ in their first byte, where every comparison ends that ends early.
    """
    sizes: dict[int, list[str]] = {}
    for name, one in use.routine.variables.items():
        if one.secret and one.value and one.role is Role.OTHER:
            sizes.setdefault(len(one.value), []).append(name)
    for size, (first, second) in (one for one in sizes.items() if len(one[1]) == COMPARED):
        routines = (
            one.given(second, flipped(one.value(first), 0 if number else size - 1))
            for number, one in enumerate(use.routines)
        )
        yield SecretUse(tuple(routines), use.seeds, opens=True, all_others=True)


def _inputs(trial: AnyTrial, session: BaseSession, seed: bytes, length: int) -> list[Batch]:
    """Return all routines with inputs of their own, made with this randomness."""
    with session.seeded(seed):
        return list(trial.computations(session, (length,)))


def words(values: Iterable[bytes]) -> set[bytes]:
    """Return what stands anywhere in some bytes, a word's length of it each."""
    return {one[at : at + WORD] for one in values for at in range(len(one) - WORD + 1)}


def covered(held: bytes, known: Collection[bytes]) -> Iterator[int]:
    """Yield the places of the bytes that are part of one of the words."""
    end = 0
    for at in range(len(held) - WORD + 1):
        if held[at : at + WORD] in known:
            yield from range(max(at, end), at + WORD)
            end = at + WORD


def _with_secrets_of(routine: Routine, other: Routine, public: Collection[bytes]) -> Routine:
    """Return the routine with the secrets of another, but for what is public in its own."""
    secrets = {}
    for name, one in routine.variables.items():
        theirs = other.variables[name].value
        if one.secret and one.value and theirs and len(theirs) == len(one.value):
            changed = bytearray(theirs)
            for at in covered(one.value, public) if one.role is Role.KEY else ():
                changed[at] = one.value[at]
            secrets[name] = replace(one, value=bytes(changed))
    return replace(routine, variables={**routine.variables, **secrets})
