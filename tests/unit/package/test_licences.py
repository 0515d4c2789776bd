# SPDX-License-Identifier: MIT
"""The licences that the files of packages state."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.list import command
from assay.package.licences import named

GPL = (
    "Copyright 2001. Version 1.1 of this code.\n * This program is free software; you can "
    "redistribute it and/or modify\n * it under the terms of the GNU General Public License as "
    "published by\n * the Free Software Foundation; either version 2 of the License, or later"
)
LESSER = "GNU LESSER GENERAL PUBLIC LICENSE\n Version 2.1, February 1999"
BSD = "Redistribution and use in source and binary forms, with or without\n// modification"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/* SPDX-License-Identifier: CC0-1.0 */", ("CC0-1.0",)),
        ("# SPDX-License-Identifier: (Apache-2.0 OR MIT)\n", ("(Apache-2.0 OR MIT)",)),
        (GPL, ("GPL-2.0",)),
        (LESSER, ("LGPL-2.1",)),
        (BSD, ("BSD-2-Clause",)),
        (f"{BSD}\n// 3. Neither the name of the author", ("BSD-3-Clause",)),
        ("Permission is hereby granted, free of charge, to any person", ("MIT",)),
        ("D. J. Bernstein\nPublic domain.", ("public domain",)),
        ("All rights reserved.", ()),
    ],
)
def test_a_text_names_its_licence(text: str, found: tuple[str, ...]) -> None:
    """By its identifier, or by words that no other has; a program's own version is none."""
    assert named(text) == found


def listed(tree: Path, *more: str) -> str:
    """Return what the command prints of a tree."""
    words = ["--licences", "--tree", str(tree), *more]
    return CliRunner().invoke(command, words, catch_exceptions=False).output


def test_a_file_above_speaks_for_folders_that_say_nothing(tmp_path: Path) -> None:
    """The nearest one, and only where the package's own files state nothing."""
    folder = tmp_path / "crypto_hash/toy"
    for name, text in (("silent", ""), ("own", "/* Public domain. */")):
        (folder / name).mkdir(parents=True)
        (folder / name / "api.h").write_text(text)
    (folder / "LICENSE").write_text("CC0 1.0 Universal")
    (tmp_path / "LICENSE").write_text(GPL)
    rows = {
        line.split()[0]: line.split("operation")[1].strip()
        for line in listed(tmp_path).splitlines()
    }
    assert rows == {"crypto_hash/toy/own": "public domain", "crypto_hash/toy/silent": "CC0-1.0"}
    own, silent = json.loads(listed(tmp_path, "--json"))
    assert own["licences"] == {"public domain": ["api.h"]}
    assert silent["licences"] == {"CC0-1.0": ["../LICENSE"]}


def test_a_package_without_any_statement_says_so(tmp_path: Path) -> None:
    """Nobody may use it then, which a reader should see."""
    (tmp_path / "crypto_hash/toy/ref").mkdir(parents=True)
    (tmp_path / "crypto_hash/toy/ref/api.h").write_text("")
    assert listed(tmp_path).split("operation")[1].strip() == "none stated"
