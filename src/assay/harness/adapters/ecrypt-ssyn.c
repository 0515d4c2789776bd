/* SPDX-License-Identifier: MIT */
/* Adapter: a package of the API `ecrypt-ssyn`, seen as a stream subject. */

#include "ecrypt-portable.h"
#include "ecrypt-ssyn.h"

#define ASSAY_API "ecrypt-ssyn"
#define ASSAY_FEEDS_BACK
#include "ecrypt.h"

const struct assay_stream_subject *assay_stream_subject(void) { return &subject; }
