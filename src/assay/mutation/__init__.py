# SPDX-License-Identifier: MIT
"""Small changes of a package's source, and which of them no check notices."""
