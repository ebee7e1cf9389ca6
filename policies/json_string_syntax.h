// SPDX-License-Identifier: Apache-2.0
// What is wrong inside a text in double quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "policies/problems.h"

namespace bulkhead {

struct StringFault {
  std::size_t offset = 0;
  Problem problem = Problem::open_string;
  std::string found, right;  // the problem's arguments, as many as its text has
};

// The first fault of the text that begins with the quote at `begin`. There must be one: the parser refused
// it.
StringFault find_string_fault(std::string_view text, std::size_t begin);

}  // namespace bulkhead
