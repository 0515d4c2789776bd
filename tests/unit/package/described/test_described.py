# SPDX-License-Identifier: MIT
"""Trees with a build of their own are described, and stay as they are."""

import glob
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.package.described.conftest import DESCRIPTION

from assay.errors import UsageError
from assay.model import BrokenPackage, Package
from assay.package.described.load import KNOWN, known_descriptions, known_for, load_described
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.package.trees import list_in_any_trees

Edit = Callable[[str, str], tuple[Found, ...]]


def places(found: tuple[Found, ...]) -> list[str]:
    """Name packages."""
    return [one.place for one in found]


def contents(tree: Path) -> dict[str, bytes]:
    """Return all files of a tree."""
    return {str(one): one.read_bytes() for one in tree.rglob("*") if one.is_file()}


@pytest.fixture
def described(tree: Path) -> Path:
    """Add a description to the tree."""
    (tree / "assay.toml").write_text(DESCRIPTION)
    return tree


@pytest.fixture
def edited(described: Path) -> Edit:
    """Give a function that loads the tree after a change of its description."""

    def edit(old: str, new: str) -> tuple[Found, ...]:
        assert old in DESCRIPTION
        (described / "assay.toml").write_text(DESCRIPTION.replace(old, new))
        return resolve((str(described),), described)

    return edit


def test_a_byte_order_mark_before_a_description_is_no_part_of_it(described: Path) -> None:
    """Editors of Windows write one."""
    (described / "assay.toml").write_bytes(b"\xef\xbb\xbf" + DESCRIPTION.encode())
    assert "crypto_hash/fnv64/plain" in places(resolve((str(described),), described))


def test_each_implementation_of_each_parameter_set_is_a_package(described: Path) -> None:
    """An alternative may be for some of the sets alone."""
    before = contents(described)
    found = resolve((str(described),), described)
    assert places(found) == [
        "crypto_hash/fnv64/plain",
        "crypto_hash/fnv64/other",
        "crypto_hash/fnv32/plain",
    ]
    first = found[0]
    assert isinstance(first, Package)
    assert first.sources == ("tree/src/digest.c", "tree/src/plain/step.c")
    assert first.details is not None
    assert dict(first.details.shared).keys() == {
        "api.h", "tree/include/fnv.h", "tree/include/step.h", "tree/src/digest.c",
        "tree/src/plain/step.c",
    }  # fmt: skip
    assert [one.name for one in first.details.answers] == ["fnv64_HASH_KAT.txt"]
    assert contents(described) == before


def test_dozens_of_parameter_sets_are_all_there(edited: Edit) -> None:
    """None is lost, whatever their number."""
    more = "".join(f'[set.n{number}]\nwords = {{ bits = "64" }}\n' for number in range(60))
    found = edited("[set.fnv32]", f"{more}[set.fnv32]")
    assert len(found) == 2 * 1 + 61
    assert len(set(places(found))) == len(found)
    assert all(isinstance(one, Package) for one in found)


