// SPDX-License-Identifier: Apache-2.0
// The words of a line of a case file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::conformance {

struct Word {
  std::string text;
  bool quoted = false;  // a quoted one is never a keyword
  bool is(std::string_view keyword) const { return !quoted && text == keyword; }
};

// Words are separated by blanks. "..." takes \n, \t, \0, \" and \\; 3*"x" repeats, + joins with the next
// word; an unquoted # begins a comment. Throws Error(invalid) for what is not closed or not known.
std::vector<Word> words_of(std::string_view line);

std::string in_quotes(std::string_view text);  // as it would stand in a case file

}  // namespace bulkhead::conformance
