# SPDX-License-Identifier: MIT
"""Notes on machine codes: kept by code and kind, replaced, and taken away."""

from pathlib import Path

from assay.model.notes import Dropped, Unreached
from assay.store import Store
from assay.store.rows import Notes, ObjectKey

KEY = ObjectKey("0a" * 12, "submissions/x/ref", 1, "native", "harness")
OTHER = ObjectKey("0a" * 12, "submissions/x/ref", 2, "native", "harness")


def test_a_note_belongs_to_one_code_and_kind(tmp_path: Path) -> None:
    """Another variant with the same code has none; a second note replaces the first."""
    dropped = Dropped(2, 31.5, "gcc_native_O3", "0b", 3)
    unreached = Unreached(1.0, None, "agility", 50, "that is the bound")
    with Store.create(tmp_path) as store:
        notes = Notes(store)
        notes.put(KEY, Dropped(1, 2.0, "gcc_native_O2", "0b", 1))
        notes.put(KEY, dropped)
        notes.put(KEY, unreached)
    with Store.open(tmp_path, read_only=True) as store:
        assert Notes(store).all(Dropped) == {KEY: dropped}
        assert Notes(store).all(Unreached) == {KEY: unreached}


def test_a_forgotten_note_is_gone_and_others_stay(tmp_path: Path) -> None:
    """Whoever measures in full takes the mark of the race away."""
    with Store.create(tmp_path) as store:
        notes = Notes(store)
        for key in (KEY, OTHER):
            notes.put(key, Dropped(1, 2.0, "gcc_native_O2", "0b", 1))
        notes.forget(KEY, Dropped)
        assert set(notes.all(Dropped)) == {OTHER}
