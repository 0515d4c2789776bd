# SPDX-License-Identifier: MIT
"""The shipped SHA-3 in the API of its competition, against hashlib and NIST's own examples."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.caches import new_cache

from assay.check.answers.digests import verified
from assay.check.budget import Budget
from assay.check.engine.workshop import open_workshop
from assay.check.hash.sizes import HashBuffers
from assay.check.hash.trial import HashTrial
from assay.check.kinds import kind_of
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import HashSubject, Package
from assay.model.wire import HashFunction
from assay.package.discover import load_all
from assay.plan.choice import target_configuration
from assay.targets.catalogue import native

ROOT = Path(__file__).parents[4]
NIST = {  # of the message 11001, five bits (FIPS 202 examples); the first bit is the highest here
    224: "FFBAD5DA96BAD71789330206DC6768ECAEB1B32DCA6B3301489674AB",
    256: "7B0047CF5A456882363CBF0FB05322CF65F4B7059A46365E830132E3B5D957AF",
    384: "737C9B491885E9BF7428E792741A7BF8DCA9653471C3E148473F2C236B6A0A64"
    "55EB1DCE9F779B4B6B237FEF171B1C64",
    512: "A13E01494114C09800622A70288C432121CE70039D753CADD2E006E4D961CB27"
    "544C1481E5814BDCEB53BE6733D5E099795E5E81918ADDB058E22A9F24883F37",
}


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HashTrial]:
    """Build the package and put it on trial."""
    place = ROOT / "submissions" / "keccak" / "nist"
    (package,) = load_all(place, ROOT, "submissions/keccak/nist")
    assert isinstance(package, Package)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        configuration, compiler = target_configuration(native())
        with open_workshop(strongest_jail()) as workshop:
            recipe = Recipe(package, 1, configuration, compiler, native())
            connect = workshop.connector(workshop.build(recipe))
            with connect() as agent:
                subject = kind_of(package).describe(agent)
            assert isinstance(subject, HashSubject)
            with closing(HashTrial(package, subject, connect)) as opened:
                yield opened


def whole(desk: HashBuffers, message: bytes, bits: int) -> bytes:
    """Hash a message in one call."""
    session = desk.session
    session.agent.write(desk.data, message)
    desk.whole(bits)
    return session.agent.read(desk.to)


@pytest.mark.parametrize("size", [224, 256, 384, 512])
def test_whole_bytes_have_the_digests_of_hashlib(trial: HashTrial, size: int) -> None:
    """Around the length of a block, in one call and in three."""
    random, rate = Random(size), 200 - size // 4
    with trial.desk(2 * rate + 1, size) as desk:
        for length in (0, 1, 7, rate - 1, rate, rate + 1, 2 * rate - 1, 2 * rate, 2 * rate + 1):
            message = random.randbytes(length)
            expected = hashlib.new(f"sha3_{size}", message).digest()
            assert desk.digest(message) == expected
            assert whole(desk, message, 8 * length) == expected


@pytest.mark.parametrize("size", NIST)
def test_five_bits_have_the_digest_that_nist_published(trial: HashTrial, size: int) -> None:
    """With the last bits in a call of their own, and in one call."""
    with trial.desk(1, size) as desk:
        assert desk.digest(b"", 0b11001000, 5).hex().upper() == NIST[size]
        assert whole(desk, bytes([0b11001000]), 5).hex().upper() == NIST[size]


def test_the_sizes_are_those_that_init_accepts(trial: HashTrial) -> None:
    """All four that the competition asked for."""
    assert trial.sizes == (224, 256, 384, 512)
    with trial.session() as session:
        ctx = session.context()
        session.call(HashFunction.INIT, ctx, 160)
        assert session.refused()
        session.call(HashFunction.INIT, ctx, 256)
        assert not session.refused()


class HurriedTrial(HashTrial):
    """A trial without time for many questions."""

    def budget(self, seconds: float = 0.0, *, by_chance: bool = False) -> Budget:
        """Return no time, but for the first question."""
        del by_chance
        return Budget(0 * seconds)


def test_slow_code_gets_fewer_verified_vectors(trial: HashTrial) -> None:
    """As with ciphers: the short ones, and the remark says how many were left out."""
    assert verified(trial) == ""
    with closing(HurriedTrial(trial.package, trial.subject, trial.connect)) as hurried:
        found = re.fullmatch(
            r"the code is slow: (\d+) of (\d+) vectors left out", verified(hurried)
        )
    assert found is not None
    left, known = map(int, found.groups())
    assert 0 < left < known == len(trial.vectors)
