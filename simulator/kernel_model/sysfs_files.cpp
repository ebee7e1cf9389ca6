// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/sysfs_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "controller/base/text.h"
#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/processor_kind.h"

namespace bulkhead::sim {
namespace {

constexpr std::uint64_t kKib = 1024;
constexpr unsigned kLineBytes = 64;
constexpr unsigned kOwnDistance = 10, kOtherDistance = 12, kOtherSocketDistance = 32;

// "cpu12" with prefix "cpu" is 12.
std::optional<unsigned> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const auto number = parse_integer<unsigned>(name);
  return number && std::to_string(*number) == name ? number : std::nullopt;
}

// A folder with files of its own and numbered ones, which are only made when one is asked for.
Node numbered_directory(Entries own, const std::string& prefix, const CpuSet& numbers,
                        std::function<Node(unsigned)> make) {
  Node node = directory(std::move(own));
  node.names = [own_names = node.names, prefix, numbers] {
    std::vector<std::string> names = own_names();
    numbers.for_each([&](unsigned number) { names.push_back(prefix + std::to_string(number)); });
    return names;
  };
  node.child = [own_child = node.child, prefix, numbers, make = std::move(make)](const std::string& name) {
    const auto number = number_after(prefix, name);
    return number && numbers.contains(*number) ? make(*number) : own_child(name);
  };
  return node;
}

}  // namespace

struct SysfsFiles::Cache {
  unsigned level;
  const char* type;
  std::uint64_t bytes;
  unsigned ways;
};

SysfsFiles::SysfsFiles(World& world, std::function<void(unsigned, bool)> switch_cpu)
    : world_(world), switch_cpu_(std::move(switch_cpu)) {}

template <class Same>
CpuSet SysfsFiles::sharing(Same&& same) const {
  CpuSet found;
  for (const CpuPlace& place : world_.shape.cpus) {
    if (world_.online.contains(place.cpu) && same(place)) found.insert(place.cpu);
  }
  return found;
}

std::string SysfsFiles::set_mask(const CpuSet& cpus) const {
  return to_mask(cpus, world_.cpu_bits());
}

Node SysfsFiles::cpus_directory() {
  const CpuSet all = world_.shape.all_cpus();
  Entries own{
      {"isolated", [] { return text_file(""); }},
      {"kernel_max", [] { return text_file("8191"); }},
      {"offline", [this, all] { return text_file((all - world_.online).to_list()); }},
      {"online", [this] { return text_file(world_.online.to_list()); }},
      {"possible", [all] { return text_file(all.to_list()); }},
      {"present", [all] { return text_file(all.to_list()); }},
      {"smt",
       [this] {
         const CpuPlace& first = world_.shape.cpus.front();
         const bool threads = sharing([&](const CpuPlace& place) {
                                return place.socket == first.socket && place.core == first.core;
                              }).size() > 1;
         return directory({{"active", [threads] { return text_file(threads ? "1" : "0"); }},
                           {"control", [threads] { return text_file(threads ? "on" : "notsupported"); }}});
       }},
  };
  return numbered_directory(std::move(own), "cpu", all, [this](unsigned cpu) {
    const auto place = std::ranges::find(world_.shape.cpus, cpu, &CpuPlace::cpu);
    return cpu_directory(*place);
  });
}

// A CPU that is offline has lost its caches and its topology.
Node SysfsFiles::cpu_directory(const CpuPlace& place) {
  Entries entries;
  if (place.cpu != 0) {  // the first one cannot be switched off
    entries.emplace_back("online", [this, cpu = place.cpu] { return online_file(cpu); });
  }
  if (world_.online.contains(place.cpu)) {
    entries.emplace_back("cache", [this, &place] { return caches_directory(place); });
    entries.emplace_back("topology", [this, &place] { return topology_directory(place); });
    entries.emplace_back("node" + std::to_string(place.node),
                         [&place] { return link("../../node/node" + std::to_string(place.node)); });
  }
  return directory(std::move(entries));
}

Node SysfsFiles::online_file(unsigned cpu) {
  return file(
      [this, cpu] {
        return Answer{0, world_.online.contains(cpu) ? "1\n" : "0\n"};
      },
      [this, cpu](std::string_view text) {
        const std::optional<bool> wanted = parse_bool(text);
        if (!wanted) return EINVAL;
        if (*wanted != world_.online.contains(cpu)) switch_cpu_(cpu, *wanted);
        return 0;
      });
}

