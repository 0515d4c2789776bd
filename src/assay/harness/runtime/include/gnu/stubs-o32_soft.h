/* SPDX-License-Identifier: MIT */
/* Debian has this header for hard float only; nothing in it is needed. */