def test_what_many_packages_have_in_common_is_looked_up_once(
    described: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A description of 10,000 parameter sets is read in seconds."""
    sets = "".join(f'[set.more{number}]\nwords = {{ bits = "64" }}\n' for number in range(50))
    (described / "assay.toml").write_text(DESCRIPTION + sets)
    patterns: list[str] = []
    real = glob.iglob

    def counted(pattern: str, *, root_dir: Path, recursive: bool) -> Iterator[str]:
        patterns.append(pattern)
        return real(pattern, root_dir=root_dir, recursive=recursive)

    monkeypatch.setattr(glob, "iglob", counted)
    found = load_described(described / "assay.toml")
    assert sum(isinstance(one, Package) for one in found) > 50
    assert len(set(patterns)) == len(patterns)


def test_a_description_is_read_anew_after_a_file_was_added(described: Path) -> None:
    """What was seen of a tree is forgotten with the call."""
    first = load_described(described / "assay.toml")[0]
    (described / "src" / "zz.c").write_text("int zz;\n")
    second = load_described(described / "assay.toml")[0]
    assert isinstance(first, Package)
    assert isinstance(second, Package)
    assert first.content_hash != second.content_hash


def test_a_description_may_lie_apart_from_its_tree(tree: Path, tmp_path: Path) -> None:
    """By its own name, or all of a folder."""
    folder = tmp_path / "descriptions"
    folder.mkdir()
    (folder / "mine.toml").write_text(f'root = "../{tree.name}"\n{DESCRIPTION}')
    by_name = resolve((str(folder / "mine.toml"),), tmp_path)
    assert places(by_name) == places(resolve((str(folder),), tmp_path))
    assert len(by_name) == 3


@pytest.mark.parametrize(
    ("pattern", "count"), [("fnv64", 2), ("*/plain", 2), ("crypto_hash/fnv32/*", 1)]
)
def test_a_pattern_behind_a_colon_chooses_packages(
    described: Path, pattern: str, count: int
) -> None:
    """By parameter set, by both names, or by the whole place."""
    assert len(resolve((f"{described}:{pattern}",), described)) == count


@pytest.mark.parametrize(
    ("names", "count"),
    [
        ((), 3),
        (("crypto_hash",), 3),
        (("fnv64",), 2),
        (("crypto_hash/fnv64",), 2),
        (("fnv32/plain", "fnv32/plain"), 1),
        (("*/plain",), 2),
    ],
)
def test_a_described_tree_is_a_tree_to_look_names_up_in(
    described: Path, tmp_path: Path, names: tuple[str, ...], count: int
) -> None:
    """Whether --tree names the tree or its description; names are as in SUPERCOP's trees."""
    for tree in (described, described / "assay.toml"):
        assert len(resolve(names, tmp_path, trees=Trees((tree,)))) == count
        found, listed = list_in_any_trees(names, (tree,))
        assert (len(found), listed) == (count, ())


def test_described_and_other_trees_are_looked_up_together(described: Path, tmp_path: Path) -> None:
    """What a tree lacks the other may have."""
    own = tmp_path / "supercop" / "crypto_hash" / "sha256" / "ref"
    own.mkdir(parents=True)
    (own / "api.h").write_text("#define CRYPTO_BYTES 32\n")
    (own / "hash.c").write_text("int crypto_hash() { return 0; }\n")
    both = Trees((described, tmp_path / "supercop"))
    assert len(resolve((), tmp_path, trees=both)) == 4
    assert len(resolve(("crypto_hash",), tmp_path, trees=both)) == 4
    assert len(resolve(("crypto_hash/sha256",), tmp_path, trees=both)) == 1
    found, listed = list_in_any_trees(("fnv64", "crypto_hash/sha256"), both.folders)
    assert (len(found), len(listed)) == (2, 1)


def test_a_description_in_a_folder_below_is_found(described: Path, tmp_path: Path) -> None:
    """Whoever names the folder above means it, too, beside packages of other layouts there.

    Files named api.h in the described tree are parts of its packages.
    """
    own = tmp_path / "beside" / "crypto_hash" / "sha256" / "ref"
    own.mkdir(parents=True)
    (own / "api.h").write_text("#define CRYPTO_BYTES 32\n")
    (own / "hash.c").write_text("int crypto_hash() { return 0; }\n")
    deep = tmp_path / "above" / "src"
    shutil.copytree(described, deep / "fnv")
    shutil.copytree(tmp_path / "beside", deep / "other")
    (deep / "fnv" / "part").mkdir()
    shutil.copy(own / "api.h", deep / "fnv" / "part")
    for found in (resolve(("above",), tmp_path, cwd=tmp_path),
                  resolve((), tmp_path, trees=Trees((tmp_path / "above",)))):  # fmt: skip
        assert len(found) == 4
        assert {"crypto_hash/sha256/ref", "crypto_hash/fnv32/plain"} <= set(places(found))
    some = resolve(("above:fnv32/plain",), tmp_path, cwd=tmp_path)
    assert places(some) == ["crypto_hash/fnv32/plain"]


def test_a_part_of_a_described_tree_names_the_tree(described: Path, tmp_path: Path) -> None:
    """It has no package of its own; nor has a folder without a description some to choose of."""
    (described / "more").mkdir()
    with pytest.raises(UsageError, match="no package in") as caught:
        resolve(("more",), tmp_path, cwd=described)
    assert f"It is a part of {described}" in caught.value.cure
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"no assay\.toml in .*empty or below") as caught:
        resolve(("empty:fnv32",), tmp_path, cwd=tmp_path)
    assert "assay init empty" in caught.value.cure


