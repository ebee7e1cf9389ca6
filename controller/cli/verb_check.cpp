// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/api/error_json.h"
#include "controller/base/error.h"
#include "controller/cli/document.h"
#include "controller/cli/experiment_files.h"
#include "controller/cli/json_text.h"
#include "controller/cli/verbs.h"
#include "policies/diagnostics_json.h"
#include "policies/document_kind.h"
#include "policies/quote.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

struct Checked {
  std::string file;
  std::vector<Diagnostic> diagnostics;
  std::optional<ErrorDetail> unreadable;
  std::string error_text;
};

// An experiment is followed by the policies of its arms.
void check(const std::string& name, std::vector<Checked>& files) {
  try {
    PolicySource source = read_document(name);
    if (kind_of(source.text) == DocumentKind::policy) {
      files.push_back({.file = source.file, .diagnostics = read_policy(source.text).diagnostics});
      return;
    }
    ExperimentFiles all = read_experiment_files(std::move(source));
    files.push_back({.file = all.source.file, .diagnostics = std::move(all.diagnostics)});
    for (PolicyFile& policy : all.policies) {
      files.push_back({.file = policy.source.file, .diagnostics = std::move(policy.reading.diagnostics)});
    }
  } catch (const Error& error) {
    files.push_back({.file = name, .unreadable = error.detail(), .error_text = error.what()});
  }
}

Json to_json(const std::vector<Checked>& files, bool valid) {
  Json list = Json::array();
  for (const Checked& file : files) {
    Json entry{{"file", file.file},
               {"valid", file.diagnostics.empty() && !file.unreadable},
               {"diagnostics", diagnostics_json(file.file, file.diagnostics)}};
    if (file.unreadable) entry["error"] = error_json(*file.unreadable);
    list.push_back(std::move(entry));
  }
  return {{"valid", valid}, {"files", list}};
}

}  // namespace

int run_check(Call& call) {
  std::vector<Checked> files;
  bool wrong = false;
  int unreadable = 0;
  for (const std::string& name : call.arguments) check(name, files);
  for (const Checked& file : files) {
    if (file.unreadable) unreadable = exit_status(file.unreadable->code);
    wrong = wrong || !file.diagnostics.empty();
  }
  if (call.options.json) {
    call.console.out += json_text(to_json(files, !wrong && unreadable == 0));
  } else {
    for (const Checked& file : files) {
      if (file.unreadable) {
        call.console.notice(file.error_text);
      } else if (file.diagnostics.empty()) {
        call.console.out += printable(file.file) + ": valid\n";
      } else {
        call.console.out += render(file.file, file.diagnostics);
      }
    }
  }
  return wrong ? exit_status(ErrorCode::invalid) : unreadable;
}

}  // namespace bulkhead
