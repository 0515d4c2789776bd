# SPDX-License-Identifier: MIT
"""Checks of keystream: all of it, in all ways, far on, and never twice."""
