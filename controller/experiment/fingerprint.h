// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace bulkhead {

// The same for the same text: a name-based UUID (RFC 4122, version 5).
std::string fingerprint_of(std::string_view text);

// Facts about a host, as one JSON object.
std::string facts_text(const std::map<std::string, std::string>& facts);

}  // namespace bulkhead
