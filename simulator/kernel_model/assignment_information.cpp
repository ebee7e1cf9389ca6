// SPDX-License-Identifier: Apache-2.0
// The files of info/L3_MON about the counters that are assigned.
#include <algorithm>
#include <cerrno>
#include <optional>

#include "controller/base/text.h"
#include "simulator/kernel_model/bandwidth_counting.h"
#include "simulator/kernel_model/event_configuration.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
int BandwidthCounting::write_mode(std::string_view text) {
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  status_.clear();
  if (text != "default" && text != "mbm_event") return fail(EINVAL, "Unsupported assign mode");
  if (text == "mbm_event" && assignments_.counters() == 0)
    return fail(EINVAL, "mbm_event mode is not supported");
  const bool wanted = text == "mbm_event";
  if (wanted == assignments_.enabled()) return 0;
  assignments_.enable(wanted);
  filters_.clear();
  domains_().for_each([&](unsigned domain) { counters_.restart_domain(domain); });
  return 0;
}

int BandwidthCounting::write_filter(const std::string& event, std::string_view text) {
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  status_.clear();
  if (!assignments_.enabled()) return fail(EINVAL, kNotEnabled);
  unsigned bits = 0;
  for (const std::string_view part : split(text, ',')) {
    const auto found = std::ranges::find(kTransactions, strip(part), &Transaction::name);
    if (found == kTransactions.end()) {
      return fail(EINVAL, "Invalid memory transaction type " + std::string(strip(part)));
    }
    bits |= found->bit;
  }
  filters_[event] = bits;
  return 0;
}

std::string BandwidthCounting::print_filter(const std::string& event) const {
  const auto found = filters_.find(event);
  const unsigned bits = found == filters_.end() ? default_transactions(event) : found->second;
  std::string text;
  for (const Transaction& each : kTransactions) {
    if ((bits & each.bit) != 0) text += (text.empty() ? "" : ",") + std::string(each.name);
  }
  return text;
}

// A file that answers EINVAL while counters are not assigned.
Node BandwidthCounting::enabled_file(std::function<std::string()> read,
                                     std::function<int(std::string_view)> write) {
  return file(
      [this, read = std::move(read)]() -> Answer {
        status_.clear();
        if (!assignments_.enabled()) return {fail(EINVAL, kNotEnabled), {}};
        return {0, read() + '\n'};
      },
      std::move(write));
}

Entries BandwidthCounting::assignment_information() {
  Entries files{
      {"mbm_assign_mode", [this] {
         return file(
             [this]() -> Answer {
               if (assignments_.counters() == 0) return {0, "[default]\n"};
               return {0, assignments_.enabled() ? "[mbm_event]\ndefault\n" : "[default]\nmbm_event\n"};
             },
             [this](std::string_view text) { return write_mode(text); });
       }}};
  if (assignments_.counters() == 0) return files;
  files.emplace_back("num_mbm_cntrs", [this] { return text_file(print_counters(false)); });
  files.emplace_back("available_mbm_cntrs",
                     [this] { return enabled_file([this] { return print_counters(true); }); });
  files.emplace_back("mbm_assign_on_mkdir", [this] {
    return enabled_file([this] { return std::string(assignments_.on_mkdir() ? "1" : "0"); },
                        [this](std::string_view text) { return write_on_mkdir(text); });
  });
  files.emplace_back("event_configs", [this] {
    Entries folders;
    for (const std::string& event : events()) {
      folders.emplace_back(event, [this, event] {
        return directory({{"event_filter", [this, event] {
                             return enabled_file(
                                 [this, event] { return print_filter(event); },
                                 [this, event](std::string_view text) { return write_filter(event, text); });
                           }}});
      });
    }
    return directory(std::move(folders));
  });
  return files;
}

int BandwidthCounting::write_on_mkdir(std::string_view text) {
  const std::optional<bool> wanted = parse_bool(text);
  if (!wanted) return EINVAL;
  status_.clear();
  if (!assignments_.enabled()) return fail(EINVAL, kNotEnabled);
  assignments_.set_on_mkdir(*wanted);
  return 0;
}

std::string BandwidthCounting::print_counters(bool available) const {
  std::string text;
  domains_().for_each([&](unsigned domain) {
    const unsigned count = available ? assignments_.available(domain) : assignments_.counters();
    text += (text.empty() ? "" : ";") + std::to_string(domain) + '=' + std::to_string(count);
  });
  return text;
}

Entries BandwidthCounting::information() {
  Entries files;
  if (is_configurable()) files = configuration_files();
  if (world_.shape.generation >= Generation::linux_7) {
    for (auto& entry : assignment_information()) files.push_back(std::move(entry));
  }
  return files;
}

}  // namespace bulkhead::sim
