# SPDX-License-Identifier: MIT
"""Packages of the SUPERCOP API, in the layouts of SUPERCOP, NIST, PQClean, liboqs and libjade."""
