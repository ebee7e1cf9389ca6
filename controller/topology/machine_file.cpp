// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/machine_file.h"

#include <array>
#include <filesystem>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/topology/capabilities_section.h"
#include "controller/topology/hwloc_loader.h"
#include "controller/topology/machine_completion.h"
#include "controller/topology/machine_keys.h"
#include "controller/topology/machine_section.h"
#include "controller/topology/text_file.h"

namespace bulkhead {
namespace {

constexpr std::array<std::string_view, 8> kFileKeys{"bulkhead_machine", "name",   "vendor",  "model",
                                                    "topology",         "l3_ids", "offline", "capabilities"};
constexpr std::array<std::string_view, 6> kTopologyKeys{"synthetic", "xml",   "cores",
                                                        "l3",        "nodes", "sockets"};
constexpr std::array<std::string_view, 2> kCoreKeys{"threads", "efficiency"};
constexpr std::array<std::string_view, 3> kL3Keys{"id", "cpus", "size"};
constexpr std::array<std::string_view, 3> kNodeKeys{"id", "cpus", "memory"};
constexpr std::array<std::string_view, 2> kSocketKeys{"id", "cpus"};
constexpr int kMostEfficient = 1023;

// A run of cores: the first list has the first CPU of each core, the next one the second CPU of each.
void append_cores(const MachineSection& run, std::vector<Core>& cores) {
  const std::vector<CpuSet> threads = run.cpu_lists("threads");
  if (threads.empty()) throw run.error_at("threads", "a core has at least one thread");
  const std::size_t count = threads.front().size();
  const int efficiency =
      run.has("efficiency") ? static_cast<int>(run.number("efficiency", 0, kMostEfficient)) : -1;
  const std::size_t first = cores.size();
  cores.resize(first + count, {.cpus = {}, .ccd = {}, .efficiency = efficiency});
  for (const CpuSet& cpus : threads) {
    if (cpus.size() != count) {
      throw run.error_at("threads", "the lists must be of one length, but they have " +
                                        counted(count, "CPU") + " and " + counted(cpus.size(), "CPU"));
    }
    std::size_t core = first;
    cpus.for_each([&](unsigned cpu) { cores[core++].cpus.push_back(cpu); });
  }
}

Machine explicit_parts(const MachineSection& topology) {
  Machine parts;
  for (const MachineSection& run : topology.sections("cores", kCoreKeys)) append_cores(run, parts.cores);
  const auto id_of = [](const MachineSection& part) { return part.number("id", 0, CpuSet::kLargest); };
  if (topology.has("l3")) {
    for (const MachineSection& l3 : topology.sections("l3", kL3Keys)) {
      parts.ccds.push_back({.id = {id_of(l3)}, .cpus = l3.cpus("cpus"), .l3_bytes = l3.bytes("size")});
    }
  }
  if (topology.has("nodes")) {
    for (const MachineSection& node : topology.sections("nodes", kNodeKeys)) {
      parts.nodes.push_back(
          {.id = {id_of(node)}, .cpus = node.cpus("cpus"), .memory_bytes = node.bytes("memory")});
    }
  }
  if (topology.has("sockets")) {
    for (const MachineSection& socket : topology.sections("sockets", kSocketKeys)) {
      parts.sockets.push_back({.id = {id_of(socket)}, .cpus = socket.cpus("cpus")});
    }
  }
  return parts;
}

std::string read_xml(const MachineSection& topology, const std::string& file) {
  const auto folder = std::filesystem::path(file).parent_path();
  try {
    return read_text_file((folder / topology.text("xml")).string());
  } catch (const Error& error) {
    throw topology.error_at("xml", error.what());
  }
}

// The parts of the topology in whichever of its forms it is written.
Machine read_topology(const MachineSection& document, const std::string& file) {
  const MachineSection topology = document.section("topology", kTopologyKeys);
  const int forms = topology.has("synthetic") + topology.has("xml") + topology.has("cores");
  if (forms != 1) {
    throw topology.error(R"(the topology must have exactly one of "synthetic", "xml" and "cores")");
  }
  if (topology.has("cores")) {
    if (document.has("l3_ids")) {
      throw document.error_at("l3_ids", R"(with "cores" the ids stand in the topology's "l3")");
    }
    return explicit_parts(topology);
  }
  for (const std::string_view key : {"l3", "nodes", "sockets"}) {
    if (topology.has(key)) throw topology.error_at(key, "this goes with \"cores\" only");
  }
  const auto l3_ids = document.has("l3_ids") ? document.ids("l3_ids") : std::vector<CacheId>{};
  const bool synthetic = topology.has("synthetic");
  const std::string xml = synthetic ? "" : read_xml(topology, file);
  try {
    return synthetic ? load_synthetic_machine(topology.text("synthetic"), l3_ids)
                     : load_xml_machine(xml, l3_ids);
  } catch (const Error& error) {
    if (!error.detail().pointer.empty()) throw;
    throw topology.error_at(synthetic ? "synthetic" : "xml", error.detail().message);
  }
}

// A description has all CPUs, the offline ones too; the other forms need not know where those were.
CpuSet offline_of(const MachineSection& document, const Machine& parts) {
  const CpuSet offline = document.cpus("offline");
  if (document.section("topology", kTopologyKeys).has("synthetic") && !parts.cpus.contains(offline)) {
    throw document.error_at("offline", "the machine has no CPUs " + (offline - parts.cpus).to_list() +
                                           "; it has " + parts.cpus.to_list());
  }
  return offline;
}

Machine read_machine(const MachineSection& document, const std::string& file) {
  Machine parts = read_topology(document, file);
  parts.name = document.text("name");
  if (parts.name.empty()) throw document.error_at("name", "the name must not be empty");
  if (document.has("vendor") || parts.vendor.empty()) parts.vendor = document.text("vendor");
  if (document.has("model")) parts.model = document.text("model");
  if (document.has("offline")) parts.offline |= offline_of(document, parts);
  try {
    return complete_machine(std::move(parts));
  } catch (const Error& error) {
    throw document.error_at("topology", error.detail().message);
  }
}

}  // namespace

Host read_machine_file(std::string_view text, const std::string& file) {
  const PlacedJson json(text, file);
  const MachineSection document(json, json.root(), "", kFileKeys);
  document.number("bulkhead_machine", kMachineFileVersion, kMachineFileVersion);
  Host host;
  host.machine = read_machine(document, file);
  host.capabilities = read_capabilities_section(document, host.machine);
  return host;
}

}  // namespace bulkhead
