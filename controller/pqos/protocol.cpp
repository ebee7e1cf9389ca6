// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/protocol.h"

#include <array>
#include <nlohmann/json.hpp>

#include "controller/resctrl/schemata.h"

namespace bulkhead::pqos_protocol {
namespace {

using Json = nlohmann::ordered_json;

// Those that the helper throws.
constexpr std::array kCodes{ErrorCode::unsupported, ErrorCode::refused, ErrorCode::conflict};

ErrorCode code_from(const std::string& word) {
  for (const ErrorCode code : kCodes) {
    if (to_string(code) == word) return code;
  }
  return ErrorCode::internal;
}

// Those that the helper sends.
NoData no_data_from(const std::string& word) {
  for (const NoData why : {NoData::unavailable, NoData::error, NoData::unreadable}) {
    if (to_string(why) == word) return why;
  }
  return NoData::not_read;
}

}  // namespace

Json to_json(const PqosAbilities& abilities) {
  Json json{{"amd", abilities.amd}, {"cpus", Json::array()}};
  if (const auto& l3 = abilities.l3) {
    json["l3"] = {
        {"classes", l3->classes}, {"ways", l3->ways}, {"shareable", l3->shareable}, {"cdp", l3->cdp}};
  }
  if (const auto& memory = abilities.memory) {
    json["memory"] = {{"classes", memory->classes},
                      {"min", memory->min},
                      {"step", memory->step},
                      {"unlimited", memory->unlimited}};
  }
  for (const PqosUnit& unit : abilities.counters) {
    json["counters"].push_back({to_string(unit.event), unit.bytes, unit.bits});
  }
  for (const PqosCpu& cpu : abilities.cpus) json["cpus"].push_back({cpu.cpu, cpu.l3_id, cpu.bandwidth_id});
  return json;
}

PqosAbilities abilities_from(const Json& json) {
  PqosAbilities abilities{.amd = json.at("amd").get<bool>()};
  if (json.contains("l3")) {
    const Json& l3 = json.at("l3");
    abilities.l3 = PqosCache{.classes = l3.at("classes").get<unsigned>(),
                             .ways = l3.at("ways").get<unsigned>(),
                             .shareable = l3.at("shareable").get<std::uint64_t>(),
                             .cdp = l3.at("cdp").get<bool>()};
  }
  if (json.contains("memory")) {
    const Json& memory = json.at("memory");
    abilities.memory = PqosBandwidth{.classes = memory.at("classes").get<unsigned>(),
                                     .min = memory.at("min").get<std::uint32_t>(),
                                     .step = memory.at("step").get<std::uint32_t>(),
                                     .unlimited = memory.at("unlimited").get<std::uint32_t>()};
  }
  for (const Json& unit : json.value("counters", Json::array())) {
    const auto event = parse_counter_event(unit.at(0).get<std::string>());
    if (!event) continue;
    abilities.counters.push_back(
        {.event = *event, .bytes = unit.at(1).get<std::uint32_t>(), .bits = unit.at(2).get<unsigned>()});
  }
  for (const Json& cpu : json.at("cpus")) {
    abilities.cpus.push_back({.cpu = cpu.at(0).get<unsigned>(),
                              .l3_id = cpu.at(1).get<unsigned>(),
                              .bandwidth_id = cpu.at(2).get<unsigned>()});
  }
  return abilities;
}

Json to_json(const std::vector<PqosClass>& classes) {
  Json list = Json::array();
  for (const PqosClass& one : classes) {
    list.push_back({{"class", one.number},
                    {"schemata", render_schemata_change({}, one.schemata)},
                    {"cpus", one.cpus.to_list()}});
  }
  return list;
}

std::vector<PqosClass> classes_from(const Json& json) {
  std::vector<PqosClass> classes;
  for (const Json& one : json) {
    classes.push_back({.number = one.at("class").get<unsigned>(),
                       .schemata = parse_schemata(one.at("schemata").get<std::string>()),
                       .cpus = CpuSet::parse_list(one.at("cpus").get<std::string>())});
  }
  return classes;
}

Json to_json(const std::vector<PqosCount>& counts) {
  Json list = Json::array();
  for (const PqosCount& count : counts) {
    Json one{count.id};
    for (const Reading& reading : count.readings) {
      one.push_back(reading.good() ? Json(reading.value) : Json(to_string(reading.no_data)));
    }
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<PqosCount> counts_from(const Json& json) {
  std::vector<PqosCount> counts;
  for (const Json& one : json) {
    PqosCount count{.id = one.at(0).get<unsigned>(), .readings = {}};
    for (std::size_t event = 0; event < count.readings.size(); ++event) {
      const Json& reading = one.at(event + 1);
      count.readings[event] = reading.is_string() ? Reading{0, no_data_from(reading.get<std::string>())}
                                                  : Reading{reading.get<std::uint64_t>(), NoData::none};
    }
    counts.push_back(count);
  }
  return counts;
}

Json to_json(const Error& error) {
  return {{"code", to_string(error.code())},
          {"message", error.detail().message},
          {"said", error.detail().kernel_status}};
}

// What the library said is a part of the text, too: it is often the only reason.
Error error_from(const Json& json) {
  const auto said = json.at("said").get<std::string>();
  return Error(ErrorDetail{
      .code = code_from(json.at("code").get<std::string>()),
      .message = json.at("message").get<std::string>() + (said.empty() ? "" : ". It says: " + said),
      .kernel_status = said});
}

}  // namespace bulkhead::pqos_protocol