Node SysfsFiles::topology_directory(const CpuPlace& place) {
  const std::function<CpuSet()> threads = [this, &place] {
    return sharing(
        [&](const CpuPlace& other) { return other.socket == place.socket && other.core == place.core; });
  };
  const std::function<CpuSet()> package = [this, &place] {
    return sharing([&](const CpuPlace& other) { return other.socket == place.socket; });
  };
  Entries entries{
      {"core_id", [&place] { return text_file(std::to_string(place.core)); }},
      {"die_id", [] { return text_file("0"); }},
      {"physical_package_id", [&place] { return text_file(std::to_string(place.socket)); }},
  };
  const std::pair<std::string, std::function<CpuSet()>> sets[] = {{"core_cpus", threads},
                                                                  {"thread_siblings", threads},
                                                                  {"die_cpus", package},
                                                                  {"core_siblings", package},
                                                                  {"package_cpus", package}};
  for (const auto& [name, cpus] : sets) {
    entries.emplace_back(name, [this, cpus = cpus] { return text_file(set_mask(cpus())); });
    entries.emplace_back(name + "_list", [cpus = cpus] { return text_file(cpus().to_list()); });
  }
  return directory(std::move(entries));
}

Node SysfsFiles::caches_directory(const CpuPlace& place) {
  const KernelShape& shape = world_.shape;
  const ProcessorKind& kind = *processor_of(shape).kind;
  const PrivateCache& l1 = kind.l1_data;
  const PrivateCache& l2 = kind.l2;
  const std::array<Cache, 4> caches = {{
      {1, "Data", l1.kib * kKib, l1.ways},
      {1, "Instruction", 32 * kKib, 8},
      {2, "Unified", shape.l2 ? shape.l2->bytes : l2.kib * kKib, shape.l2 ? shape.l2->mask_bits : l2.ways},
      {3, "Unified", shape.l3.value_or(CacheShape{}).bytes, shape.l3.value_or(CacheShape{}).mask_bits},
  }};
  Entries entries;
  for (std::size_t index = 0; index < caches.size(); ++index) {
    entries.emplace_back("index" + std::to_string(index),
                         [this, &place, cache = caches[index]] { return cache_directory(place, cache); });
  }
  return directory(std::move(entries));
}

Node SysfsFiles::cache_directory(const CpuPlace& place, const Cache& cache) {
  const unsigned level = cache.level;
  const auto cpus = [this, &place, level] {
    return sharing([&](const CpuPlace& other) {
      if (level == 3) return other.l3 == place.l3;
      if (level == 2) return other.l2 == place.l2;
      return other.socket == place.socket && other.core == place.core;
    });
  };
  const auto number = [](std::uint64_t value) {
    return [value] { return text_file(std::to_string(value)); };
  };
  return directory({
      {"coherency_line_size", number(kLineBytes)},
      {"id", number(level == 3 ? place.l3 : place.l2)},
      {"level", number(level)},
      {"number_of_sets", number(cache.bytes / cache.ways / kLineBytes)},
      {"physical_line_partition", number(1)},
      {"shared_cpu_list", [cpus] { return text_file(cpus().to_list()); }},
      {"shared_cpu_map", [this, cpus] { return text_file(set_mask(cpus())); }},
      {"size", [bytes = cache.bytes] { return text_file(std::to_string(bytes / kKib) + 'K'); }},
      {"type", [type = cache.type] { return text_file(type); }},
      {"ways_of_associativity", number(cache.ways)},
  });
}

Node SysfsFiles::nodes_directory() {
  const CpuSet nodes = world_.shape.all_nodes();
  Entries own;
  for (const char* name : {"has_cpu", "has_memory", "has_normal_memory", "online", "possible"}) {
    own.emplace_back(name, [nodes] { return text_file(nodes.to_list()); });
  }
  return numbered_directory(std::move(own), "node", nodes,
                            [this](unsigned node) { return node_directory(node); });
}

Node SysfsFiles::node_directory(unsigned node) {
  const auto cpus = [this, node] { return world_.shape.cpus_of_node(node) & world_.online; };
  const auto socket_of = [this](unsigned of) {
    return std::ranges::find(world_.shape.cpus, of, &CpuPlace::node)->socket;
  };
  const auto distances = [this, node, socket_of] {
    std::vector<std::string> all;
    world_.shape.all_nodes().for_each([&](unsigned other) {
      const unsigned distance = other == node                         ? kOwnDistance
                                : socket_of(other) == socket_of(node) ? kOtherDistance
                                                                      : kOtherSocketDistance;
      all.push_back(std::to_string(distance));
    });
    return join(all, " ");
  };
  const auto memory = [this, node] {
    const std::string total = std::to_string(world_.shape.node_bytes / kKib);
    const std::string line = "Node " + std::to_string(node);
    return line + " MemTotal:       " + total + " kB\n" + line + " MemFree:        " + total + " kB\n" +
           line + " MemUsed:               0 kB";
  };
  return directory({{"cpulist", [cpus] { return text_file(cpus().to_list()); }},
                    {"cpumap", [this, cpus] { return text_file(set_mask(cpus())); }},
                    {"distance", [distances] { return text_file(distances()); }},
                    {"meminfo", [memory] { return text_file(memory()); }}});
}

}  // namespace bulkhead::sim
