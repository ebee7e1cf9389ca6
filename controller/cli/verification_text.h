// SPDX-License-Identifier: Apache-2.0
// What `verify` found, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "controller/cli/verbs.h"

namespace bulkhead {

// Of a document as verification_json makes it.
std::string verification_text(const nlohmann::ordered_json& result, const Style& style);

// `verify --for`: looks again and again, and judges what counters and threads did meanwhile.
int run_verify_for(Call& call);

}  // namespace bulkhead
