# SPDX-License-Identifier: MIT
"""`assay new`: what it writes compiles, is refused as it is, and passes once it is filled in."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling

from assay.check.depth import Extent
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Package, PackageKind, Verdict
from assay.model.apis import APIS, STREAMS
from assay.model.operations import OPERATIONS
from assay.package.discover import Found, load_all
from assay.package.supercop.load import load
from assay.plan.choice import target_configuration
from assay.targets.catalogue import native

ROOT = Path(__file__).parents[3]
# A shipped implementation whose code fills in the package of an API: folder and source.
FILLED = {
    "ecrypt-sync": ("submissions/trivium/ref", "trivium.c"),
    "ecrypt-sync-ae": ("submissions/phelix/ref", "phelix.c"),
    "ecrypt-ssyn": ("submissions/moustique/ref", "moustique.c"),
    "ecrypt-ssyn-ae": ("tests/whole/corpus/ssyn-ae", "toy.c"),
    "compact-hash": ("submissions/sha256/portable", "sha256.c"),
    "sha3-nist": ("submissions/keccak/nist", "keccak.c"),
}
CALLS = ("calls/", "supercop/", "checksum/small")
EDITED = re.compile(
    r"#define ECRYPT_(?:NAME|PROFILE|(?:MAX)?(?:KEY|IV|MAC)SIZE|SYNCLENGTH|BLOCKLENGTH)\b.*"
)
CONTEXT = re.compile(
    r"typedef struct\s*\{[^}]*\}\s*(?:ECRYPT_\w*ctx|sha256_context|hashState);", re.DOTALL
)
EXTRA = re.compile(r"typedef struct\s*\{[^}]*\}\s*gate;", re.DOTALL)


@pytest.fixture
def assay(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line in an empty folder."""
    monkeypatch.setenv("ASSAY_ROOT", str(ROOT))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)


QUICK = ("crypto_aead", "crypto_hash", "crypto_kem", "crypto_sign", "crypto_sort", "crypto_stream")
THE_OPERATIONS = [
    one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in OPERATIONS
]


def failures(assay: Assay, *arguments: str) -> tuple[set[str], set[str]]:
    """Check a package; give the checks that failed, and those that passed."""
    (entry,) = json.loads(assay("check", *arguments, "--json").out)
    verdicts = [(one["check"], one["verdict"]) for one in entry["checks"]]
    return ({c for c, v in verdicts if v == "fail"}, {c for c, v in verdicts if v == "pass"})


def test_there_is_a_skeleton_for_every_api() -> None:
    """The stream ciphers' three, compact hashes, and all operations."""
    assert set(APIS) == {*FILLED, *OPERATIONS}
    assert len(OPERATIONS) == 21


@pytest.mark.parametrize("api", FILLED)
def test_a_new_package_builds_and_is_refused_until_it_is_filled_in(assay: Assay, api: str) -> None:
    """It says what comes next; functions that do nothing fail what looks at outputs."""
    done = assay("new", "mine", "--api", api)
    assert done.code == 0
    assert done.out.splitlines()[-1].endswith("assay check mine")
    failed, passed = failures(assay, "mine")
    assert {"build/links", "agent/answers"} <= passed
    assert (
        "digest/length" if APIS[api].kind == PackageKind.HASH else "vectors/consistent"
    ) in failed


def verdicts_on(package: Found, only: tuple[str, ...]) -> dict[str, Verdict]:
    """Ask a package a few questions, shortly."""
    assert isinstance(package, Package), package
    configuration, compiler = target_configuration(native())
    with open_workshop(strongest_jail()) as workshop:
        recipe = Recipe(package, 1, configuration, compiler, native())
        outcome = workshop.examine(recipe, workshop.build(recipe), Extent(brief=True, only=only))
    return {one.check: one.verdict for one in outcome.checks}


def filled(api: str, folder: Path) -> None:
    """Fill in the [edit] parts of a header, and the source, with a shipped implementation's."""
    place, source = FILLED[api]
    shipped = ROOT / place
    name = "sha256.h" if api == "compact-hash" else APIS[api].marks.headers[0]
    theirs, path = (shipped / name).read_text(), folder / name
    text = path.read_text()
    if api == "compact-hash":
        types = theirs[theirs.index("#if defined __UINT32_TYPE__") : theirs.index("void ")]
        text = CONTEXT.sub(lambda _: types, text).replace("_SIZES 256", "_SIZES 224, 256")
    elif api == "sha3-nist":
        text = CONTEXT.sub(lambda _: CONTEXT.findall(theirs)[0], text)
    else:
        for line in EDITED.findall(theirs):
            macro = re.escape(line.split("(")[0].split()[1])
            (old,) = re.findall(rf"#define {macro}\b.*", text)
            text = text.replace(old, line)
        own = CONTEXT.findall(theirs)[-1]
        before = "".join(EXTRA.findall(theirs))
        last = CONTEXT.findall(text)[-1]
        text = text.replace(last, f"{before}\n{own}")
        for flag in re.findall(r"#define (ECRYPT_SUPPORTS_\w+)", theirs):
            text = text.replace(f"#undef {flag}", f"#define {flag}")
        for flag in re.findall(r"#undef (ECRYPT_HAS_\w+)", theirs):
            text = text.replace(f"#define {flag}", f"#undef {flag}")
    path.write_text(text)
    shutil.copy(shipped / source, folder / ("sha256.c" if api == "compact-hash" else "mine.c"))


