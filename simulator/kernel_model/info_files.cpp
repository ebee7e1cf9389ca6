// SPDX-License-Identifier: Apache-2.0
// info/: what can be allocated and monitored.
#include "controller/base/way_mask.h"
#include "simulator/kernel_model/event_configuration.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

std::string Resctrl::bit_usage(const Schema& schema) const {
  std::string text;
  for (const auto& [domain, mine] : root_->values.at(schema.name)) {
    // Devices have the shareable ways, or those that io_alloc gives them.
    const std::uint64_t hardware_mask =
        schema.cache->shareable_mask | (io_ ? value_of(*io_, schema, domain) : 0);
    std::uint64_t shared = 0;
    std::uint64_t exclusive = 0;
    const auto add = [&, id = domain](const Group& group) {
      (group.mode == GroupMode::exclusive ? exclusive : shared) |= value_of(group, schema, id);
    };
    add(*root_);
    for (const auto& group : groups_) add(*group);
    if (!text.empty()) text += ';';
    text += std::to_string(domain) + '=';
    for (unsigned bit = schema.cache->mask_bits; bit > 0; --bit) {
      const std::uint64_t mask = std::uint64_t{1} << (bit - 1);
      const bool hardware = (hardware_mask & mask) != 0;
      const bool software = (shared & mask) != 0;
      text += hardware && software      ? 'X'
              : hardware                ? 'H'
              : software                ? 'S'
              : (exclusive & mask) != 0 ? 'E'
                                        : '0';
    }
  }
  return text;
}

Node Resctrl::cache_information(const Schema& schema) {
  const CacheShape& cache = *schema.cache;
  Entries files{
      {"bit_usage", [this, &schema] { return text_file(bit_usage(schema)); }},
      {"cbm_mask", [&schema] { return text_file(WayMask{schema.full_mask()}.to_hex()); }},
      {"min_cbm_bits", [&cache] { return text_file(std::to_string(cache.min_bits)); }},
      {"num_closids", [&schema] { return text_file(std::to_string(schema.closids)); }},
      {"shareable_bits", [&cache] { return text_file(WayMask{cache.shareable_mask}.to_hex()); }},
  };
  if (world_.at_least(Generation::linux_6_12)) {
    files.emplace_back("sparse_masks", [&cache] { return text_file(cache.sparse ? "1" : "0"); });
  }
  if (cache.io_allocation && world_.at_least(Generation::linux_7)) add_io_files(schema, files);
  return directory(std::move(files));
}

Node Resctrl::bandwidth_information(const Schema& schema) {
  const BandwidthShape& bandwidth = *schema.bandwidth;
  Entries files{
      {"bandwidth_gran", [&bandwidth] { return text_file(std::to_string(bandwidth.granularity)); }},
      {"delay_linear", [&bandwidth] { return text_file(bandwidth.percent ? "1" : "0"); }},
      {"min_bandwidth", [&bandwidth] { return text_file(std::to_string(bandwidth.min)); }},
      {"num_closids", [&schema] { return text_file(std::to_string(schema.closids)); }},
  };
  if (bandwidth.percent) {
    files.emplace_back("thread_throttle_mode",
                       [&bandwidth] { return text_file(bandwidth.per_thread ? "per-thread" : "max"); });
  }
  return directory(std::move(files));
}

Node Resctrl::monitoring_information() {
  const bool configurable = counting_.is_configurable();
  Entries files{
      {"max_threshold_occupancy",
       [this] {
         return file(
             [this] {
               return Answer{0, std::to_string(threshold_) + '\n'};
             },
             [this](std::string_view text) { return write_threshold(text); });
       }},
      {"mon_features",
       [this, configurable] {
         std::string text;
         for (const std::string& event : counters_.shape().events) {
           text += (text.empty() ? "" : "\n") + event;
           if (configurable && counts_bandwidth(event)) text += '\n' + event + "_config";
         }
         return text_file(text);
       }},
      {"num_rmids", [this] { return text_file(std::to_string(counters_.shape().rmids)); }},
  };
  for (auto& entry : counting_.information()) files.push_back(std::move(entry));
  return directory(std::move(files));
}

Node Resctrl::info_directory() {
  Entries entries;
  for (const Schema& schema : schemas_) {
    entries.emplace_back(schema.name, [this, &schema] {
      return schema.cache != nullptr ? cache_information(schema) : bandwidth_information(schema);
    });
  }
  if (rmids_) entries.emplace_back("L3_MON", [this] { return monitoring_information(); });
  entries.emplace_back("last_cmd_status", [this] {
    return file([this] { return Answer{0, status_.text()}; });
  });
  return directory(std::move(entries));
}

}  // namespace bulkhead::sim
