# SPDX-License-Identifier: MIT
"""What was read of a file or of a command's output: only its reader knows what it holds."""

from typing import Any

Json = dict[str, Any]
Entry = dict[str, Any]  # of a TOML file
