// SPDX-License-Identifier: Apache-2.0
#include "policies/cpu_want_reader.h"

#include <array>
#include <string>

#include "controller/base/text.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

constexpr unsigned kMostCores = 1024;  // of one CCD; beyond any machine
constexpr unsigned kMostThreads = 8;   // of one core; what SMT has reached anywhere

constexpr Word<CpuChoice> kChoices[] = {{"all", CpuChoice::all}, {"rest", CpuChoice::rest}};
constexpr Word<CpuScope> kWithin[] = {
    {"socket", CpuScope::sockets}, {"node", CpuScope::nodes}, {"ccd", CpuScope::ccds}};

struct Scope {
  CpuScope scope;
  std::string_view singular, plural;
};
// From large to small, which tells what can lie within what.
constexpr std::array kScopes{Scope{CpuScope::sockets, "socket", "sockets"},
                             Scope{CpuScope::nodes, "node", "nodes"}, Scope{CpuScope::ccds, "ccd", "ccds"},
                             Scope{CpuScope::cores, "core", "cores"}, Scope{CpuScope::cpus, "cpu", "cpus"}};

const Scope& names_of(CpuScope scope) {
  for (const Scope& row : kScopes) {
    if (row.scope == scope) return row;
  }
  return kScopes.back();
}

template <CpuScope kScope>
void read_listed(DiagnosticList& problems, const JsonValue& value, const Keyword&, CpuWant& want) {
  want.choice = CpuChoice::listed;
  want.scope = kScope;
  want.every_id = value.text == "all";
  if (want.every_id) return;
  if (auto ids = read_ids(problems, value)) want.ids = std::move(*ids);
}

template <CpuScope kScope>
void read_counted(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.scope = kScope;
  want.count = read_number(problems, value, keyword, 1, CpuSet::kLargest + 1).value_or(0);
}

constexpr Field<CpuWant> kCountFields[] = {{"sockets", read_counted<CpuScope::sockets>},
                                           {"nodes", read_counted<CpuScope::nodes>},
                                           {"ccds", read_counted<CpuScope::ccds>},
                                           {"cores", read_counted<CpuScope::cores>},
                                           {"cpus", read_counted<CpuScope::cpus>}};

void read_count(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.choice = CpuChoice::counted;
  exactly_one(problems, value, kCountTable.keywords, "a count", keyword);
  read_members<CpuWant>(problems, value, kCountTable, kCountFields, want);
}

void read_choice(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.choice = read_word(problems, value, keyword, kChoices).value_or(want.choice);
}

void read_within(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.within = read_word(problems, value, keyword, kWithin);
}

void read_cores(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  if (value.type == JsonType::number) {
    want.cores_per_ccd = read_number(problems, value, keyword, 1, kMostCores).value_or(1);
    return;
  }
  const auto share = Percent::parse(value.text);
  if (!share || share->hundredths == 0) return refuse(problems, value, keyword);
  if (*share > kWhole) problems.add(value.place(), Problem::too_much, {found_text(value)});
  want.cores_per_ccd = *share;
}

void read_threads(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.threads_per_core = read_number(problems, value, keyword, 1, kMostThreads);
}

void read_thread(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.thread = read_number(problems, value, keyword, 0, kMostThreads - 1).value_or(0);
}

constexpr Field<CpuWant> kCpuFields[] = {{"sockets", read_listed<CpuScope::sockets>},
                                         {"nodes", read_listed<CpuScope::nodes>},
                                         {"ccds", read_listed<CpuScope::ccds>},
                                         {"cpus", read_listed<CpuScope::cpus>},
                                         {"count", read_count},
                                         {"of", read_choice},
                                         {"within", read_within},
                                         {"cores_per_ccd", read_cores},
                                         {"threads_per_core", read_threads},
                                         {"thread", read_thread}};

void check_within(DiagnosticList& problems, const JsonValue& object, const CpuWant& want) {
  const JsonValue* within = object.find("within");
  if (within == nullptr) return;
  if (object.find("count") == nullptr) return problems.add(within->key_place(), Problem::within_misplaced);
  if (!want.within || want.count == 0) return;
  const bool fits = *want.within < want.scope || (*want.within == want.scope && want.count == 1);
  if (fits) return;
  const Scope& asked = names_of(want.scope);
  const std::string amount =
      std::to_string(want.count) + ' ' + std::string(want.count == 1 ? asked.singular : asked.plural);
  const std::string_view better = want.scope == CpuScope::sockets ? "leave \"within\" out"
                                  : want.scope == CpuScope::nodes
                                      ? "write \"socket\", or leave \"within\" out"
                                      : "write \"node\", or leave \"within\" out";
  problems.add(within->place(), Problem::within_too_small, {amount, names_of(*want.within).singular, better});
}

void read_choice_object(DiagnosticList& problems, const JsonValue& object, const Keyword& keyword,
                        CpuWant& want) {
  const auto choices = kCpusTable.keywords.first(kCpuChoiceKeywords);
  const JsonValue* choice = exactly_one(problems, object, choices, "a choice of CPUs", keyword);
  read_members<CpuWant>(problems, object, kCpusTable, kCpuFields, want);
  check_within(problems, object, want);
  if (choice == nullptr && narrows(want)) problems.add(object.place(), Problem::nothing_to_narrow);
  if (object.find("thread") != nullptr && object.find("threads_per_core") == nullptr) {
    problems.add(object.find("thread")->key_place(), Problem::thread_alone);
  }
}

}  // namespace

bool narrows(const CpuWant& want) {
  return want.cores_per_ccd.index() != 0 || want.threads_per_core.has_value();
}

void read_cpu_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CpuWant& want) {
  want.place = value.place();
  if (value.type == JsonType::object) return read_choice_object(problems, value, keyword, want);
  for (const auto& [word, choice] : kChoices) {
    if (value.text == word) {
      want.choice = choice;
      return;
    }
  }
  refuse(problems, value, keyword);
}

void read_memory_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                      MemoryWant& want) {
  want.place = value.place();
  if (value.type == JsonType::string) {
    constexpr Word<MemoryWant::Kind> kKinds[] = {{"local", MemoryWant::Kind::local},
                                                 {"all", MemoryWant::Kind::all}};
    want.kind = read_word(problems, value, keyword, kKinds).value_or(want.kind);
    return;
  }
  want.kind = MemoryWant::Kind::nodes;
  constexpr Field<MemoryWant> kNodes[] = {
      {"nodes", [](DiagnosticList& found, const JsonValue& ids, const Keyword&, MemoryWant& memory) {
         if (auto nodes = read_ids(found, ids)) memory.nodes = std::move(*nodes);
       }}};
  read_members<MemoryWant>(problems, value, kMemoryTable, kNodes, want);
}

}  // namespace bulkhead
