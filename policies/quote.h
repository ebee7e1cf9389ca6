// SPDX-License-Identifier: Apache-2.0
// Words of a document in messages. A policy may come from anywhere and messages go to terminals: long words
// are cut; what would steer the terminal, or make text look like another, is spelled out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bulkhead {

// Longer words are cut, with "..." for the rest.
inline constexpr std::size_t kLongestQuote = 60;

// Control characters as \n, \u001b and so on, and likewise what cannot be seen but changes how the rest
// looks, such as marks of direction. Bytes that are no UTF-8 as \xff; the rest as it is.
std::string printable(std::string_view text);

// At most kLongestQuote bytes of it, never half a character, printable.
std::string shortened(std::string_view text);

// The same in double quotes, as JSON would have it.
std::string in_quotes(std::string_view text);

}  // namespace bulkhead
