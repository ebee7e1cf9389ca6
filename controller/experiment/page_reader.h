// SPDX-License-Identifier: Apache-2.0
// Fetches a page of metrics: over plain HTTP, or from a file. A source that is dead, slow or endless is a
// reason, never an exception and never a wait without end.
#pragma once

#include <chrono>
#include <string>

namespace bulkhead {

struct PageText {
  std::string text;
  std::string why_none;                      // exactly where there is no text
  std::chrono::steady_clock::time_point at;  // when it was asked for
};

inline constexpr std::chrono::seconds kPagePatience{2};

// `page`: http://HOST[:PORT][/PATH], or a path, relative to `folder`.
PageText read_page(const std::string& page, const std::string& folder,
                   std::chrono::milliseconds patience = kPagePatience);

}  // namespace bulkhead
