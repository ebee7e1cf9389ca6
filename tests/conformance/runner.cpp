// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/runner.h"

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "tests/conformance/verbs.h"

namespace bulkhead::conformance {
namespace {

constexpr const char* kStatus = "/sys/fs/resctrl/info/last_cmd_status";
// Nothing tells when a workqueue of the kernel has run. On a busy machine it may be late.
constexpr unsigned kMoreMoments = 50;

std::string without_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool fits(const Expectation& expected, const std::string& text) {
  switch (expected.match) {
    case Match::none:
      return true;
    case Match::equal:
      return without_newline(text) == expected.text;
    case Match::contains:
      return text.find(expected.text) != std::string::npos;
    case Match::lacks:
      return text.find(expected.text) == std::string::npos;
  }
  return false;
}

// Task ids are different on each host, so that names stand for them in reports, too.
bool needs(const CaseFile& file, const Case& each, Ability ability) {
  for (const auto* operations : {&file.setup, &each.operations}) {
    for (const Operation& operation : *operations) {
      if (find_verb(operation.verb)->needs == ability) return true;
      if (ability == Ability::users && operation.as_nobody) return true;
      const bool writes = operation.verb == "write" || operation.verb == "write-open";
      if (ability == Ability::empty_writes && writes && operation.arguments[1].empty()) return true;
    }
  }
  return false;
}

}  // namespace

void check_operations(const CaseFile& file) {
  const auto check = [&](const Operation& operation) {
    const Verb* verb = find_verb(operation.verb);
    const bool fitting = verb != nullptr && verb->arguments == operation.arguments.size();
    if (fitting) return;
    const std::string what = verb == nullptr
                                 ? "no such operation: " + operation.verb
                                 : operation.verb + " takes " + counted(verb->arguments, "argument") +
                                       ", not " + std::to_string(operation.arguments.size());
    throw Error(Error(ErrorCode::invalid, what).set_place(file.name, operation.line, 1, {}));
  };
  for (const Operation& operation : file.setup) check(operation);
  for (const Case& each : file.cases) {
    for (const Operation& operation : each.operations) check(operation);
  }
}

std::string Runner::replaced(std::string text) const {
  for (auto name = names_.rbegin(); name != names_.rend(); ++name) {  // $P10 before $P1
    const std::string mark = '$' + name->first;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += name->second.size()) {
      text.replace(at, mark.size(), name->second);
    }
  }
  return text;
}

Outcome Runner::act(const Operation& operation) {
  const Verb& verb = *find_verb(operation.verb);
  Arguments arguments;
  const std::size_t first = verb.names_task ? 1 : 0;
  for (std::size_t index = first; index < operation.arguments.size(); ++index) {
    arguments.push_back(replaced(operation.arguments[index]));
  }
  if (operation.as_nobody) host_.act_as_nobody(true);
  Outcome outcome = verb.act(host_, arguments);
  if (operation.as_nobody) host_.act_as_nobody(false);
  if (verb.names_task) names_[operation.arguments[0]] = outcome.text;
  return outcome;
}

std::optional<std::string> Runner::play(const CaseFile& file, const Operation& operation) {
  std::optional<std::string> failure = play_once(file, operation);
  const Verb& verb = *find_verb(operation.verb);
  if (verb.effect != Effect::none) put_off_ = verb.effect == Effect::put_off;
  for (unsigned left = kMoreMoments; failure && put_off_ && verb.effect == Effect::none && left > 0; --left) {
    host_.settle();
    failure = play_once(file, operation);
  }
  return failure;
}

std::optional<std::string> Runner::play_once(const CaseFile& file, const Operation& operation) {
  const Outcome got = act(operation);
  Expectation expected = operation.expected;
  expected.text = replaced(expected.text);
  Expectation came{got.error, std::nullopt, expected.match == Match::none ? Match::none : Match::equal,
                   without_newline(got.text)};
  bool fine = got.error == expected.error && (got.error != 0 || fits(expected, got.text));
  if (expected.status) {
    expected.status = replaced(*expected.status);
    came.status = without_newline(host_.read(kStatus).text);
    fine = fine && came.status == expected.status;
  }
  if (fine) return std::nullopt;
  return file.name + ':' + std::to_string(operation.line) + ": " + operation.source + ": expected " +
         describe(expected) + ", got " + describe(came);
}

Report Runner::run(const CaseFile& file, const Case& each) {
  for (const Ability ability :
       {Ability::mounting, Ability::counters, Ability::users, Ability::affinity, Ability::empty_writes}) {
    if (!host_.can(ability) && needs(file, each, ability)) {
      return {Verdict::skipped, file.name + ": " + in_quotes(each.name)};
    }
  }
  try {
    host_.clean();
  } catch (Error& error) {
    throw std::move(error.add_context("cleaning up after " + in_quotes(last_case_)));
  }
  last_case_ = each.name;
  names_.clear();
  put_off_ = false;
  names_["self"] = host_.self().text;
  for (const auto* operations : {&file.setup, &each.operations}) {
    for (const Operation& operation : *operations) {
      if (auto failure = play(file, operation)) {
        return {Verdict::failed, *failure + " (" + in_quotes(each.name) + ')'};
      }
    }
  }
  return {};
}

}  // namespace bulkhead::conformance
