# SPDX-License-Identifier: MIT
"""The object that the rules of the Shabal paper (Annex A) speak of, and looking into it."""
