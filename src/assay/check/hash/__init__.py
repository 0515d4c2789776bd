# SPDX-License-Identifier: MIT
"""The kind `hash`: sessions, checks, vectors and measures."""