def test_a_name_that_a_described_tree_lacks_is_refused(described: Path, tmp_path: Path) -> None:
    """Nothing else is looked up in its place."""
    with pytest.raises(UsageError, match="unknown package 'crypto_hash/fnv65'") as caught:
        resolve(("crypto_hash/fnv65",), tmp_path, trees=Trees((described,)))
    assert "fnv64" in caught.value.cure
    with pytest.raises(UsageError, match="unknown package 'fnv65'"):
        list_in_any_trees(("fnv65",), (described,))


def test_a_sample_is_drawn_of_described_packages(described: Path, tmp_path: Path) -> None:
    """A smaller one is a part of a larger one, and the seed decides."""
    chosen = [
        {one.place for one in resolve((str(described),), tmp_path, trees=Trees((), count, 1))}
        for count in (1, 2, 3)
    ]
    assert [len(one) for one in chosen] == [1, 2, 3]
    assert chosen[0] < chosen[1] < chosen[2]


def test_a_pattern_that_fits_nothing_is_refused_with_what_there_is(described: Path) -> None:
    """A typing error is no empty answer."""
    with pytest.raises(UsageError) as caught:
        resolve((f"{described}:fnv65",), described)
    assert "no package 'fnv65'" in str(caught.value)
    assert "fnv64/plain" in caught.value.cure


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("[constants]", "[constants", 9, "no TOML"),
        ("include =", "includes =", 4, "'includes' is no key"),
        ('"crypto_hash"', '"crypto_hasch"', 2, "no operation 'crypto_hasch'"),
        ('["include"]', '"include"', 4, "include is no list"),
        ("crypto_hash = ", "crypto_hashes = ", 13, "no function 'crypto_hashes'"),
        ('sets = ["fnv64"]', 'sets = ["fnv46"]', 26, "no parameter set 'fnv46'"),
        ('"FNV_BITS={bits}"', '"-DFNV_BITS"', 6, "defines no macro"),
        ("[set.fnv64]", '[set."fnv/64"]', 15, "no table with a plain name"),
        ('["include"]', '["in\\u0000clude"]', 4, "include is no list of texts"),
        ("operation =", "marks = 1\noperation =", 2, "marks is no list of texts"),
    ],
)
def test_errors_in_a_description_have_line_and_cure(
    edited: Edit, old: str, new: str, line: int, says: str
) -> None:
    """Nothing is loaded of a description with an error."""
    with pytest.raises(UsageError) as caught:
        edited(old, new)
    assert f"assay.toml:{line}: " in str(caught.value)
    assert says in str(caught.value)
    assert caught.value.cure


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('["src/*.c"]', '["source/*.c"]', 5, "'source/*.c' in sources matches no file"),
        ('["src/*.c"]', '["../elsewhere/*.c"]', 5, "outside of the tree"),
        ('["src/*.c"]', '["/etc/passwd"]', 5, "outside of the tree"),
        ('["include"]', '["includes"]', 4, "no folder 'includes'"),
        ('"include/fnv.h"', '"include/fnw.h"', 3, "'include/fnw.h' in header matches no file"),
        ('["kat/fnv{bits}_', '["kats/fnv{bits}_', 7, "in answers matches no file"),
    ],
)
def test_what_does_not_fit_the_tree_breaks_the_packages_alone(
    edited: Edit, old: str, new: str, line: int, says: str
) -> None:
    """Each is there with the reason, so that none vanishes from a count."""
    found = edited(old, new)
    assert len(found) == 3
    for one in found:
        assert isinstance(one, BrokenPackage)
        assert f"assay.toml:{line}: " in one.reason
        assert says in one.reason
        assert one.cure


