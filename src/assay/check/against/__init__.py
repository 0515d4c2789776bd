# SPDX-License-Identifier: MIT
"""Two implementations of one API on the same random inputs, and the smallest that differs."""
