// SPDX-License-Identifier: Apache-2.0
// "cpus" and "memory" of a service: which CPUs, and whose memory.
#pragma once

#include "policies/keywords.h"
#include "policies/policy.h"

namespace bulkhead {

void read_cpu_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want);
void read_memory_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                      MemoryWant& want);

// Whether the want keeps only some of the CPUs that its choice names.
bool narrows(const CpuWant& want);

}  // namespace bulkhead