def test_a_function_on_the_line_of_its_table_has_that_line(tmp_path: Path) -> None:
    """Tables may be written in braces."""
    path = tmp_path / "mine.toml"
    lines = ('operation = "crypto_hash"', 'functions = { crypto_hsh = "x" }', "[set.one]", "")
    path.write_text("\n".join(lines))
    with pytest.raises(UsageError) as caught:
        load_described(path)
    assert "mine.toml:2: crypto_hash has no function 'crypto_hsh'" in str(caught.value)


def test_a_misspelled_key_is_met_with_the_one_that_was_meant(edited: Edit) -> None:
    """The list of all keys is long."""
    with pytest.raises(UsageError) as caught:
        edited("sources =", "source =")
    assert caught.value.cure.startswith("Did you mean sources? Keys are ")


def test_files_that_upstream_generates_are_asked_for_with_its_command(edited: Edit) -> None:
    """The description has the command; Assay does not run it."""
    found = edited(
        '["src/*.c"]', '["src/*.c", "build/params.c"]\ngenerated = { "build/params.c" = "make p" }'
    )
    assert isinstance(found[0], BrokenPackage)
    assert "upstream's build makes it" in found[0].reason
    assert found[0].cure == "Run `make p` in the tree."


def test_links_that_leave_the_tree_are_refused(described: Path, tmp_path: Path) -> None:
    """A description cannot bring in files of the user."""
    (tmp_path / "secret.c").write_text("int secret;\n")
    (described / "src/secret.c").symlink_to(tmp_path / "secret.c")
    found = resolve((str(described),), described)
    assert isinstance(found[0], BrokenPackage)
    assert "src/secret.c leads out of the tree" in found[0].reason


def test_a_tree_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A description apart from its tree may outlive it."""
    path = tmp_path / "mine.toml"
    path.write_text(f'root = "gone"\n{DESCRIPTION}')
    with pytest.raises(UsageError) as caught:
        load_described(path)
    assert "mine.toml:1: the tree" in str(caught.value)


def test_another_define_is_another_package(edited: Edit) -> None:
    """Results of one are none of the other, though all files are the same."""
    one = edited("{bits}_HASH", "{bits}_HASH")[0]
    other = edited('"FNV_BITS={bits}"', '"FNV_BITS={bits}", "FAST"')[0]
    assert isinstance(one, Package)
    assert isinstance(other, Package)
    assert one.content_hash != other.content_hash


def test_trees_that_are_known_need_no_description(tmp_path: Path) -> None:
    """They are recognised by files that no other has."""
    for one in known_descriptions():
        root = tmp_path / one.path.stem
        assert known_for(root) is None
        for mark in one.marks:
            (root / mark).parent.mkdir(parents=True, exist_ok=True)
            (root / mark).touch()
        assert known_for(root) is one


def test_shipped_descriptions_say_where_and_with_what_they_were_tested() -> None:
    """Whoever has another version knows what to compare."""
    assert {one.path.stem for one in known_descriptions()} >= {"mlkem-native", "mldsa-native"}
    for path in KNOWN.glob("*.toml"):
        text = path.read_text()
        assert 'upstream = "https://' in text, path
        assert len(text.split('tested = "')[1].split('"')[0]) == 40, path
