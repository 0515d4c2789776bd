/* SPDX-License-Identifier: MIT */

/* ecrypt-portable.h - the one of the eSTREAM framework. */

#include "../../api/ecrypt-portable.h"
