// SPDX-License-Identifier: Apache-2.0
// The process that libpqos runs in: Bulkhead's own program, started again with a word that says so. A child
// that is only forked would not do: the daemon has threads, and what they hold at that moment would be held
// in the child for ever.
#pragma once

#include <string_view>

namespace bulkhead {

inline constexpr std::string_view kPqosHelperWord = "--pqos-helper";

// Whether a program was started as the helper; its first word and how many it has.
inline bool is_pqos_helper(int count, const char* const* words) {
  return count == 2 && words[1] == kPqosHelperWord;
}

// Answers the requests of standard input, a socket, until it is closed; nothing is done any more once whoever
// started it has ended. Gives the exit status.
int run_pqos_helper();

}  // namespace bulkhead
