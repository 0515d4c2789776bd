# SPDX-License-Identifier: MIT
"""A keystream of more than 2^32 blocks, made twice in calls of different lengths."""
