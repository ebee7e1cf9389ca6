// SPDX-License-Identifier: Apache-2.0
// "l3" and "bandwidth", of services and classes: how much cache and memory bandwidth.
#pragma once

#include "policies/keywords.h"
#include "policies/policy.h"

namespace bulkhead {

void read_cache_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                     CacheWant& want);
void read_bandwidth_amount(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                           BandwidthAmount& amount);
void read_bandwidth_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                         BandwidthWant& want);

}  // namespace bulkhead
