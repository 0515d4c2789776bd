/* SPDX-License-Identifier: MIT */

/* valgrind/valgrind.h - as memcheck.h beside it. */

#include "memcheck.h"
