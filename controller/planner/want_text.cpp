// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/want_text.h"

#include <array>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::array kScopes{
    ScopeWord{CpuScope::sockets, "socket", "sockets"}, ScopeWord{CpuScope::nodes, "node", "nodes"},
    ScopeWord{CpuScope::ccds, "CCD", "CCDs"},          ScopeWord{CpuScope::cores, "core", "cores"},
    ScopeWord{CpuScope::cpus, "CPU", "CPUs"},
};

std::string describe_choice(const CpuWant& want) {
  switch (want.choice) {
    case CpuChoice::all:
      return "all";
    case CpuChoice::rest:
      return "rest";
    case CpuChoice::listed:
      if (want.every_id) return "all " + std::string(word_of(want.scope).many);
      return std::string(want.ids.size() == 1 ? word_of(want.scope).one : word_of(want.scope).many) + ' ' +
             want.ids.to_list();
    case CpuChoice::counted:
      break;
  }
  std::string text = count_of(want.count, want.scope);
  if (want.within) text += " within a " + std::string(word_of(*want.within).one);
  return text;
}

struct CacheAmountText {
  std::string operator()(Percent percent) const { return percent.to_string(); }
  std::string operator()(Ways ways) const { return counted(ways.count, "way"); }
  std::string operator()(CacheSize size) const { return format_bytes(size.bytes); }
  std::string operator()(WayMask mask) const { return "mask " + mask.to_hex(); }
};

struct BandwidthAmountText {
  std::string operator()(Unlimited) const { return "unlimited"; }
  std::string operator()(Rate rate) const { return format_rate(rate.bytes_per_second); }
  std::string operator()(Percent percent) const { return percent.to_string(); }
};

}  // namespace

const ScopeWord& word_of(CpuScope scope) {
  for (const ScopeWord& row : kScopes) {
    if (row.scope == scope) return row;
  }
  return kScopes.back();
}

std::string count_of(std::size_t count, CpuScope scope) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? word_of(scope).one : word_of(scope).many);
}

std::string describe(const CpuWant& want) {
  std::string text = describe_choice(want);
  if (const auto* number = std::get_if<unsigned>(&want.cores_per_ccd)) {
    text += ", " + count_of(*number, CpuScope::cores) + " of each CCD";
  } else if (const auto* percent = std::get_if<Percent>(&want.cores_per_ccd)) {
    text += ", " + percent->to_string() + " of the cores of each CCD";
  }
  if (want.threads_per_core) {
    text += ", " + counted(*want.threads_per_core, "thread") + " of each core";
    if (want.thread != 0) text += " from thread " + std::to_string(want.thread) + " on";
  }
  return text;
}

std::string describe(const CacheAmount& amount) {
  return std::visit(CacheAmountText{}, amount);
}

std::string describe(const CacheWant& want) {
  if (!want.code) return describe(want.data);
  return "code " + describe(*want.code) + ", data " + describe(want.data);
}

std::string describe(const BandwidthAmount& amount) {
  return std::visit(BandwidthAmountText{}, amount);
}

std::string describe(const BandwidthWant& want) {
  std::string text = describe(want.memory);
  if (want.slow) text += ", slow memory " + describe(*want.slow);
  return text;
}

}  // namespace bulkhead
