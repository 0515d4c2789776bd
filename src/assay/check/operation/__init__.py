# SPDX-License-Identifier: MIT
"""Checks and measures of operations, SUPERCOP's 20 among them (kind `operation`)."""
