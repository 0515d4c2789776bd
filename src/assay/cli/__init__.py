# SPDX-License-Identifier: MIT
"""The command line: one thin module per command, over a usable library."""
