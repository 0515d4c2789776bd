/* SPDX-License-Identifier: MIT */

/* ecrypt-config.h - the one of the eSTREAM framework. */

#include "../../api/ecrypt-config.h"
