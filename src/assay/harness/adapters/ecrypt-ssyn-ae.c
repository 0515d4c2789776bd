/* SPDX-License-Identifier: MIT */
/* Adapter: a package of the API `ecrypt-ssyn-ae`, seen as a stream subject. */

#include "ecrypt-portable.h"
#include "ecrypt-ssyn-ae.h"

#define ASSAY_API "ecrypt-ssyn-ae"
#define ASSAY_AUTHENTICATES
#define ASSAY_FEEDS_BACK
#include "ecrypt.h"

const struct assay_stream_subject *assay_stream_subject(void) { return &subject; }
