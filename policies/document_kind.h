// SPDX-License-Identifier: Apache-2.0
// Policies and experiments are told apart by their first key, "bulkhead" or "experiment".
#pragma once

#include <string_view>

namespace bulkhead {

enum class DocumentKind { policy, experiment };

// Of a document that may be wrong; one of which nothing can be told counts as a policy.
DocumentKind kind_of(std::string_view text);

}  // namespace bulkhead
