# SPDX-License-Identifier: MIT
"""One reader, fuzzed for long: `python -m tests.whole.fuzz.long READER RUNS [SEED]`.

libFuzzer's engine behind atheris chooses inputs by what code they reach. An input that
takes ten seconds is a hang. The first bad input is printed in Base64 and ends the run.
"""

import contextlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

with atheris.instrument_imports(include=["assay"]):
    from tests.whole.fuzz.readers import BY_NAME, FuzzedReader

    from assay.errors import AssayError

HANG_SECONDS = 10
LARGEST_BYTES = 4096


def main() -> None:
    """Fuzz the reader that is named, as often as is asked."""
    name, runs, *seed = sys.argv[1:]
    reader = BY_NAME[name]
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-") as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, data in enumerate(reader.seeds()):
            (corpus / f"seed{number}").write_bytes(data)
        options = [f"-artifact_prefix={folder}/",
                   f"-runs={runs}", f"-timeout={HANG_SECONDS}", f"-max_len={LARGEST_BYTES}",
                   f"-seed={(seed or ['1'])[0]}", "-print_final_stats=1", "-rss_limit_mb=2048",
                   f"-dict={_dictionary(Path(folder), reader)}"]  # fmt: skip
        atheris.Setup([sys.argv[0], *options, str(corpus)], _one(reader))
        atheris.Fuzz()


def _one(reader: FuzzedReader) -> Callable[[bytes], None]:
    def one(data: bytes) -> None:
        with contextlib.suppress(AssayError):
            reader.read(data)

    return one


def _dictionary(folder: Path, reader: FuzzedReader) -> Path:
    """Write the words of the format as libFuzzer reads them."""
    path = folder / "words"
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in reader.words if word)
    path.write_text("".join(f'"{word}"\n' for word in quoted))
    return path


if __name__ == "__main__":
    main()
