# SPDX-License-Identifier: MIT
"""Primitives that the bench computes itself, in integers, to ask what random inputs do not."""
