# SPDX-License-Identifier: MIT
"""The rules of the Shabal paper (Annex A): the object, its header, its instructions, each step.

`making` compiles the object that they speak of; `machines` knows calling conventions, `walk` makes
a program of the object and has it stepped through, and `runner` is what runs in the jail: it
imports nothing of Assay and gives facts only.
"""
