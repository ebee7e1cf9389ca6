// SPDX-License-Identifier: Apache-2.0
// The codec of schemata files: all paddings and line orders that kernels have used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/planner/plan.h"

namespace bulkhead {

// A schemata file's lines. Unknown resources (L2, later kernels' own) are skipped: they are not ours to
// judge. A pseudo-locked or "uninitialized" line is skipped too. Throws Error(invalid) for a line that is
// none.
Schemata parse_schemata(std::string_view text);

// The lines that make `now` into `wanted`: only domains that differ, a line a resource, each ending in a
// newline; empty if nothing differs. Masks lower-case hex without padding. One write(2) of it is one kernel
// transaction.
std::string render_schemata_change(const Schemata& now, const Schemata& wanted);

// `change` applied to `now`.
Schemata merged(const Schemata& now, const Schemata& change);

// What of `now` is in the domains that `wanted` names.
Schemata same_domains(const Schemata& now, const Schemata& wanted);

std::string_view resource_name(Resource resource);  // the kernel's: "L3", "L3CODE", "MB", "SMBA"

}  // namespace bulkhead
