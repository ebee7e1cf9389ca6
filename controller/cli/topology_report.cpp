// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/topology_report.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/base/units.h"
#include "controller/cli/picture.h"

namespace bulkhead {
namespace {

std::string counts(const Machine& machine) {
  std::string text = counted(machine.sockets.size(), "socket") + ", " +
                     counted(machine.nodes.size(), "node") + ", " + counted(machine.ccds.size(), "CCD") +
                     ", " + counted(machine.cores.size(), "core") + ", " +
                     counted(machine.cpus.size(), "CPU");
  if (!machine.offline.empty()) text += ", offline " + machine.offline.to_list();
  return text;
}

// "32 MiB", or "16 MiB to 32 MiB".
std::string l3_sizes(const Machine& machine) {
  const auto [least, most] =
      std::minmax_element(machine.ccds.begin(), machine.ccds.end(),
                          [](const Ccd& a, const Ccd& b) { return a.l3_bytes < b.l3_bytes; });
  if (least == machine.ccds.end()) return "none";
  std::string text = format_bytes(least->l3_bytes);
  if (most->l3_bytes != least->l3_bytes) text += " to " + format_bytes(most->l3_bytes);
  return text + (machine.ccds.size() == 1 ? "" : " in each CCD");
}

std::string cache_text(const Machine& machine, const Capabilities& capabilities) {
  std::string text = l3_sizes(machine);
  if (!capabilities.l3) return text + ", cannot be divided";
  const CacheCapability& l3 = *capabilities.l3;
  text += ": " + counted(l3.ways(), "way");
  if (!machine.ccds.empty())
    text += " of " + format_bytes(machine.ccds.front().l3_bytes / std::max(1U, l3.ways()));
  text += ", " + counted(l3.closids, "CLOSID");
  if (l3.min_ways > 1) text += ", at least " + counted(l3.min_ways, "way");
  if (l3.sparse) text += ", gaps allowed";
  if (capabilities.cdp) text += ", code and data apart";
  if (!l3.shareable.empty()) text += ", devices share " + l3.shareable.to_hex();
  return text;
}

std::string bandwidth_text(const BandwidthCapability& bandwidth) {
  switch (bandwidth.unit) {
    case BandwidthUnit::percent:
      return "percent in steps of " + std::to_string(bandwidth.granularity) + " from " +
             std::to_string(bandwidth.min) + " on, " + counted(bandwidth.closids, "CLOSID");
    case BandwidthUnit::eighth_gb:
      return "in steps of 1/8 GB/s, unlimited is " + std::to_string(bandwidth.unlimited) + ", " +
             counted(bandwidth.closids, "CLOSID");
    case BandwidthUnit::mib_per_second:
      return "in MiB/s, held by the kernel's own controller, " + counted(bandwidth.closids, "CLOSID");
  }
  return {};
}

// "L3         32 MiB in each CCD: ...", with lines that fit.
std::string line(std::string_view what, const std::string& text, const Style& style) {
  constexpr std::size_t kIndent = 11;
  return padded(what, kIndent) + wrapped(text, style.width - kIndent, std::string(kIndent, ' ')) + '\n';
}

}  // namespace

std::string topology_report(const Machine& machine, const Capabilities& capabilities,
                            const std::string& no_resctrl, const Style& style) {
  const std::string model = machine.model.empty() ? "" : ", " + machine.model;
  std::string text =
      titled(machine.name, model, style) + '\n' + wrapped(counts(machine), style.width, "") + '\n';
  text += line("L3", cache_text(machine, capabilities), style);
  if (capabilities.l2)
    text += line("L2", counted(capabilities.l2->ways(), "way") + ", not planned by Bulkhead", style);
  if (capabilities.memory) text += line("bandwidth", bandwidth_text(*capabilities.memory), style);
  if (capabilities.slow) text += line("slow mem.", bandwidth_text(*capabilities.slow), style);
  if (capabilities.monitoring) {
    const MonitoringCapability& counters = *capabilities.monitoring;
    text += line("counters", join(counters.events, ", ") + "; " + counted(counters.rmids, "RMID"), style);
  }
  if (!no_resctrl.empty()) text += wrapped(no_resctrl, style.width, "") + '\n';
  return text + '\n' + draw_machine(machine, capabilities, style);
}

}  // namespace bulkhead
