// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/hwloc_loader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <hwloc.h>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/topology/machine_completion.h"

namespace bulkhead {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, BitmapDeleter>;

struct VendorName {
  std::string_view cpuid;
  std::string_view ours;
};
constexpr std::array kVendors{VendorName{"AuthenticAMD", "amd"}, VendorName{"HygonGenuine", "amd"},
                              VendorName{"GenuineIntel", "intel"}};

[[noreturn]] void refuse_topology(std::string message) {
  throw Error(ErrorCode::invalid, std::move(message));
}

// Nothing but what a Machine holds is asked for: I/O devices and private caches are most of the work and the
// memory of a load.
Topology make_topology() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) throw Error(ErrorCode::internal, "hwloc could not start");
  Topology topology(made);
  hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE}) {
    hwloc_topology_set_type_filter(made, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  // A NUMA node that is part of a package hangs on a group; without one hwloc gives it the whole package.
  hwloc_topology_set_type_filter(made, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                     HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
  return topology;
}

CpuSet to_cpu_set(hwloc_const_bitmap_t bitmap) {
  CpuSet cpus;
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu)) {
    if (cpu > static_cast<int>(CpuSet::kLargest)) {
      refuse_topology("the topology has CPU " + std::to_string(cpu) + ", but CPUs are numbered 0 to " +
                      std::to_string(CpuSet::kLargest));
    }
    cpus.insert(static_cast<unsigned>(cpu));
  }
  return cpus;
}

// Calls visit(hwloc_obj_t) for each object of the type, in hwloc's order: by first CPU.
template <class Visit>
void for_each_object(hwloc_topology_t topology, hwloc_obj_type_t type, Visit&& visit) {
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    visit(object);
  }
}

// The value that the whole machine or its first package has; empty if neither.
std::string info(hwloc_topology_t topology, const char* name) {
  const char* value = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name);
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  if (value == nullptr && package != nullptr) value = hwloc_obj_get_info_by_name(package, name);
  return value == nullptr ? "" : std::string(trim(value));
}

std::string vendor_of(hwloc_topology_t topology) {
  std::string vendor = info(topology, "CPUVendor");
  for (const VendorName& known : kVendors) {
    if (known.cpuid == vendor) return std::string(known.ours);
  }
  return vendor;
}

struct CpuKind {
  CpuSet cpus;
  int efficiency = -1;
  std::optional<unsigned> highest_mhz;
};

std::vector<CpuKind> kinds_of(hwloc_topology_t topology) {
  std::vector<CpuKind> kinds(static_cast<std::size_t>(std::max(0, hwloc_cpukinds_get_nr(topology, 0))));
  const Bitmap cpus(hwloc_bitmap_alloc());
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    CpuKind& kind = kinds[index];
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(index), cpus.get(), &kind.efficiency, &count,
                                &infos, 0) != 0) {
      continue;
    }
    kind.cpus = to_cpu_set(cpus.get());
    for (const hwloc_info_s& info : std::span(infos, count)) {
      if (std::string_view(info.name) == "FrequencyMaxMHz") {
        kind.highest_mhz = parse_integer<unsigned>(info.value);
      }
    }
  }
  return kinds;
}

// Cores of one kind differ a little in the frequency that they reach, and hwloc may make kinds of that.
bool differ(const std::vector<CpuKind>& kinds) {
  if (kinds.size() < 2) return false;
  const auto [lowest, highest] = std::ranges::minmax(kinds, {}, &CpuKind::highest_mhz);
  constexpr unsigned kAlikePercent = 90;
  return !lowest.highest_mhz ||
         std::uint64_t{*lowest.highest_mhz} * 100 < std::uint64_t{*highest.highest_mhz} * kAlikePercent;
}

// The rank of the kind of each CPU; empty where all are alike.
std::unordered_map<unsigned, int> efficiencies(hwloc_topology_t topology) {
  std::unordered_map<unsigned, int> ranks;
  const std::vector<CpuKind> kinds = kinds_of(topology);
  if (!differ(kinds)) return ranks;
  for (const CpuKind& kind : kinds) {
    kind.cpus.for_each([&](unsigned cpu) { ranks[cpu] = kind.efficiency; });
  }
  return ranks;
}

// A CPU that hwloc sees in no core is a core of its own.
std::vector<Core> cores_of(hwloc_topology_t topology) {
  const auto ranks = efficiencies(topology);
  std::vector<Core> cores;
  hwloc_obj_t last_core = nullptr;
  for_each_object(topology, HWLOC_OBJ_PU, [&](hwloc_obj_t pu) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    if (core == nullptr || core != last_core) {
      const auto rank = ranks.find(pu->os_index);
      cores.push_back({.cpus = {}, .ccd = {}, .efficiency = rank == ranks.end() ? -1 : rank->second});
    }
    cores.back().cpus.push_back(pu->os_index);
    last_core = core;
  });
  return cores;
}

enum class MissingIds { leave_out, refuse_machine };

