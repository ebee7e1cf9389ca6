// SPDX-License-Identifier: Apache-2.0
// The text below JSON's grammar: bytes, lines, blanks and comments.
#pragma once

#include <cstddef>
#include <string_view>

#include "policies/diagnostic.h"
#include "policies/diagnostic_list.h"

namespace bulkhead {

// Adds a problem and returns false where the bytes are no text at all: NUL, a byte order mark, invalid UTF-8.
bool check_bytes(std::string_view text, DiagnosticList& problems);

// Bytes of the character of UTF-8 that begins here; 0 if none does.
std::size_t character_length(std::string_view text, std::size_t at);

// The first byte from `from` on that is neither blank nor comment, or the text's size. A comment that is
// never closed is not passed over.
std::size_t skip_blanks(std::string_view text, std::size_t from);

// Whether a comment begins here.
bool begins_comment(std::string_view text, std::size_t at);

// How much of the beginning is a number as JSON writes it; 0 if nothing is.
std::size_t number_length(std::string_view text);

// Turns offsets into lines and columns; they may only grow, so that a whole document is counted once.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  Place place_of(std::size_t offset);  // without a pointer

 private:
  std::string_view text_;
  std::size_t counted_ = 0;  // bytes before this one are counted
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;  // offset of the line's first byte
};

}  // namespace bulkhead
