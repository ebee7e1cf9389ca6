// SPDX-License-Identifier: Apache-2.0
// What the results of methods look like: result-schemas.json, which the build embeds.
#pragma once

#include <string_view>

namespace bulkhead {

extern const std::string_view kResultSchemas;  // an object: JSON schemas by name

}  // namespace bulkhead
