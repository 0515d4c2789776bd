# SPDX-License-Identifier: MIT
"""What SUPERCOP's database lines say: of one's own machine, and of published ones.

Own results and imported database lines become these records, so that one table can
show several machines. Compilers are command lines, with spaces.
"""

from msgspec import Struct

LEAGUES = ("constbranchindex", "timingleaks")
# Keys of facts about a try, whose lines name implementation and compiler; others are a heading's.
TRIED = frozenset(
    {
        *("fromcompiler", "namespace"),
        *("timecop_pass", "timecop_fail", "timecop_error", "timecop_output"),
    }
)
Place = tuple[str, str, str]


class Source(Struct, frozen=True):
    """Where and when something was measured, and by what.

    `abi` is SUPERCOP's word (`amd64`); `date` is YYYYMMDD; `version` is SUPERCOP's or
    `assay-0.1.0`.
    """

    machine: str
    abi: str
    date: str
    version: str

    @property
    def day(self) -> str:
        """Return the date as ISO 8601 has it; empty where it is none."""
        date = self.date
        return f"{date[:4]}-{date[4:6]}-{date[6:8]}" if date.isdigit() else ""

    @property
    def place(self) -> Place:
        """Return where results may be compared: machine, ABI and version.

        The date is no part of it, since one campaign may last several days.
        """
        return self.machine, self.abi, self.version


class Subject(Struct, frozen=True):
    """Whose result it is. `implementation` is `crypto_hash/sha256/ref`."""

    operation: str
    primitive: str
    league: str
    implementation: str
    compiler: str

    @property
    def short_name(self) -> str:
        """Return the implementation without operation and primitive: `dolbeau/amd64-sha`."""
        return self.implementation.removeprefix(f"{self.operation}/{self.primitive}/")


class Measurement(Struct, frozen=True):
    """One quantity: `key` is SUPERCOP's (`cycles`, `xor_cycles`, `keypair_randombytes`).

    `size` is the message's length in bytes (for aead 1000000 times the length of the
    associated data, and the message's), None where there is none. `q1`, `median` and `q3`
    are stabilised quartiles of `values`, per call. `unit` is `cycles`, `ticks`, `bytes` or
    `calls`; lower is better in all of them. `launches` is how many processes the values
    come from, None where that is not known; `medians` has the middle of each process's
    values, in `unit`, and is empty where that is not known.
    """

    source: Source
    subject: Subject
    key: str
    size: int | None
    q1: float
    median: float
    q3: float
    unit: str
    values: tuple[int, ...]
    launches: int | None = None
    medians: tuple[float, ...] = ()


class Attempt(Struct, frozen=True):
    """One implementation under one configuration: SUPERCOP's `try`, `tryfails`.

    `outcome` is `ok`, `unknown` (nothing is known to compare outputs with), `fails` (they are
    wrong) or `tryfails`, then with a `reason`, line by line. `score` is the median that decides
    which one is measured, in ticks or cycles; None without one. `test_cycles` is how long the
    test took, and `cycles_per_second` the rate of the counter. Of one's own attempts the `unit`
    is known, the `medians` of launches, and whether its cycles are `estimated`.
    """

    source: Source
    subject: Subject
    outcome: str
    checksum_small: str = ""
    checksum_big: str = ""
    score: float | None = None
    values: tuple[int, ...] = ()
    reason: str = ""
    test_cycles: int | None = None
    cycles_per_second: int | None = None
    unit: str = ""
    medians: tuple[float, ...] = ()
    estimated: bool = False


class ObjectSize(Struct, frozen=True):
    """Bytes of one file of a build, as size(1) counts them."""

    source: Source
    subject: Subject
    text: int
    data: int
    bss: int
    file: str


class Fact(Struct, frozen=True):
    """Any other line about a subject: `key` and the words after it."""

    source: Source
    subject: Subject
    key: str
    words: tuple[str, ...]


Record = Measurement | Attempt | ObjectSize | Fact


class Run(Struct, frozen=True):
    """What one try of an implementation, or one process that measured, had to say.

    `digest` identifies it: the same lines read again give the same.
    """

    records: tuple[Record, ...]
    digest: str
