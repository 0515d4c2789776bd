# SPDX-License-Identifier: MIT
"""What the settings of a repository may not do: name programs that git calls.

A repository that came in an archive has settings that its author wrote (git-config(1)).
"""

import re
import subprocess
from collections.abc import Mapping
from itertools import count
from pathlib import Path

_SECONDS = 60
_FILTER = re.compile(r"filter\..+\.(?:clean|smudge|process|required)", re.DOTALL)
ALWAYS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.alternateRefsCommand": "true",
    "core.sshCommand": "false",
    "log.showSignature": "false",  # which asks gpg.program
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "advice.detachedHead": "false",
}


def environment(folder: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Return variables with which git in a folder calls no program that its settings name.

    Nothing is fetched, either: an object that is not there would be, by any protocol.
    """
    found = {name: value for name, value in base.items() if not name.startswith("GIT_")}
    found |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    found |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
    settings = ALWAYS | {name: _off(name) for name in _filters(folder, found)}
    for number, (name, value) in zip(count(), settings.items(), strict=False):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return found | {"GIT_CONFIG_COUNT": str(len(settings))}


def _off(name: str) -> str:
    return "false" if name.endswith("required") else ""


def _filters(folder: Path, variables: Mapping[str, str]) -> list[str]:
    """Return the settings of filters that the repository has, those that it includes as well.

    The user's own, for large files, stay as they are.
    """
    listed: list[str] = []
    for scope in ("--local", "--worktree"):
        command = (
            "git",
            "-C",
            str(folder),
            "config",
            scope,
            "--includes",
            "--list",
            "--name-only",
        )
        done = subprocess.run(
            (*command, "--null"),
            capture_output=True,
            timeout=_SECONDS,
            env=dict(variables),
            check=False,
        )
        listed += done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in listed if _FILTER.fullmatch(name)})
