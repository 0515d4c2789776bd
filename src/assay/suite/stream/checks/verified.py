# SPDX-License-Identifier: MIT
"""Whether the vectors equal the verified file's, for all sizes."""

from pathlib import Path

from assay.errors import VectorFormatError
from assay.model import SizeChoice
from assay.suite.check import Check, CheckFailed, CheckSkipped
from assay.suite.stream.session import StreamSession
from assay.suite.stream.sizes import accepted_sizes
from assay.suite.stream.trial import Trial
from assay.suite.stream.vectors.compare import Coverage, compare_vector, index
from assay.suite.stream.vectors.inputs import vector_inputs
from assay.suite.stream.vectors.parse import Combination, Recorded, parse
from assay.suite.stream.vectors.produce import Computed, Desk, compute

VECTORS_AT_ONCE = 32


def read_combinations(path: Path) -> dict[SizeChoice, Combination]:
    """Read a vector file by sizes; VectorFormatError says where it is damaged."""
    return {one.sizes: one for one in parse(path.read_text("latin-1"))}


def compare_combination(session: StreamSession, recorded: Combination) -> Coverage:
    """Compute every vector of one combination and compare it with the record."""
    sizes = recorded.sizes
    known = index(recorded)
    every = len(known) > len(list(vector_inputs(session.subject, sizes)))
    desk = Desk.lay(session, sizes)
    coverage = Coverage()
    waiting: list[tuple[Recorded, Computed]] = []
    for vector in vector_inputs(session.subject, sizes, long=every):
        record = known.get((vector.set_number, vector.number))
        if record is None:
            coverage = coverage.without_record()
            continue
        waiting.append((record, compute(session, desk, sizes, vector)))
        if len(waiting) == VECTORS_AT_ONCE:
            coverage, waiting = _settle(coverage, sizes, waiting), []
        if coverage.difference:
            return coverage
    return _settle(coverage, sizes, waiting)


def _settle(
    coverage: Coverage, sizes: SizeChoice, waiting: list[tuple[Recorded, Computed]]
) -> Coverage:
    for record, done in waiting:
        coverage = coverage.with_outcome(compare_vector(sizes, record, done))
    return coverage


def vectors_verified(trial: Trial) -> None:
    """Every vector of every size in the file must come out as the file has it."""
    path = trial.package.vectors
    if path is None:
        raise CheckSkipped("the package has no verified vector file")
    try:
        recorded = read_combinations(path)
    except VectorFormatError as error:
        raise CheckFailed(f"{path.name}: {error}", cure=error.cure) from None
    tested = [sizes for sizes in accepted_sizes(trial.subject) if sizes in recorded]
    if not tested:
        names = ", ".join(map(str, recorded))
        raise CheckFailed(f"{path.name} has none of the package's sizes, only {names}")
    for sizes in tested:
        with trial.session() as session:
            coverage = compare_combination(session, recorded[sizes])
        if coverage.difference:
            raise CheckFailed("a vector differs from the verified file", str(coverage.difference))
        if coverage.compared == 0:
            raise CheckFailed(f"{path.name} has no vector that can be compared for {sizes}")


CHECKS = (
    Check(
        name="vectors/verified",
        asks="Are the test vectors equal to the verified ones, for all sizes?",
        why="This is correctness: the cipher computes what its designers say, on this compiler, "
        "with these options, on this machine.",
        mend="Look at the first difference. On big-endian machines it is often a word stored "
        "without U32TO8_LITTLE and its family; with one optimisation level only, undefined "
        "behaviour (shifts, aliasing, overflow). If the verified file itself is wrong, make a "
        "new one (make vectors) and have it verified.",
        run=vectors_verified,
    ),
)
