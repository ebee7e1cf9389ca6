// SPDX-License-Identifier: Apache-2.0
// info/L3_MON/mbm_*_bytes_config (BMEC): what each domain counts. Domains are changed one by one, up to a
// mistake.
#include <cerrno>
#include <limits>
#include <optional>

#include "controller/base/text.h"
#include "controller/base/way_mask.h"
#include "simulator/kernel_model/bandwidth_counting.h"
#include "simulator/kernel_model/event_configuration.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
bool BandwidthCounting::is_configurable() const {
  const auto& monitoring = world_.shape.monitoring;
  return monitoring && monitoring->configurable_events && world_.shape.generation >= Generation::linux_6_12 &&
         !assignments_.enabled();  // then they have filters instead
}

unsigned BandwidthCounting::transactions(unsigned domain, const std::string& event) const {
  const auto found = transactions_.find({domain, event});
  return found == transactions_.end() ? default_transactions(event) : found->second;
}

std::string BandwidthCounting::print_configuration(const std::string& event) const {
  std::string text;
  domains_().for_each([&](unsigned domain) {
    const std::string hex = WayMask{transactions(domain, event)}.to_hex();
    text += (text.empty() ? "" : ";") + std::to_string(domain) + "=0x" + (hex.size() < 2 ? "0" : "") + hex;
  });
  return text;
}

int BandwidthCounting::write_configuration(const std::string& event, std::string_view text) {
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  status_.clear();
  for (const std::string_view part : split(text, ';')) {
    const std::string_view item = strip(part);
    const std::size_t equals = item.find('=');
    const ParsedNumber domain = parse_number(item.substr(0, equals), 10, 0, kLargestLong);
    if (domain.error != 0) return fail(EINVAL, "Missing '=' or non-numeric domain id");
    const ParsedNumber value = equals == std::string_view::npos
                                   ? ParsedNumber{EINVAL}
                                   : parse_number(item.substr(equals + 1), 16, 0, kLargestLong);
    if (value.error != 0) return fail(EINVAL, "Non-numeric event configuration value");
    if ((value.value & ~std::int64_t{kAllTransactions}) != 0) {
      return fail(EINVAL, "Invalid event configuration: max valid mask is 0x7f");
    }
    const auto id = static_cast<unsigned>(domain.value);
    if (id != domain.value || !domains_().contains(id)) return EINVAL;
    configure(id, event, static_cast<unsigned>(value.value));
  }
  return 0;
}

void BandwidthCounting::configure(unsigned domain, const std::string& event, unsigned wanted) {
  if (transactions(domain, event) == wanted) return;
  transactions_[{domain, event}] = wanted;
  // The hardware begins anew with both events of all groups, and has nothing to say at once.
  counters_.restart_domain(domain);
}

Entries BandwidthCounting::configuration_files() {
  Entries files;
  for (const std::string& event : events()) {
    files.emplace_back(event + "_config", [this, event] {
      return file(
          [this, event] {
            return Answer{0, print_configuration(event) + '\n'};
          },
          [this, event](std::string_view text) { return write_configuration(event, text); });
    });
  }
  return files;
}

}  // namespace bulkhead::sim
