# SPDX-License-Identifier: MIT
"""Known answers: files of NIST, ACVP and Wycheproof, and their comparison with packages.

`read.read_answers` reads a file of any of the formats, `verify.verify` compares it with
what a package computes. docs/reference/known-answers.md describes both.
"""
