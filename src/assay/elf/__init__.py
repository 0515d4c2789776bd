# SPDX-License-Identifier: MIT
"""Reading object code: one set of limits and errors over pyelftools."""
