// SPDX-License-Identifier: Apache-2.0
// Every verb and every option of the program as data: parsing, help and the manual's check follow from it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/cli/console.h"

namespace bulkhead {

struct Options {
  bool help = false;
  bool json = false;
  ColorChoice color = ColorChoice::automatic;
  std::string machine;  // empty: this host
  bool yes = false;
  bool dry_run = false;
  bool mount = false;
  std::string runtime_dir;
  std::string actuator = "auto";             // one of kActuatorNames
  std::uint64_t ccd_bandwidth = 0;           // bytes a second; 0: not said
  std::chrono::milliseconds duration{0};     // 0: one look
  std::chrono::milliseconds interval{1000};  // between two looks
  bool once = false;
  std::string output;                    // where results go; empty: here
  std::chrono::milliseconds timeout{0};  // for the daemon's answers; 0: as usual
};

struct Option {
  std::string_view name;      // without "--"
  std::string_view argument;  // what follows it, "FILE"; empty for a flag
  std::string_view summary;
  void (*set)(Options& options, const std::string& value);  // throws Error(usage)
};

struct Verb;

// One run of a verb.
struct Call {
  const Verb& verb;
  Options options;
  std::vector<std::string> arguments;
  Console& console;

  Style style() const { return console.style(options.color); }
};

struct Verb {
  static constexpr std::size_t kAnyNumber = ~std::size_t{0};

  std::string_view name;
  std::string_view arguments;  // "FILE..."
  std::size_t fewest = 0, most = 0;
  std::string_view summary;
  std::span<const Option* const> options;
  int (*run)(Call& call);  // gives the exit status
};

std::span<const Verb> verbs();
const Verb* find_verb(std::string_view name);

int run_doctor(Call& call);
int run_topology(Call& call);
int run_check(Call& call);
int run_plan(Call& call);
int run_apply(Call& call);
int run_verify(Call& call);
int run_status(Call& call);
int run_watch(Call& call);
int run_reset(Call& call);
int run_experiment(Call& call);
int run_help(Call& call);

}  // namespace bulkhead
