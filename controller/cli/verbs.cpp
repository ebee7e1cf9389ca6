// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/verbs.h"

#include <algorithm>
#include <array>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/base/units.h"
#include "controller/engine/actuator_choice.h"
#include "policies/duration.h"

namespace bulkhead {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::string& value, std::string_view right) {
  throw Error(ErrorCode::usage,
              "'" + value + "' is not a value of --" + std::string(option) + ": use " + std::string(right));
}

void set_color(Options& options, const std::string& value) {
  if (value == "auto") {
    options.color = ColorChoice::automatic;
  } else if (value == "always") {
    options.color = ColorChoice::always;
  } else if (value == "never") {
    options.color = ColorChoice::never;
  } else {
    refuse("color", value, "auto, always or never");
  }
}

void set_actuator(Options& options, const std::string& value) {
  if (std::find(kActuatorNames.begin(), kActuatorNames.end(), value) == kActuatorNames.end()) {
    refuse("actuator", value, "auto, resctrl, pqos-msr or pqos-os");
  }
  options.actuator = value;
}

void set_ccd_bandwidth(Options& options, const std::string& value) {
  const auto rate = parse_rate(value);
  if (!rate || *rate == 0) refuse("ccd-bandwidth", value, "a rate like 40GB/s");
  options.ccd_bandwidth = *rate;
}

std::chrono::milliseconds duration_of(std::string_view option, const std::string& value) {
  const auto duration = parse_duration(value);
  if (!duration || duration->count() == 0)
    refuse(option, value, "a time like 60s, 500ms or 5m, at most an hour");
  return *duration;
}

void set_for(Options& options, const std::string& value) {
  options.duration = duration_of("for", value);
}

void set_every(Options& options, const std::string& value) {
  options.interval = duration_of("every", value);
}

void set_output(Options& options, const std::string& value) {
  if (value.empty()) refuse("output", value, "a directory");
  options.output = value;
}

void set_timeout(Options& options, const std::string& value) {
  options.timeout = duration_of("timeout", value);
}

void set_machine(Options& options, const std::string& value) {
  if (value.empty()) refuse("machine", value, "a machine file or the name of one");
  options.machine = value;
}

void set_runtime_dir(Options& options, const std::string& value) {
  if (!value.starts_with('/')) refuse("runtime-dir", value, "an absolute path");
  options.runtime_dir = value;
}

constexpr Option kHelp{"help", "", "show this help",
                       [](Options& options, const std::string&) { options.help = true; }};
constexpr Option kJson{"json", "", "print one JSON document instead of text",
                       [](Options& options, const std::string&) { options.json = true; }};
constexpr Option kColor{"color", "WHEN", "auto (on a terminal, unless NO_COLOR is set), always or never",
                        set_color};
constexpr Option kMachine{"machine", "FILE|NAME",
                          "for this machine instead of the host; nothing of the host is looked at",
                          set_machine};
constexpr Option kYes{"yes", "", "do not ask",
                      [](Options& options, const std::string&) { options.yes = true; }};
constexpr Option kDryRun{"dry-run", "", "change nothing, only show what would be done",
                         [](Options& options, const std::string&) { options.dry_run = true; }};
constexpr Option kMount{"mount", "", "mount resctrl if it is not mounted, with what the policy needs",
                        [](Options& options, const std::string&) { options.mount = true; }};
constexpr Option kActuator{"actuator", "WAY", "how groups are written: auto, resctrl, pqos-msr or pqos-os",
                           set_actuator};
constexpr Option kRuntimeDir{"runtime-dir", "DIR", "where the journal and the policy in force are kept",
                             set_runtime_dir};
constexpr Option kCcdBandwidth{
    "ccd-bandwidth", "RATE",
    "memory bandwidth that one CCD can get, 40GB/s; percents and rates are turned into the "
    "kernel's unit with it",
    set_ccd_bandwidth};

