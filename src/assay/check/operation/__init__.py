# SPDX-License-Identifier: MIT
"""Checks and measures of the 20 operations of SUPERCOP (API `supercop`, kind `operation`)."""
