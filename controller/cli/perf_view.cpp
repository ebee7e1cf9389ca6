// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/perf_view.h"

#include <algorithm>
#include <cmath>

#include "controller/base/text.h"
#include "controller/cli/table.h"

namespace bulkhead {
namespace {

constexpr double kMillion = 1e6;
constexpr std::size_t kFirstShown = 2;  // of a service's events: cycles and instructions are its IPC

std::string digits(long long scaled, unsigned after_point) {
  const long long unit = after_point == 1 ? 10 : 100;
  std::string rest = std::to_string(scaled % unit);
  rest.insert(0, after_point - rest.size(), '0');
  return std::to_string(scaled / unit) + '.' + rest;
}

std::string millions(const Measured& value) {
  return value.good() ? digits(std::llround(value.value / kMillion * 10), 1) : "-";
}

std::string two_digits(const Measured& value) {
  return value.good() ? digits(std::llround(value.value * 100), 2) : "-";
}

std::string percent(const Measured& share) {
  return share.good() ? std::to_string(std::llround(share.value * 100)) + '%' : "-";
}

std::string heading(std::string event) {
  std::replace(event.begin(), event.end(), '_', ' ');
  return event + " M/s";
}

std::string reason(const PerfRates& rates) {
  const NoData why = rates.per_second.front().no_data;
  return why == NoData::none ? "" : std::string(to_string(why));
}

std::string services_text(const PerfCounters& counters, const Style& style) {
  const std::vector<PmuEvent>& events = counters.pmu().service_events;
  if (counters.pmu().cores.empty() || counters.services().empty()) return {};
  std::vector<std::string> headings{"service", "IPC"};
  for (std::size_t event = kFirstShown; event < events.size(); ++event) {
    headings.push_back(heading(events[event].name));
  }
  headings.insert(headings.end(), {"counted", "no data"});
  Table table(headings);
  for (const ServicePerf& service : counters.services()) {
    std::vector<std::string> cells{service.service, two_digits(service.ipc)};
    for (std::size_t event = kFirstShown; event < events.size(); ++event) {
      cells.push_back(millions(service.rates.per_second[event]));
    }
    cells.insert(cells.end(), {percent(service.rates.counted_share), reason(service.rates)});
    table.add(cells);
  }
  return '\n' + table.draw(style);
}

std::string ccds_text(const PerfCounters& counters, const Style& style) {
  if (counters.ccds().empty()) return {};
  Table table({"CCD", "l3 lookups M/s", "misses", "counted", "no data"});
  for (const CcdPerf& ccd : counters.ccds()) {
    table.add({to_string(ccd.ccd), millions(ccd.rates.per_second[0]), percent(ccd.miss_ratio),
               percent(ccd.rates.counted_share), reason(ccd.rates)});
  }
  return '\n' + table.draw(style);
}

// What CCDs lack is the doctor's to tell: on most processors it can never be otherwise.
std::string lacks_text(const PerfCounters& counters, const Style& style) {
  std::string text;
  for (const std::string& lack : counters.lacks()) {
    if (lack != counters.pmu().ccd_lack) text += '\n' + wrapped(lack, style.width, "");
  }
  return text.empty() ? "" : text + '\n';
}

}  // namespace

std::string perf_text(const PerfCounters& counters, const Style& style) {
  return services_text(counters, style) + ccds_text(counters, style) + lacks_text(counters, style);
}

}  // namespace bulkhead
