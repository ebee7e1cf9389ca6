// SPDX-License-Identifier: Apache-2.0
#include "policies/service_reader.h"

#include <string>

#include "policies/cpu_want_reader.h"
#include "policies/quote.h"
#include "policies/select_reader.h"
#include "policies/share_reader.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

constexpr Word<Partition> kPartitions[] = {
    {"member", Partition::member}, {"root", Partition::root}, {"isolated", Partition::isolated}};
constexpr Word<Assign> kAssigns[] = {
    {"auto", Assign::automatic}, {"cpus", Assign::cpus}, {"tasks", Assign::tasks}};

// The rows hand each keyword to its reader.
constexpr Field<ServiceDraft> kServiceFields[] = {
    {"select", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                  ServiceDraft& draft) { read_select(problems, value, keyword, draft.select); }},
    {"cpus", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                ServiceDraft& draft) { read_cpu_want(problems, value, keyword, draft.service.cpus); }},
    {"exclusive_cpus", [](Problems&, const JsonValue& value, const Keyword&,
                          ServiceDraft& draft) { draft.service.exclusive_cpus = value.text == "true"; }},
    {"partition",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ServiceDraft& draft) {
       draft.service.partition = read_word(problems, value, keyword, kPartitions).value_or(Partition::member);
     }},
    {"memory", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                  ServiceDraft& draft) { read_memory_want(problems, value, keyword, draft.service.memory); }},
    {"class",
     [](Problems&, const JsonValue& value, const Keyword&, ServiceDraft& draft) {
       draft.service.service_class = value.text;
       draft.service.class_place = value.place();
     }},
    {"l3",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ServiceDraft& draft) {
       read_cache_want(problems, value, keyword, draft.service.l3.emplace());
     }},
    {"l3_exclusive",
     [](Problems&, const JsonValue& value, const Keyword&, ServiceDraft& draft) {
       draft.service.l3_exclusive = value.text == "true";
       draft.service.l3_exclusive_place = value.place();
     }},
    {"bandwidth",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ServiceDraft& draft) {
       read_bandwidth_want(problems, value, keyword, draft.service.bandwidth.emplace());
     }},
    {"assign",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ServiceDraft& draft) {
       draft.service.assign = read_word(problems, value, keyword, kAssigns).value_or(Assign::automatic);
       draft.service.assign_place = value.place();
     }},
};

constexpr Field<ServiceClass> kClassFields[] = {
    {"l3", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
              ServiceClass& made) { read_cache_want(problems, value, keyword, made.l3.emplace()); }},
    {"bandwidth",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ServiceClass& made) {
       read_bandwidth_want(problems, value, keyword, made.bandwidth.emplace());
     }},
};

void check_exclusive(Problems& problems, const JsonValue& object, const ServiceDraft& draft) {
  const Service& service = draft.service;
  if (!service.exclusive_cpus) {
    if (service.partition == Partition::member) return;
    const JsonValue& partition = *object.find("partition");
    problems.add(partition.place(), Problem::partition_shared, {partition.text});
    return;
  }
  const JsonValue* cpus = object.find("cpus");
  const Place place = object.find("exclusive_cpus")->place();
  if (draft.select && draft.select->kind == SelectKind::others) {
    problems.add(place, Problem::exclusive_others);
  } else if (cpus == nullptr) {
    problems.add(place, Problem::exclusive_unnamed);
  } else if (service.cpus.choice == CpuChoice::rest) {
    problems.add(cpus->place(), Problem::exclusive_rest);
  } else if (cpus->text == "all" || (cpus->find("of") != nullptr && cpus->children.size() == 1)) {
    problems.add(cpus->place(), Problem::exclusive_all);
  }
}

void check_service(Problems& problems, const JsonValue& object, const ServiceDraft& draft) {
  check_exclusive(problems, object, draft);
  if (draft.service.assign == Assign::cpus && draft.select && draft.select->kind == SelectKind::others) {
    problems.add(draft.service.assign_place, Problem::assign_others);
  }
  if (draft.service.service_class.empty()) return;
  for (const std::string_view own : {"l3", "bandwidth"}) {
    if (const JsonValue* member = object.find(own)) {
      problems.add(member->key_place(), Problem::class_and_own,
                   {own, shortened(draft.service.service_class)});
    }
  }
}

}  // namespace

ServiceDraft read_service(Problems& problems, const JsonValue& value) {
  ServiceDraft draft;
  Service& service = draft.service;
  service.name = value.key;
  service.place = value.key_place();
  // What exclusive services leave; all CPUs, if there are none.
  service.cpus = {.choice = CpuChoice::rest, .place = service.place};
  check_name(problems, value);
  if (!check_type(problems, value, kServiceEntry)) return draft;
  read_members<ServiceDraft>(problems, value, kServiceTable, kServiceFields, draft);
  check_service(problems, value, draft);
  return draft;
}

ServiceClass read_class(Problems& problems, const JsonValue& value) {
  ServiceClass made{.name = value.key, .place = value.key_place()};
  check_name(problems, value);
  if (!check_type(problems, value, kClassEntry)) return made;
  read_members<ServiceClass>(problems, value, kClassTable, kClassFields, made);
  if (value.children.empty()) problems.add(value.place(), Problem::empty_class);
  return made;
}

}  // namespace bulkhead
