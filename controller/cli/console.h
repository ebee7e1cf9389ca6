// SPDX-License-Identifier: Apache-2.0
// Standard output, error and input of the program. Output is gathered and written at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/cli/held_signals.h"
#include "controller/cli/style.h"

namespace bulkhead {

enum class ColorChoice { automatic, always, never };

class Console {
 public:
  std::string out;  // text for standard output that is not written yet

  bool documents_are_lines = false;  // JSON is printed one document a line
  // What has happened to the host, "web is in force": standard error is told where `out` cannot be written.
  std::string happened;

  // Of standard output. NO_COLOR and TERM=dumb count where the choice is left to us.
  Style style(ColorChoice choice) const;

  // Writes what is in `out`. Throws Error with the errno and "standard output" as path.
  void flush();

  // The same at the program's end; gives its exit status. Where the output cannot be written that is an
  // error, which is told with what has happened to the host.
  int finish(int status);

  // A line on standard error, "bulkhead: TEXT". What would steer the terminal is spelled out.
  void notice(std::string_view text) const;
  void diagnostics(std::string_view lines) const;  // standard error, as it is

  // From now on until the console goes away, which is when all has been told, signals that would end the
  // program wait.
  void hold_signals() { held_.emplace(); }

  bool can_ask() const;                       // somebody sits at standard input
  bool ask(std::string_view question) const;  // only "y" and "yes" are yes

 private:
  std::optional<HeldSignals> held_;
};

// Whether a locale's name ("de_DE.UTF-8") says that text is UTF-8.
bool names_utf8(std::string_view locale);

}  // namespace bulkhead