std::vector<Ccd> ccds_of(hwloc_topology_t topology, std::span<const CacheId> ids, MissingIds missing) {
  const auto count = static_cast<std::size_t>(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE));
  if (!ids.empty() && ids.size() != count) {
    refuse_topology(counted(ids.size(), "L3 id") + " for " + counted(count, "L3 cache"));
  }
  std::vector<Ccd> ccds;
  std::size_t index = 0;
  for_each_object(topology, HWLOC_OBJ_L3CACHE, [&](hwloc_obj_t l3) {
    const CpuSet cpus = to_cpu_set(l3->cpuset);
    const unsigned id = ids.empty() ? l3->os_index : ids[index++].value;
    if (id == HWLOC_UNKNOWN_INDEX && missing == MissingIds::leave_out) return;
    if (id == HWLOC_UNKNOWN_INDEX) {
      refuse_topology("the L3 cache of CPUs " + cpus.to_list() +
                      " has no id; list the ids of all L3 caches in \"l3_ids\"");
    }
    ccds.push_back({.id = CacheId{id}, .cpus = cpus, .l3_bytes = l3->attr->cache.size});
  });
  return ccds;
}

// hwloc lends a node of memory only the CPUs that are near to it. The kernel numbers the nodes with CPUs of
// their own first, so a CPU belongs to the first node that has it.
std::vector<Node> nodes_of(hwloc_topology_t topology) {
  std::vector<Node> nodes;
  for_each_object(topology, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t node) {
    nodes.push_back({.id = NodeId{node->os_index},
                     .cpus = to_cpu_set(node->cpuset),
                     .memory_bytes = node->attr->numanode.local_memory});
  });
  std::ranges::sort(nodes, {}, &Node::id);
  CpuSet taken;
  for (Node& node : nodes) {
    node.cpus -= taken;
    taken |= node.cpus;
  }
  return nodes;
}

std::vector<Socket> sockets_of(hwloc_topology_t topology) {
  std::vector<Socket> sockets;
  for_each_object(topology, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t package) {
    const bool numbered = package->os_index != HWLOC_UNKNOWN_INDEX;
    sockets.push_back({.id = SocketId{numbered ? package->os_index : package->logical_index},
                       .cpus = to_cpu_set(package->cpuset)});
  });
  return sockets;
}

Machine to_machine(hwloc_topology_t topology, std::span<const CacheId> l3_ids, MissingIds missing) {
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  Machine machine;
  machine.vendor = vendor_of(topology);
  machine.model = info(topology, "CPUModel");
  machine.offline = to_cpu_set(root->complete_cpuset) - to_cpu_set(root->cpuset);
  machine.cores = cores_of(topology);
  machine.ccds = ccds_of(topology, l3_ids, missing);
  machine.nodes = nodes_of(topology);
  machine.sockets = sockets_of(topology);
  return complete_machine(std::move(machine));
}

// hwloc builds whatever is asked, so that a small description could take all memory.
void check_size(std::string_view description) {
  std::uint64_t objects = 1;
  int depth = 0;  // of () and [], which hold no levels of CPUs
  std::string_view number;
  for (std::size_t at = 0; at <= description.size(); ++at) {
    const char letter = at < description.size() ? description[at] : ' ';
    if (letter == '(' || letter == '[') ++depth;
    if (depth == 0 && letter >= '0' && letter <= '9') {
      number =
          number.empty() ? description.substr(at, 1) : std::string_view(number.data(), number.size() + 1);
    } else if (!number.empty()) {
      const bool is_count =
          number.data() == description.data() || *(number.data() - 1) == ':' || *(number.data() - 1) == ' ';
      if (is_count) objects *= std::max<std::uint64_t>(1, parse_integer<std::uint32_t>(number).value_or(~0U));
      if (objects > CpuSet::kLargest) {
        refuse_topology("the description has more CPUs than the " + std::to_string(CpuSet::kLargest) +
                        " that are possible");
      }
      number = {};
    }
    if (letter == ')' || letter == ']') --depth;
  }
}

}  // namespace

Machine load_live_machine() {
  const Topology topology = make_topology();
  // CPUID on a virtual host may tell of caches and cores that the kernel does not see: only the kernel
  // counts.
  hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc_topology_load(topology.get()) != 0) {
    throw Error(ErrorCode::unsupported,
                std::string("hwloc cannot read this host's topology: ") + std::strerror(errno));
  }
  Machine machine = to_machine(topology.get(), {}, MissingIds::leave_out);
  machine.name = "this host";
  return machine;
}

Machine load_synthetic_machine(const std::string& description, std::span<const CacheId> l3_ids) {
  check_size(description);
  const Topology topology = make_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    refuse_topology("hwloc does not understand the description \"" + description + '"');
  }
  return to_machine(topology.get(), l3_ids, MissingIds::refuse_machine);
}

Machine load_xml_machine(const std::string& xml, std::span<const CacheId> l3_ids) {
  const Topology topology = make_topology();
  // The length that hwloc wants counts the NUL at the end.
  if (xml.size() >= std::numeric_limits<int>::max() ||
      hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(), static_cast<int>(xml.size() + 1)) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    refuse_topology("hwloc does not understand the XML; it must be what lstopo writes");
  }
  return to_machine(topology.get(), l3_ids, MissingIds::refuse_machine);
}

}  // namespace bulkhead
