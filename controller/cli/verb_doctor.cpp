// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/cli/json_text.h"
#include "controller/cli/verbs.h"
#include "controller/engine/journal.h"
#include "controller/engine/state.h"
#include "controller/host/counter_json.h"
#include "controller/host/doctor.h"
#include "controller/host/gather.h"
#include "controller/kernel/paths.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

std::string text_of(const std::vector<HostFinding>& findings, const Style& style) {
  std::string text;
  for (const HostFinding& finding : findings) {
    constexpr Paint kCheckPaints[] = {Paint::good, Paint::plain, Paint::warning, Paint::bad};
    const std::string level = padded(to_string(finding.level), 9);
    text += paint(style, kCheckPaints[static_cast<std::size_t>(finding.level)], level);
    text += wrapped(finding.what, style.width - 9, std::string(9, ' ')) + '\n';
    if (!finding.remedy.empty())
      text += "         > " + wrapped(finding.remedy, style.width - 11, std::string(11, ' ')) + '\n';
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<HostFinding>& findings, bool usable,
                               const CounterFacts& counters) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const HostFinding& finding : findings) {
    list.push_back({{"level", to_string(finding.level)}, {"what", finding.what}, {"remedy", finding.remedy}});
  }
  return {{"usable", usable}, {"findings", list}, {"counters", counters_json(counters)}};
}

// What earlier runs left, which doctor looks at without touching it.
void read_memory(HostFacts& facts, const std::string& directory) {
  const Store store(directory);
  try {
    Store journal_store(directory);
    if (const auto journal = Journal(journal_store).read()) facts.interrupted = journal->action;
    const State state = read_state(store);
    if (!state.policy_text.empty()) facts.policy_in_force = state.policy_file;
    facts.classes = state.classes;
  } catch (const Error& error) {
    facts.memory_problem = error.what();
  }
}

}  // namespace

int run_doctor(Call& call) {
  const auto files = make_linux_file_system();
  HostFacts facts = gather_host(*files);
  read_memory(facts,
              call.options.runtime_dir.empty() ? std::string(paths::kRuntime) : call.options.runtime_dir);
  const std::vector<HostFinding> findings = examine(facts);
  const bool usable = can_apply(findings);
  call.console.out += call.options.json ? json_text(to_json(findings, usable, facts.counters))
                                        : text_of(findings, call.style());
  if (!call.options.json) {
    const std::string text(conclusion(facts, findings));
    call.console.out += hanging(text, call.style().width) + '\n';
  }
  return usable ? 0 : exit_status(ErrorCode::unsupported);
}

}  // namespace bulkhead
