# SPDX-License-Identifier: MIT
"""What is asked of an implementation: per kind its checks, vectors and measures."""
