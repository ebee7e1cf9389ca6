// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/snapshot.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

CcdCounters counters_of(const Sampler& sampler, std::size_t group, std::size_t ccd,
                        std::chrono::nanoseconds window) {
  const auto series = [&](CounterEvent event) -> const Series& { return sampler.series(event, group, ccd); };
  CcdCounters counters{.ccd = sampler.shape().ccds[ccd],
                       .readings = {},
                       .occupancy = latest(series(CounterEvent::llc_occupancy)),
                       .total = rate(series(CounterEvent::mbm_total_bytes), window),
                       .local = rate(series(CounterEvent::mbm_local_bytes), window)};
  for (const CounterEvent event : kCounterEvents) {
    Reading& reading = counters.readings[static_cast<std::size_t>(event)];
    if (!series(event).empty()) reading = series(event).latest().reading;
  }
  return counters;
}

// A name, its value or null, and then why.
void put(Json& ccd, Json& why, std::string_view name, NoData no_data, const Json& value) {
  ccd[std::string(name)] = no_data == NoData::none ? value : Json(nullptr);
  if (no_data != NoData::none) why[std::string(name)] = to_string(no_data);
}

void put_rate(Json& ccd, Json& why, std::string_view name, const Measured& rate) {
  put(ccd, why, name, rate.no_data, std::llround(rate.value));
}

Json ccd_json(const CcdCounters& counters, const std::vector<CounterEvent>& events) {
  Json ccd{{"ccd", counters.ccd.value}};
  Json why = Json::object();
  for (const CounterEvent event : events) {
    const Reading& reading = counters.reading(event);
    put(ccd, why, to_string(event), reading.no_data, reading.value);
    if (event == CounterEvent::mbm_total_bytes) put_rate(ccd, why, "total_bandwidth", counters.total);
    if (event == CounterEvent::mbm_local_bytes) put_rate(ccd, why, "local_bandwidth", counters.local);
  }
  ccd["no_data"] = std::move(why);
  return ccd;
}

// Of one name; nothing where there is none of that name.
template <class Value>
std::optional<std::pair<Value, NoData>> take(const Json& ccd, std::string_view name) {
  const auto found = ccd.find(name);
  if (found == ccd.end()) return std::nullopt;
  if (!found->is_null()) return std::pair(found->get<Value>(), NoData::none);
  return std::pair(Value{}, parse_no_data(ccd.at("no_data").at(name).get_ref<const std::string&>()));
}

Measured rate_of(const Json& ccd, std::string_view name) {
  const auto found = take<double>(ccd, name);
  return found ? Measured{found->first, found->second} : Measured{};
}

CcdCounters ccd_of(const Json& ccd, std::vector<CounterEvent>& events) {
  CcdCounters counters{.ccd = CacheId{ccd.at("ccd")},
                       .readings = {},
                       .total = rate_of(ccd, "total_bandwidth"),
                       .local = rate_of(ccd, "local_bandwidth")};
  for (const CounterEvent event : kCounterEvents) {
    const auto found = take<std::uint64_t>(ccd, to_string(event));
    if (!found) continue;
    counters.readings[static_cast<std::size_t>(event)] = {found->first, found->second};
    if (std::find(events.begin(), events.end(), event) == events.end()) events.push_back(event);
  }
  const Reading& occupancy = counters.reading(CounterEvent::llc_occupancy);
  counters.occupancy = {static_cast<double>(occupancy.value), occupancy.no_data};
  return counters;
}

}  // namespace

const CcdCounters* GroupCounters::find(CacheId ccd) const {
  const auto found =
      std::find_if(ccds.begin(), ccds.end(), [&](const CcdCounters& one) { return one.ccd == ccd; });
  return found == ccds.end() ? nullptr : &*found;
}

const GroupCounters* Snapshot::find(const std::string& path) const {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const GroupCounters& one) { return one.path == path; });
  return found == groups.end() ? nullptr : &*found;
}

Snapshot snapshot(const Sampler& sampler, std::chrono::nanoseconds window) {
  const CounterShape& shape = sampler.shape();
  Snapshot now{.groups = {}, .events = shape.events, .summed = shape.summed};
  for (std::size_t group = 0; group < shape.groups.size(); ++group) {
    GroupCounters counters{.path = shape.groups[group].path, .ccds = {}};
    for (std::size_t ccd = 0; ccd < shape.ccds.size(); ++ccd) {
      counters.ccds.push_back(counters_of(sampler, group, ccd, window));
    }
    now.groups.push_back(std::move(counters));
  }
  return now;
}

Sum sum_of(const GroupCounters& group, Measured CcdCounters::*what) {
  Sum sum;
  for (const CcdCounters& ccd : group.ccds) {
    const Measured& value = ccd.*what;
    if (value.good()) {
      sum.sum.value += value.value;
      sum.sum.no_data = NoData::none;
    } else {
      ++sum.without_data;
      if (!sum.sum.good()) sum.sum.no_data = value.no_data;
    }
  }
  return sum;
}

Json counters_json(const GroupCounters& group, const std::vector<CounterEvent>& events) {
  Json ccds = Json::array();
  for (const CcdCounters& ccd : group.ccds) ccds.push_back(ccd_json(ccd, events));
  return {{"group", group.path}, {"ccds", std::move(ccds)}};
}

Snapshot snapshot_of(const Json& groups) {
  Snapshot now;
  for (const Json& group : groups) {
    GroupCounters counters{.path = group.at("group"), .ccds = {}};
    for (const Json& ccd : group.at("ccds")) counters.ccds.push_back(ccd_of(ccd, now.events));
    now.groups.push_back(std::move(counters));
  }
  return now;
}

}  // namespace bulkhead
