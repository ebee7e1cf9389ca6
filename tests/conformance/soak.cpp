// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/soak.h"

#include <map>

#include "controller/base/text.h"
#include "tests/conformance/random_operations.h"
#include "tests/conformance/runner.h"
#include "tests/conformance/verbs.h"

namespace bulkhead::conformance {
namespace {

constexpr unsigned kGroupsBetweenWaits = 60;  // ids of removed groups must not run out

class Recorder {
 public:
  explicit Recorder(const Soak& soak)
      : host_(shape_of(soak.host, soak.kernel.generation)),
        runner_(host_),
        random_(soaked(soak), soak.seed) {}

  std::string record(std::size_t operations) {
    for (std::size_t count = 0; count < operations; ++count) {
      const Operation operation = random_.next();
      const bool done = record(operation) == 0;
      if (done && random_.changes_cpusets(operation)) record_cpusets();
    }
    for (const Operation& last : random_.ending()) record(last);
    return std::move(text_);
  }

 private:
  static SoakHost soaked(const Soak& soak) {
    SoakHost host = soak_host(soak.host);
    host.exclusive_cpus = soak.kernel.generation != sim::Generation::linux_6_1;
    return host;
  }

  // What a change does to other cpusets is seen at once, not only where chance reads it later.
  void record_cpusets() {
    for (const Operation& read : random_.cpuset_reads()) {
      if (host_.read(read.arguments[0]).error == 0) record(read);
    }
  }

  int record(const Operation& operation) {
    const Outcome outcome = runner_.act(operation);
    random_.happened(operation, outcome.error);
    if (find_verb(operation.verb)->names_task) ids_[outcome.text] = operation.arguments[0];
    text_ += "  " + operation.verb;
    const std::string& path = operation.arguments[0];
    for (const std::string& argument : operation.arguments) {
      text_ += ' ' + (plain(argument) ? argument : in_quotes(argument));
    }
    const bool reads = operation.verb == "read" || operation.verb == "list";
    if (reads && outcome.error == 0) {
      text_ += " = " + in_quotes(with_names(path, without_newline(outcome.text)));
    } else {
      text_ += " -> " + errno_name(outcome.error);
      if (path.starts_with(kResctrl)) text_ += ' ' + in_quotes(status());
    }
    text_ += '\n';
    pause_after(operation, outcome.error);
    return outcome.error;
  }

  static bool plain(const std::string& argument) {
    return !argument.empty() && argument.find_first_of(" \n\"#") == std::string::npos;
  }

  static std::string without_newline(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

  std::string status() {
    const std::string text = without_newline(host_.read(kResctrl + "/info/last_cmd_status").text);
    // Only texts about tasks have their ids; numbers in others mean something else.
    if (text.find("task ") == std::string::npos && text.find("pid ") == std::string::npos) return text;
    std::string named;
    for (const std::string_view line : split(std::string_view(text), '\n')) {
      named += (named.empty() ? "" : "\n") + words_named(line, ' ');
    }
    return named;
  }

  std::string with_names(const std::string& path, const std::string& text) const {
    return path.ends_with("/tasks") ? words_named(text, '\n') : text;
  }

  // Ids of tasks become their names.
  std::string words_named(std::string_view text, char separator) const {
    std::vector<std::string> words;
    for (const std::string_view word : split(text, separator)) {
      const auto found = ids_.find(std::string(word));
      words.push_back(found == ids_.end() ? std::string(word) : "$" + found->second);
    }
    const bool ends_with_separator = text.ends_with(separator);
    return join(words, std::string(1, separator)) + (ends_with_separator ? std::string(1, separator) : "");
  }

  void pause_after(const Operation& operation, int error) {
    if (error != 0) return;
    const bool group = operation.verb == "mkdir" && operation.arguments[0].starts_with(kResctrl);
    if (group && ++groups_made_ % kGroupsBetweenWaits == 0) {
      text_ += "  wait\n";
      host_.wait();
    }
    const bool cgroup_changes =
        !operation.arguments[0].starts_with(kResctrl) &&
        (operation.verb == "rmdir" ||
         (operation.verb == "write" && operation.arguments[0].ends_with("subtree_control")));
    if (!cgroup_changes) return;
    text_ += "  settle\n";
    record_cpusets();  // what comes next depends on these, and reads wait for what the kernel has put off
  }

  ModelHost host_;
  Runner runner_;
  RandomOperations random_;
  std::map<std::string, std::string> ids_;  // -> names
  unsigned groups_made_ = 0;
  std::string text_;
};

}  // namespace

std::string make_soak(const Soak& soak) {
  const std::string number = std::to_string(soak.operations);
  const std::string next =
      std::to_string(soak.kernel.version.major) + '.' + std::to_string(soak.kernel.version.minor);
  return "# " + number + " random operations from seed " + std::to_string(soak.seed) +
         ", and what the model of Linux " + next + " answers.\nhost " + soak.host + "\n\ncase \"soak\"\n" +
         Recorder(soak).record(soak.operations);
}

}  // namespace bulkhead::conformance
