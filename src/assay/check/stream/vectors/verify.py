# SPDX-License-Identifier: MIT
"""Computing vectors again and comparing them with a file, size by size."""

import functools
from collections.abc import Callable
from pathlib import Path

from assay.check.budget import Allotment
from assay.check.stream.session import StreamSession
from assay.check.stream.sizes import accepted_sizes
from assay.check.stream.vectors.compare import Coverage, compare_vector, index
from assay.check.stream.vectors.inputs import LONG_STREAM_BYTES, VectorInput, vector_inputs
from assay.check.stream.vectors.parse import Combination, Recorded, parse
from assay.check.stream.vectors.produce import Computed, VectorBuffers, compute
from assay.errors import VectorFormatError
from assay.execute.agent import Agent
from assay.model import SizeChoice, StreamSubject
from assay.package.text import read_vector_text

VECTORS_AT_ONCE = 32


def read_combinations(path: Path) -> dict[SizeChoice, Combination]:
    """Read a vector file by sizes; VectorFormatError says where it is damaged.

    A campaign asks for the same few files hundreds of times: they are kept until
    they change.
    """
    try:
        state = path.stat()
        return _parsed(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise VectorFormatError(f"{path} cannot be read: {error.strerror}", "") from None


@functools.lru_cache(maxsize=64)
def _parsed(path: Path, *_: int) -> dict[SizeChoice, Combination]:
    return {one.sizes: one for one in parse(read_vector_text(path))}


def verify_file(
    connect: Callable[[], Agent], subject: StreamSubject, path: Path
) -> dict[SizeChoice, Coverage]:
    """Compare every size combination of the file that the package has; stop at a difference."""
    recorded = read_combinations(path)
    outcomes: dict[SizeChoice, Coverage] = {}
    for sizes in accepted_sizes(subject):
        if sizes in recorded:
            with connect() as agent:
                session = StreamSession(agent, subject)
                outcomes[sizes] = compare_combination(session, recorded[sizes])
            if outcomes[sizes].difference:
                break
    return outcomes


def compare_combination(
    session: StreamSession,
    recorded: Combination,
    longest: int = LONG_STREAM_BYTES,
    share: Allotment | None = None,
) -> Coverage:
    """Compute every vector of one combination and compare it with the record.

    Those longer than `longest` bytes are left out: small targets have no room for them. Where
    the `share` of the time does not suffice for all, the long ones are left out first.
    """
    sizes = recorded.sizes
    known = index(recorded)
    usual = sum(1 for _ in vector_inputs(session.subject, sizes))
    desk = VectorBuffers.lay(session, sizes, longest)
    coverage = Coverage()
    waiting: list[tuple[Recorded, Computed]] = []
    vectors = vector_inputs(session.subject, sizes, long=len(known) > usual)
    for vector in sorted(vectors, key=VectorInput.weight) if share else vectors:
        record = known.pop((vector.set_number, vector.number), None)
        if record is None:
            coverage = coverage.without_record()
            continue
        if len(vector.plaintext) > longest:
            continue
        if share and not share.affords(vector.weight()):
            continue
        waiting.append((record, compute(session, desk, sizes, vector)))
        if len(waiting) == VECTORS_AT_ONCE:
            coverage, waiting = _settle(coverage, sizes, waiting), []
        if coverage.difference:
            return coverage
    return _settle(coverage, sizes, waiting).with_strangers(len(known))


def _settle(
    coverage: Coverage, sizes: SizeChoice, waiting: list[tuple[Recorded, Computed]]
) -> Coverage:
    for record, done in waiting:
        coverage = coverage.with_outcome(compare_vector(sizes, record, done))
    return coverage
