# SPDX-License-Identifier: MIT
"""Executing the object instruction by instruction, in an emulator, in the jail.

`machines` knows calling conventions, `walk` makes the program and asks, and
`runner` is what runs in the jail: it imports nothing of Assay and gives facts only.
"""
