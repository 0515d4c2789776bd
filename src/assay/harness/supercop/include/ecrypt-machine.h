/* SPDX-License-Identifier: MIT */

/* ecrypt-machine.h - the one of the eSTREAM framework. */

#include "../../api/ecrypt-machine.h"
