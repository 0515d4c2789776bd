# SPDX-License-Identifier: MIT
"""What holds for every test."""

import os
import signal

from hypothesis import settings

# No test asserts a time, Hypothesis included: the machines are shared.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")

# A runner that was started in the background hands on "ignore Ctrl-C" to all it starts, and
# the tests that interrupt a command would wait for ever. What we start shall hear of it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What a command prints depends on the width that it is told; a runner's own is none of ours.
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(name, None)
