// SPDX-License-Identifier: Apache-2.0
#include "policies/reader.h"

#include <utility>

#include "controller/base/error.h"
#include "policies/policy_checks.h"
#include "policies/quote.h"
#include "policies/service_reader.h"
#include "policies/value_reader.h"
#include "policies/verify_reader.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

struct PolicyDraft {
  Policy policy;
  std::vector<ServiceDraft> services;
};

void read_version(Problems& problems, const JsonValue& value, const Keyword&, PolicyDraft&) {
  if (value.text != "1") problems.add(value.place(), Problem::unknown_version, {shortened(value.text)});
}

void read_name(Problems& problems, const JsonValue& value, const Keyword&, PolicyDraft& draft) {
  if (!is_name(value.text)) problems.add(value.place(), Problem::wrong_name, {in_quotes(value.text)});
  draft.policy.name = value.text;
}

void read_services(Problems& problems, const JsonValue& value, const Keyword&, PolicyDraft& draft) {
  if (value.children.empty()) problems.add(value.place(), Problem::no_services);
  for (const JsonValue* service : value.children) draft.services.push_back(read_service(problems, *service));
}

void read_classes(Problems& problems, const JsonValue& value, const Keyword&, PolicyDraft& draft) {
  for (const JsonValue* one : value.children) draft.policy.classes.push_back(read_class(problems, *one));
}

constexpr Field<PolicyDraft> kPolicyFields[] = {
    {"$schema", [](Problems&, const JsonValue&, const Keyword&, PolicyDraft&) {}},
    {"bulkhead", read_version},
    {"name", read_name},
    {"summary", [](Problems&, const JsonValue& value, const Keyword&,
                   PolicyDraft& draft) { draft.policy.summary = value.text; }},
    {"services", read_services},
    {"classes", read_classes},
    {"verify", [](Problems& problems, const JsonValue& value, const Keyword&,
                  PolicyDraft& draft) { read_verify(problems, value, draft.policy.verify); }},
};

constexpr Keyword kWholePolicy{
    "", Accepts::object, Presence::required, "a policy", R"({"bulkhead": 1, "name": ..., "services": {...}})",
    ""};

Policy read_root(Problems& problems, const JsonValue& root) {
  PolicyDraft draft;
  if (!check_type(problems, root, kWholePolicy)) return {};
  if (root.find("experiment") != nullptr && root.find("bulkhead") == nullptr) {
    problems.add(root.place(), Problem::experiment_here);
    return {};
  }
  read_members<PolicyDraft>(problems, root, kPolicyTable, kPolicyFields, draft);
  check_together(problems, draft.services, draft.policy.classes);
  for (ServiceDraft& service : draft.services) {
    if (service.select) service.service.select = std::move(*service.select);
    draft.policy.services.push_back(std::move(service.service));
  }
  return std::move(draft.policy);
}

}  // namespace

PolicyReading read_policy(std::string_view text) {
  Problems problems;
  PolicyReading reading;
  const JsonDocument document = parse_document(text, problems);
  if (document.root() != nullptr) reading.policy = read_root(problems, *document.root());
  if (!problems.empty()) reading.policy.reset();
  reading.diagnostics = problems.take();
  return reading;
}

Policy require_policy(std::string_view text, const std::string& file) {
  PolicyReading reading = read_policy(text);
  if (reading.policy) return std::move(*reading.policy);
  throw as_error(file, reading.diagnostics);
}

}  // namespace bulkhead
