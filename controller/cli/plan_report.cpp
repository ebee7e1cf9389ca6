// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/plan_report.h"

#include <algorithm>

#include "controller/cli/picture.h"
#include "controller/cli/table.h"

namespace bulkhead {
namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

char letter_of(const ServiceEffect& service, const std::vector<std::string>& groups) {
  const auto found = std::find(groups.begin(), groups.end(), service.group);
  return group_letter(static_cast<std::size_t>(found - groups.begin()));
}

std::string services_table(const Plan& plan, const std::vector<EffectNow>& now, const Style& style) {
  const bool live = !now.empty();
  std::vector<std::string> titles{"", "service", "", "asked", "planned"};
  if (live) titles.push_back("effective now");
  Table table(std::move(titles));
  const std::vector<std::string> groups = lettered_groups(plan);
  for (std::size_t index = 0; index < plan.services.size(); ++index) {
    const ServiceEffect& service = plan.services[index];
    const auto add = [&](bool first, const char* what, const std::string& asked, const std::string& planned,
                         std::string EffectNow::*effective) {
      std::vector<std::string> row{first ? std::string(1, letter_of(service, groups)) : "",
                                   first ? service.service : "", what, or_dash(asked), or_dash(planned)};
      if (live) row.push_back(or_dash(now[index].*effective));
      table.add(std::move(row));
    };
    add(true, "cpus", service.asked_cpus, service.planned_cpus, &EffectNow::cpus);
    if (!service.asked_l3.empty() || !service.planned_l3.empty()) {
      add(false, "l3", service.asked_l3, service.planned_l3, &EffectNow::l3);
    }
    if (!service.asked_bandwidth.empty() || !service.planned_bandwidth.empty()) {
      add(false, "bandwidth", service.asked_bandwidth, service.planned_bandwidth, &EffectNow::bandwidth);
    }
  }
  return table.draw(style);
}

std::string list(std::string_view title, const std::vector<std::string>& entries, const Style& style) {
  if (entries.empty()) return {};
  std::string text = '\n' + paint(style, Paint::bold, title) + '\n';
  for (const std::string& entry : entries) text += "  - " + wrapped(entry, style.width - 4, "    ") + '\n';
  return text;
}

}  // namespace

std::string plan_report(const Plan& plan, const Machine& machine, const Capabilities& capabilities,
                        const std::vector<EffectNow>& now, const std::vector<std::string>& waiting,
                        const Style& style) {
  std::vector<std::string> absent;
  for (const std::string& service : waiting) {
    absent.push_back(service + ": nothing that it selects is there now");
  }
  std::string text = titled(plan.policy, " on " + plan.machine, style) + "\n\n";
  const std::string picture = draw_plan(plan, machine, capabilities, style);
  if (!picture.empty()) text += picture + '\n';
  text += services_table(plan, now, style);
  text += list("waiting", absent, style);
  text += list("notes", plan.notes, style);
  return text;
}

}  // namespace bulkhead