@pytest.mark.parametrize("api", FILLED)
def test_a_package_that_is_filled_in_passes(assay: Assay, tmp_path: Path, api: str) -> None:
    """It conforms, and gives the published vectors; the toy with a MAC has none."""
    name = "sha256" if api == "compact-hash" else "mine"
    assert assay("new", name, "--api", api).code == 0
    folder = tmp_path / name
    filled(api, folder)
    for vectors in (ROOT / FILLED[api][0]).parent.glob("verified*"):
        shutil.copy(vectors, folder)
    right = "vectors/consistent" if api == "ecrypt-ssyn-ae" else "vectors/verified"
    (package,) = load_all(folder, folder, name)
    verdicts = verdicts_on(package, (right, "digest/", "api/", "header/", "context/"))
    assert Verdict.PASS in {verdicts.get(right), verdicts.get("digest/verified")}
    assert set(verdicts.values()) == {Verdict.PASS}


@pytest.mark.parametrize("operation", THE_OPERATIONS)
def test_the_package_of_an_operation_builds_and_is_refused(
    assay: Assay, tmp_path: Path, operation: str
) -> None:
    """Functions return -1, or leave their outputs alone; only checksums tell of what is sorted."""
    done = assay("new", "mine", "--api", operation)
    assert f"assay check {operation}/mine/ref --tree ." in done.out
    verdicts = verdicts_on(load(tmp_path, f"{operation}/mine/ref"), CALLS)
    assert verdicts["agent/answers"] is Verdict.PASS
    assert verdicts["checksum/small"] is Verdict.OPEN
    failed = Verdict.FAIL in verdicts.values()
    assert failed == (operation != "crypto_sort")


@pytest.mark.parametrize("operation", THE_OPERATIONS)
def test_the_package_of_an_operation_passes_once_it_is_filled_in(
    assay: Assay, tmp_path: Path, operation: str
) -> None:
    """With the constants and the code of a shipped implementation in place of its own."""
    tree = shutil.copytree(ROOT / "submissions/supercop", tmp_path / "tree")
    shipped = next(
        path.parent
        for path in sorted((tree / operation).rglob("api.h"))
        if path.parent.name in {"ref", "heap", "limbs51"}
    )
    mine = shipped.parent / "mine"
    assert assay("new", str(mine), "--api", operation).code == 0
    known = dict(re.findall(r"#define (CRYPTO_\w+) (\d+)", (shipped / "api.h").read_text()))
    api = (mine / "api.h").read_text()
    for name in re.findall(r"#define (CRYPTO_\w+)", api):
        api = re.sub(rf"({name}) \d+", rf"\g<1> {known.pop(name)}", api)
    more = "".join(f"#define {name} {number}\n" for name, number in known.items())
    (mine / "api.h").write_text(api + more)
    (mine / f"{OPERATIONS[operation].short}.c").unlink()
    for path in shipped.iterdir():
        if path.suffix in {".c", ".h"} and path.name != "api.h":
            shutil.copy(path, mine)
    verdicts = verdicts_on(load(tree, str(mine.relative_to(tree))), CALLS)
    published = (shipped.parent / "checksumsmall").is_file()
    assert verdicts["checksum/small"] is (Verdict.PASS if published else Verdict.OPEN)
    assert Verdict.FAIL not in verdicts.values()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (r"#define ECRYPT_BLOCKLENGTH .*", "does not declare ECRYPT_BLOCKLENGTH"),
        (r"#define ECRYPT_MAXIVSIZE .*", "does not declare ECRYPT_MAXIVSIZE"),
        (r"#define ECRYPT_KEYSIZE\(.*", "does not define the macro ECRYPT_KEYSIZE"),
        (r"void ECRYPT_keystream_bytes\([^;]*;", "does not declare ECRYPT_keystream_bytes"),
    ],
)
def test_what_a_header_lacks_is_named_in_one_line(
    assay: Assay, tmp_path: Path, damage: str, says: str
) -> None:
    """The compiler's account of Assay's own side helps nobody."""
    assert assay("new", "mine", "--api", "ecrypt-sync").code == 0
    path = tmp_path / "mine" / "ecrypt-sync.h"
    text, count = re.subn(damage, "", path.read_text())
    assert count == 1
    path.write_text(text)
    done = assay("check", "mine")
    assert done.code == 1
    assert says in done.out
    assert "assay new NAME --api" in done.out
    assert "adapters/" not in done.out


@pytest.mark.parametrize("name", ["no-name", "1st", "a b", "x" * 70])
def test_names_that_c_cannot_have_are_refused(assay: Assay, name: str) -> None:
    """Before anything is written."""
    done = assay("new", name, "--api", "ecrypt-sync")
    assert done.code == 2
    assert "letters, digits and underscores" in done.err
    assert not list(Path().iterdir())


def test_what_is_there_is_not_overwritten(assay: Assay) -> None:
    """A second call says so."""
    assert assay("new", "mine", "--api", "ecrypt-ssyn").code == 0
    done = assay("new", "mine", "--api", "ecrypt-ssyn")
    assert done.code == 2
    assert "is there already" in done.err


def test_the_templates_are_those_that_the_harness_has() -> None:
    """They come along in a wheel: the harness does."""
    folder = ROOT / "src" / "assay" / "harness" / "api"
    assert all("[edit]" in (folder / f"{api}.h").read_text() for api in STREAMS)