constexpr Option kFor{"for", "TIME", "look for that long, and judge counters and CPUs as well: 60s", set_for};
constexpr Option kEvery{"every", "TIME", "how often to look: 1s", set_every};
constexpr Option kOnce{"once", "", "look twice, so that there are rates, show that and end",
                       [](Options& options, const std::string&) { options.once = true; }};

constexpr Option kTimeout{"timeout", "TIME",
                          "how long to wait for the daemon's answer: 30s, and 5m for changes, by default",
                          set_timeout};

constexpr Option kOutput{"output", "DIR", "where the result and its report are written: here, by default",
                         set_output};

constexpr const Option* kPlainOptions[] = {&kJson, &kColor, &kHelp};
constexpr const Option* kTopologyOptions[] = {&kMachine, &kJson, &kColor, &kHelp};
constexpr const Option* kPlanOptions[] = {&kMachine, &kCcdBandwidth, &kActuator, &kRuntimeDir,
                                          &kJson,    &kColor,        &kHelp};
constexpr const Option* kApplyOptions[] = {&kYes,        &kDryRun,  &kMount, &kCcdBandwidth, &kActuator,
                                           &kRuntimeDir, &kTimeout, &kJson,  &kColor,        &kHelp};
constexpr const Option* kDoctorOptions[] = {&kActuator, &kRuntimeDir, &kJson, &kColor, &kHelp};
constexpr const Option* kStateOptions[] = {&kActuator, &kRuntimeDir, &kTimeout, &kJson, &kColor, &kHelp};
constexpr const Option* kVerifyOptions[] = {&kFor,  &kActuator, &kRuntimeDir, &kTimeout,
                                            &kJson, &kColor,    &kHelp};
constexpr const Option* kWatchOptions[] = {&kEvery,   &kFor,  &kOnce,  &kActuator, &kRuntimeDir,
                                           &kTimeout, &kJson, &kColor, &kHelp};
constexpr const Option* kResetOptions[] = {&kYes,  &kActuator, &kRuntimeDir, &kTimeout,
                                           &kJson, &kColor,    &kHelp};
constexpr const Option* kExperimentOptions[] = {&kYes,        &kDryRun,  &kOutput, &kCcdBandwidth, &kActuator,
                                                &kRuntimeDir, &kTimeout, &kJson,   &kColor,        &kHelp};

constexpr std::array kVerbs{
    Verb{"doctor", "", 0, 0, "what this host can do, what it cannot, and what to change", kDoctorOptions,
         run_doctor},
    Verb{"topology", "", 0, 0, "CCDs, nodes, CPUs and cache ways, as a picture", kTopologyOptions,
         run_topology},
    Verb{"check", "FILE...", 1, Verb::kAnyNumber,
         "every problem of policies and experiments; - is standard input", kPlainOptions, run_check},
    Verb{"plan", "FILE", 1, 1, "what a policy becomes, and what would have to change", kPlanOptions,
         run_plan},
    Verb{"apply", "FILE", 1, 1, "put a policy in force, in one transaction", kApplyOptions, run_apply},
    Verb{"verify", "", 0, 0, "whether the host is as planned, and behaves so", kVerifyOptions, run_verify},
    Verb{"watch", "", 0, 0, "live bandwidth, occupancy and who owns which ways", kWatchOptions, run_watch},
    Verb{"status", "", 0, 0, "the policy in force and its services", kStateOptions, run_status},
    Verb{"reset", "", 0, 0, "as before the first apply", kResetOptions, run_reset},
    Verb{"experiment", "ACTION [FILE]", 1, 2, "compare policies by data: run, search, status, stop, report",
         kExperimentOptions, run_experiment},
    Verb{"help", "[VERB]", 0, 1, "what the verbs do and take", kPlainOptions, run_help},
};

}  // namespace

std::span<const Verb> verbs() {
  return kVerbs;
}

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

}  // namespace bulkhead
