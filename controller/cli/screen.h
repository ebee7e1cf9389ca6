// SPDX-License-Identifier: Apache-2.0
// A terminal's whole screen for a while, drawn over and over; what was on it comes back. Where standard
// output is no terminal, one picture follows the other.
#pragma once

#include <string>

#include "controller/cli/console.h"

namespace bulkhead {

class Screen {
 public:
  Screen(Console& console, bool whole);  // whole: take the screen
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Lines that do not fit are left out, and that is said. Throws Error where standard output cannot be
  // written.
  void draw(const std::string& text);

 private:
  Console& console_;
  const bool whole_;
  bool first_ = true;
};

}  // namespace bulkhead
