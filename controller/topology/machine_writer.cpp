// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/units.h"
#include "controller/topology/machine_file.h"
#include "controller/topology/machine_keys.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

std::string one_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Decimal units, exact to the byte: a reader must get the same number back.
std::string exact_rate(std::uint64_t bytes_per_second) {
  constexpr std::uint64_t kGiga = 1'000'000'000;
  constexpr std::uint64_t kMega = 1'000'000;
  if (bytes_per_second % kGiga == 0) return std::to_string(bytes_per_second / kGiga) + "GB/s";
  std::string decimals = std::to_string(bytes_per_second % kMega + kMega).substr(1);
  return std::to_string(bytes_per_second / kMega) + '.' + decimals + "MB/s";
}

// Cores that follow each other as one run, as long as each thread's CPUs ascend.
struct CoreRun {
  std::vector<CpuSet> threads;
  int efficiency = -1;

  bool continues_with(const Core& core) const {
    if (core.efficiency != efficiency || core.cpus.size() != threads.size()) return false;
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      if (core.cpus[thread] < threads[thread].last()) return false;
    }
    return true;
  }
};

Json cores_json(const std::vector<Core>& cores) {
  std::vector<CoreRun> runs;
  for (const Core& core : cores) {
    if (runs.empty() || !runs.back().continues_with(core)) {
      runs.push_back({.threads = std::vector<CpuSet>(core.cpus.size()), .efficiency = core.efficiency});
    }
    for (std::size_t thread = 0; thread < core.cpus.size(); ++thread) {
      runs.back().threads[thread].insert(core.cpus[thread]);
    }
  }
  Json rows = Json::array();
  for (const CoreRun& run : runs) {
    Json row = {{"threads", Json::array()}};
    for (const CpuSet& cpus : run.threads) row["threads"].push_back(cpus.to_list());
    if (run.efficiency >= 0) row["efficiency"] = run.efficiency;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json topology_json(const Machine& machine) {
  Json sockets = Json::array();
  for (const Socket& socket : machine.sockets) {
    sockets.push_back({{"id", socket.id.value}, {"cpus", socket.cpus.to_list()}});
  }
  Json nodes = Json::array();
  for (const Node& node : machine.nodes) {
    nodes.push_back(
        {{"id", node.id.value}, {"cpus", node.cpus.to_list()}, {"memory", format_bytes(node.memory_bytes)}});
  }
  Json l3 = Json::array();
  for (const Ccd& ccd : machine.ccds) {
    l3.push_back({{"id", ccd.id.value}, {"cpus", ccd.cpus.to_list()}, {"size", format_bytes(ccd.l3_bytes)}});
  }
  return {{"sockets", sockets}, {"nodes", nodes}, {"l3", l3}, {"cores", cores_json(machine.cores)}};
}

Json cache_json(const CacheCapability& cache) {
  return {{"closids", cache.closids},
          {"mask", cache.full.to_hex()},
          {"min_ways", cache.min_ways},
          {"shareable", cache.shareable.to_hex()},
          {"sparse", cache.sparse}};
}

Json bandwidth_json(const BandwidthCapability& bandwidth) {
  Json json = {{"closids", bandwidth.closids}};
  for (const BandwidthUnitWord& row : kBandwidthUnitWords) {
    if (row.unit == bandwidth.unit) json["unit"] = row.word;
  }
  json["min"] = bandwidth.min;
  json["granularity"] = bandwidth.granularity;
  json["unlimited"] = bandwidth.unlimited;
  return json;
}

std::vector<unsigned> values_of(const std::vector<CacheId>& ids) {
  std::vector<unsigned> values;
  for (const CacheId id : ids) values.push_back(id.value);
  return values;
}

Json capabilities_json(const Capabilities& capabilities) {
  Json json = {{"resctrl", capabilities.resctrl}, {"mount_options", capabilities.mount_options}};
  if (capabilities.l3) json["l3"] = cache_json(*capabilities.l3);
  json["cdp"] = capabilities.cdp;
  if (capabilities.l2) json["l2"] = cache_json(*capabilities.l2);
  if (capabilities.memory) json["memory_bandwidth"] = bandwidth_json(*capabilities.memory);
  if (capabilities.slow) json["slow_bandwidth"] = bandwidth_json(*capabilities.slow);
  if (capabilities.monitoring) {
    json["monitoring"] = {{"rmids", capabilities.monitoring->rmids},
                          {"events", capabilities.monitoring->events}};
  }
  json["domains"] = values_of(capabilities.domains);
  if (capabilities.ccd_bandwidth != 0) json["ccd_bandwidth"] = exact_rate(capabilities.ccd_bandwidth);
  return json;
}

// An object with one member a line, and the members of `deep` arrays one element a line.
std::string members(const Json& object, const std::string& indent) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += text.empty() ? "{\n" : ",\n";
    text += indent + one_line(key) + ": ";
    const bool rows = value.is_array() && !value.empty() && value.front().is_object();
    if (!rows) {
      text += one_line(value);
      continue;
    }
    std::string lines;
    for (const Json& row : value) lines += (lines.empty() ? "" : ",\n") + indent + "  " + one_line(row);
    text += "[\n" + lines + "\n" + indent + "]";
  }
  return text + "\n" + indent.substr(2) + "}";
}

}  // namespace

std::string write_machine_file(const Host& host) {
  const Machine& machine = host.machine;
  std::string text = "{\n  \"bulkhead_machine\": " + std::to_string(kMachineFileVersion);
  const auto add = [&text](const char* key, const std::string& value) {
    text += std::string(",\n  \"") + key + "\": " + value;
  };
  add("name", one_line(machine.name));
  add("vendor", one_line(machine.vendor));
  if (!machine.model.empty()) add("model", one_line(machine.model));
  add("topology", members(topology_json(machine), "    "));
  if (!machine.offline.empty()) add("offline", one_line(machine.offline.to_list()));
  if (host.capabilities != Capabilities{})
    add("capabilities", members(capabilities_json(host.capabilities), "    "));
  return text + "\n}\n";
}

}  // namespace bulkhead
