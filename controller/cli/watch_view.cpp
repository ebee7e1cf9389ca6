// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/watch_view.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "controller/cli/perf_view.h"
#include "controller/cli/picture.h"
#include "controller/cli/table.h"
#include "controller/engine/counters_document.h"
#include "controller/monitor/bounds.h"
#include "controller/monitor/perf_json.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMebibyte = 1 << 20;
constexpr double kGigabyte = 1e9;

// One digit behind the point, "-" for no data.
std::string amount(const Measured& value, double unit) {
  if (!value.good()) return "-";
  const long long tenths = std::llround(value.value / unit * 10);
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

std::string without_data(const GroupCounters& group) {
  std::vector<std::string> words;
  for (const CcdCounters& ccd : group.ccds) {
    for (const Measured* value : {&ccd.occupancy, &ccd.total}) {
      if (value->good() || value->no_data == NoData::not_read || value->no_data == NoData::first_sample)
        continue;
      words.push_back(std::string(to_string(value->no_data)) + " on CCD " + to_string(ccd.ccd));
    }
  }
  words.erase(std::unique(words.begin(), words.end()), words.end());
  constexpr std::size_t kNamed = 2;
  if (words.size() <= kNamed) return join(words, ", ");
  return words.front() + " and " + std::to_string(words.size() - 1) + " more";
}

// The letter that stands for the group in the picture.
std::string letter_of(const std::string& group, const Plan& plan) {
  const std::vector<std::string> groups = lettered_groups(plan);
  const auto found = std::find(groups.begin(), groups.end(), group);
  return found == groups.end()
             ? ""
             : std::string(1, group_letter(static_cast<std::size_t>(found - groups.begin())));
}

using ServicesOf = std::function<std::vector<std::string>(const std::string& group)>;
using LetterOf = std::function<std::string(const std::string& group)>;

Table counters_table(const Snapshot& counters, const ServicesOf& services_of, const LetterOf& letter_of) {
  Table table({"", "group", "service", "GB/s", "local", "MiB in L3", "no data"});
  for (const GroupCounters& group : counters.groups) {
    const auto services = services_of(group.path);
    const std::string name = group.path.empty() ? "(default)" : group.path;
    table.add({letter_of(group.path), name, services.empty() ? "-" : join(services, ", "),
               amount(sum_of(group, &CcdCounters::total).sum, kGigabyte),
               amount(sum_of(group, &CcdCounters::local).sum, kGigabyte),
               amount(sum_of(group, &CcdCounters::occupancy).sum, kMebibyte), without_data(group)});
  }
  return table;
}

Table counters_table(const Watched& watched) {
  static const Plan kNone;
  const Plan& plan = watched.found == nullptr ? kNone : watched.found->plan;
  return counters_table(
      watched.counters, [&](const std::string& group) { return services_of(group, plan); },
      [&](const std::string& group) { return letter_of(group, plan); });
}

// "3.5/8.0 MiB 4.1 GB/s": what a group fills of its ways, where that is planned, and what it moves.
Figures figures_of(const Watched& watched) {
  const Plan& plan = watched.found->plan;
  std::map<std::pair<std::string, CacheId>, std::string> capacities;
  for (const Bound& bound : bounds_of(plan, *watched.machine, watched.found->capabilities)) {
    if (!bound.occupancy) continue;
    const Measured capacity{static_cast<double>(*bound.occupancy), NoData::none};
    capacities[{bound.group, bound.ccd}] = '/' + amount(capacity, kMebibyte);
  }
  Figures figures;
  for (const ServiceEffect& service : plan.services) {
    const GroupCounters* group = watched.counters.find(service.group);
    for (const CacheId id : service.ccds) {
      const CcdCounters* ccd = group == nullptr ? nullptr : group->find(id);
      if (ccd == nullptr) continue;
      figures[{service.group, id}] = amount(ccd->occupancy, kMebibyte) + capacities[{service.group, id}] +
                                     " MiB " + amount(ccd->total, kGigabyte) + " GB/s";
    }
  }
  return figures;
}

std::string as_planned(bool holds, const Style& style) {
  return holds ? paint(style, Paint::good, "as planned")
               : paint(style, Paint::bad, "differs from the plan, see bulkhead verify");
}

std::string state_of(const Watched& watched, const Style& style) {
  if (watched.found == nullptr) return "no policy is in force";
  return paint(style, Paint::bold, watched.found->policy) + "  " +
         as_planned(watched.found->findings.empty(), style);
}

std::string summed_text(const std::vector<CacheId>& summed, const Style& style) {
  if (summed.empty()) return {};
  return wrapped("Sub-NUMA clusters are on: the kernel has summed up the parts of each L3", style.width, "") +
         '\n';
}

}  // namespace

std::string watch_text(const Watched& watched, const Style& style) {
  std::string text =
      state_of(watched, style) + "  " + paint(style, Paint::dim, utc_text(watched.at)) + "\n\n";
  text += counters_table(watched).draw(style) + summed_text(watched.counters.summed, style);
  if (!watched.unassigned.empty()) text += wrapped(watched.unassigned, style.width, "") + '\n';
  if (watched.perf != nullptr) text += perf_text(*watched.perf, style);
  if (watched.found == nullptr || watched.found->plan.policy.empty()) return text;
  return text + '\n' +
         draw_plan(watched.found->plan, *watched.machine, watched.found->capabilities, style,
                   figures_of(watched)) +
         paint(style, Paint::dim, "MiB: what the group's lines fill on that CCD, of what its ways have") +
         '\n';
}

std::string counters_text(const Json& document, const Style& style) {
  const Json& policy = document.at("policy");
  std::string text = policy.is_null() ? "no policy is in force"
                                      : paint(style, Paint::bold, policy.get<std::string>()) + "  " +
                                            as_planned(document.at("holds").get<bool>(), style);
  text += "  " + paint(style, Paint::dim, document.at("time").get<std::string>()) + "\n\n";
  const Snapshot counters = snapshot_of(document.at("groups"));
  std::map<std::string, std::vector<std::string>> services;
  for (const Json& group : document.at("groups")) services[group.at("group")] = group.at("services");
  text += counters_table(
              counters, [&](const std::string& group) { return services[group]; },
              [](const std::string&) { return std::string(); })
              .draw(style);
  const Json& uncounted = document.at("uncounted");
  return uncounted.is_null() ? text : text + wrapped(uncounted.get<std::string>(), style.width, "") + '\n';
}

Json watch_json(const Watched& watched) {
  Json line = counters_document(watched.counters, watched.found, watched.at, watched.unassigned);
  if (watched.perf != nullptr) line["perf"] = perf_json(*watched.perf);
  line["interval_seconds"] = watched.interval.count();
  return line;
}

}  // namespace bulkhead
