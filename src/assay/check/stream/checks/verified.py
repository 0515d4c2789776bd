# SPDX-License-Identifier: MIT
"""Whether the vectors equal the verified file's, for all sizes."""

from typing import NoReturn

from assay.check.check import Check, CheckFailed, CheckOpen, Origin
from assay.check.compared import compared_with
from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.compare import VectorDifference
from assay.check.stream.vectors.inputs import LONG_STREAM_BYTES, SHORT_STREAM_BYTES
from assay.check.stream.vectors.verify import compare_combination, read_combinations
from assay.errors import VectorFormatError
from assay.model import Package, SizeChoice
from assay.model.compared import GONE, UNCOMPARED

CURE = (
    "`assay vectors PACKAGE -o unverified.test-vectors` writes them; compare them with the "
    "designers' and name the file verified.test-vectors."
)
ANOTHER = (
    "If it is another version, give it another ECRYPT_NAME and its own vectors; or fix the code."
)
SECONDS = 8.0
USUAL = (SizeChoice(128, 64, 64), SizeChoice(256, 128, 128))  # what the original measures


def vectors_verified(trial: Trial) -> str | None:
    """Every vector of every size in the file must come out as the file has it.

    A short trial takes the sizes nearest to the usual ones, with all their vectors; boards
    have no room for the longest. Slow code gets fewer vectors, and the remark says how many.
    """
    path = trial.package.vectors
    if path is None:
        raise CheckOpen(f"{UNCOMPARED}: the package has no verified vector file", cure=CURE)
    try:
        recorded = read_combinations(path)
    except VectorFormatError as error:
        if trial.package.reference or not path.is_file():
            raise CheckOpen(f"{UNCOMPARED}: {error}", cure=GONE) from None
        raise CheckFailed(f"{path.name}: {error}", cure=error.cure) from None
    wanted = accepted_sizes(trial.subject)
    if not trial.thorough:
        wanted = tuple(one for one in nearest_sizes(trial.subject, USUAL) if one in wanted)
    tested = [sizes for sizes in wanted if sizes in recorded]
    if not tested and trial.package.reference:
        raise CheckOpen(
            f"{UNCOMPARED}: {trial.package.reference} has none of the package's sizes", cure=CURE
        )
    if not tested:
        names = ", ".join(map(str, recorded))
        raise CheckFailed(f"{path.name} has none of the package's sizes, only {names}")
    longest = SHORT_STREAM_BYTES if trial.on_board else LONG_STREAM_BYTES
    budget, right, wrong = trial.budget(SECONDS), 0, None
    for left, sizes in zip(range(len(tested), 0, -1), tested, strict=True):
        with trial.session() as session, budget.share(session.agent, left) as share:
            coverage = compare_combination(session, recorded[sizes], longest, share)
        right, wrong = right + coverage.right, wrong or coverage.difference
        if wrong and (right or not _by_name_alone(trial.package)):
            break
        if coverage.compared == 0:
            raise CheckFailed(f"{path.name} has no vector that can be compared for {sizes}")
    if wrong:
        _raise(trial.package, wrong, right)
    remarks = (compared_with(trial.package.reference), budget.remark("vectors"))
    return "; ".join(filter(None, remarks))


def _by_name_alone(package: Package) -> bool:
    """Return whether nothing but ECRYPT_NAME says which cipher it is: no folder is called so."""
    primitive = package.reference.split("/")[-2:-1]
    return bool(primitive) and primitive[0] not in package.root.resolve().parts[-2:]


def _raise(package: Package, wrong: VectorDifference, right: int) -> NoReturn:
    """Raise for a difference: open where a name alone chose vectors of which none is right."""
    origin = package.reference or "the verified file"
    if right or not _by_name_alone(package):
        raise CheckFailed(f"a vector differs from {origin}", str(wrong))
    reason = f"{UNCOMPARED}: no vector of {origin}, which ECRYPT_NAME chose, is right"
    raise CheckOpen(f"{reason}: the code is wrong, or another version", str(wrong), ANOTHER)


CHECKS = (
    Check(
        name="vectors/verified",
        asks="Are the test vectors equal to the verified ones, for all sizes?",
        why="This is correctness: the cipher computes what its designers say, on this compiler, "
        "with these options, on this machine.",
        cure=(
            "Look at the first difference. On big-endian machines the usual cause is a word "
            "stored without U32TO8_LITTLE and its family; at a single optimisation level it is "
            "undefined behaviour (shifts, aliasing, overflow). If the verified file itself is "
            "wrong, make a new one (make vectors) and have it verified."
        ),
        run=vectors_verified,
        origin=Origin.ESTREAM,
    ),
)
