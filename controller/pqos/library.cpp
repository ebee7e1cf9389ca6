// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/library.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <set>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/base/way_mask.h"
#include "controller/pqos/library_counting.h"
#include "controller/pqos/library_functions.h"
#include "controller/resctrl/class_name.h"

namespace bulkhead {
namespace {

constexpr const char* kLibrary = "libpqos.so.4";
constexpr unsigned kVersion = 4;  // later ones have other structures
constexpr unsigned kWholePercent = 100;

std::string reason_of(int answer) {
  constexpr std::array<std::string_view, 10> kReasons{
      "no error",          "generic error",   "parameter error",           "resource error",
      "not initialised",   "transport error", "performance counter error", "busy",
      "no such interface", "overflow"};
  const auto index = static_cast<std::size_t>(answer);
  return index < kReasons.size() ? std::string(kReasons[index]) : "error " + std::to_string(answer);
}

void note(void* context, std::size_t size, const char* message) {
  std::string& said = *static_cast<std::string*>(context);
  const std::string_view line = trim({message, size});
  if (!line.empty()) said += (said.empty() ? "" : "; ") + std::string(line);
}

bool has_ended(unsigned task) {
  return ::kill(static_cast<pid_t>(task), 0) != 0 && errno == ESRCH;
}

PqosCache cache_of(const pqos_cap_l3ca& found) {
  return {.classes = std::min(found.num_classes, kMostPqosClasses),
          .ways = found.num_ways,
          .shareable = found.way_contention,
          .cdp = found.cdp_on != 0};
}

PqosBandwidth bandwidth_of(const pqos_cap_mba& found, bool amd) {
  const unsigned classes = std::min(found.num_classes, kMostPqosClasses);
  if (amd) return {.classes = classes, .min = 1, .step = 1, .unlimited = kLargestPqosBandwidthOnAmd};
  return {.classes = classes,
          .min = kWholePercent - std::min(found.throttle_max, kWholePercent),
          .step = std::max(1U, found.throttle_step),
          .unlimited = kWholePercent};
}

}  // namespace

PqosLibrary::PqosLibrary() : counting_(std::make_unique<Counting>()) {}
PqosLibrary::~PqosLibrary() = default;

void PqosLibrary::load() {
  if (functions_) return;
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(ErrorCode::unsupported,
                "libpqos is not installed (Debian has it in intel-cmt-cat): " + std::string(::dlerror()));
  }
  auto functions = std::make_unique<Functions>();
  const auto find = [&](auto& function, const char* name) {
    void* address = ::dlsym(library, name);
    if (address == nullptr) {
      throw Error(ErrorCode::unsupported,
                  std::string(kLibrary) + " has no " + name + ": it is not Bulkhead's");
    }
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  find(functions->init, "pqos_init");
  find(functions->fini, "pqos_fini");
  find(functions->cap_get, "pqos_cap_get");
  find(functions->l3ca_get, "pqos_l3ca_get");
  find(functions->l3ca_set, "pqos_l3ca_set");
  find(functions->mba_get, "pqos_mba_get");
  find(functions->mba_set, "pqos_mba_set");
  find(functions->assoc_get, "pqos_alloc_assoc_get");
  find(functions->assoc_set, "pqos_alloc_assoc_set");
  find(functions->assoc_set_pid, "pqos_alloc_assoc_set_pid");
  find(functions->mon_assoc_get, "pqos_mon_assoc_get");
  find(functions->mon_start, "pqos_mon_start");
  find(functions->mon_stop, "pqos_mon_stop");
  find(functions->mon_poll, "pqos_mon_poll");
  find(functions->mon_reset, "pqos_mon_reset");
  functions_ = std::move(functions);
}

void PqosLibrary::require_ok(int answer, const std::string& what) const {
  if (answer == PQOS_RETVAL_OK) return;
  throw Error(ErrorDetail{.code = answer == PQOS_RETVAL_BUSY ? ErrorCode::conflict : ErrorCode::refused,
                          .message = "libpqos cannot " + what + ": " + reason_of(answer),
                          .kernel_status = said_});
}

PqosAbilities PqosLibrary::init(PqosInterface interface) {
  load();
  pqos_config config{};
  config.fd_log = -1;
  config.callback_log = note;
  config.context_log = &said_;
  config.interface = interface == PqosInterface::msr ? PQOS_INTER_MSR : PQOS_INTER_OS;
  said_.clear();
  require_ok(functions_->init(&config), "use its " + std::string(to_string(interface)) + " interface here");
  const pqos_cap* capabilities = nullptr;
  const pqos_cpuinfo* cpus = nullptr;
  require_ok(functions_->cap_get(&capabilities, &cpus), "say what this host can do");
  if (capabilities->version / 10000 != kVersion) {
    throw Error(ErrorCode::unsupported, "libpqos says that it is version " +
                                            std::to_string(capabilities->version) + ": 4.x is known here");
  }
  abilities_ = {.amd = cpus->vendor == PQOS_VENDOR_AMD};
  for (unsigned index = 0; index < capabilities->num_cap; ++index) {
    const pqos_capability& one = capabilities->capabilities[index];
    if (one.type == PQOS_CAP_TYPE_L3CA) abilities_.l3 = cache_of(*one.u.l3ca);
    if (one.type == PQOS_CAP_TYPE_MON) abilities_.counters = counting_->units(*one.u.mon);
    if (one.type == PQOS_CAP_TYPE_MBA) abilities_.memory = bandwidth_of(*one.u.mba, abilities_.amd);
  }
  for (unsigned index = 0; index < cpus->num_cores; ++index) {
    const pqos_coreinfo& core = cpus->cores[index];
    abilities_.cpus.push_back({.cpu = core.lcore, .l3_id = core.l3cat_id, .bandwidth_id = core.mba_id});
  }
  return abilities_;
}

std::vector<PqosClass> PqosLibrary::read() {
  std::vector<PqosClass> classes;
  const unsigned count = std::max(abilities_.l3 ? abilities_.l3->classes : 0,
                                  abilities_.memory ? abilities_.memory->classes : 0);
  for (unsigned number = 0; number < count; ++number) classes.push_back({.number = number});
  std::set<unsigned> caches;
  std::set<unsigned> controllers;
  for (const PqosCpu& cpu : abilities_.cpus) {
    if (abilities_.l3 && caches.insert(cpu.l3_id).second) read_masks(cpu.l3_id, classes);
    if (abilities_.memory && controllers.insert(cpu.bandwidth_id).second) {
      read_bandwidth(cpu.bandwidth_id, classes);
    }
    unsigned number = 0;
    said_.clear();
    require_ok(functions_->assoc_get(cpu.cpu, &number), "read the class of CPU " + std::to_string(cpu.cpu));
    if (number != 0 && number < count) classes[number].cpus.insert(cpu.cpu);
  }
  return classes;
}

void PqosLibrary::read_masks(unsigned id, std::vector<PqosClass>& classes) {
  std::array<pqos_l3ca, kMostPqosClasses> found{};
  unsigned count = 0;
  said_.clear();
  require_ok(functions_->l3ca_get(id, kMostPqosClasses, &count, found.data()),
             "read the masks of L3 " + std::to_string(id));
  for (const pqos_l3ca& one : std::span(found).first(std::min(count, kMostPqosClasses))) {
    if (one.class_id >= classes.size()) continue;
    Schemata& schemata = classes[one.class_id].schemata;
    if (one.cdp != 0) {
      schemata[Resource::l3_code][CacheId{id}] = one.u.s.code_mask;
      schemata[Resource::l3_data][CacheId{id}] = one.u.s.data_mask;
    } else {
      schemata[Resource::l3][CacheId{id}] = one.u.ways_mask;
    }
  }
}

void PqosLibrary::read_bandwidth(unsigned id, std::vector<PqosClass>& classes) {
  std::array<pqos_mba, kMostPqosClasses> found{};
  unsigned count = 0;
  said_.clear();
  require_ok(functions_->mba_get(id, kMostPqosClasses, &count, found.data()),
             "read the bandwidth of L3 " + std::to_string(id));
  for (const pqos_mba& one : std::span(found).first(std::min(count, kMostPqosClasses))) {
    if (one.class_id >= classes.size()) continue;
    classes[one.class_id].schemata[Resource::memory_bandwidth][CacheId{id}] = one.mb_max;
  }
}

void PqosLibrary::write(unsigned number, const Schemata& values) {
  std::set<CacheId> masks;
  for (const auto& [resource, domains] : values) {
    for (const auto& [id, value] : domains) {
      if (resource == Resource::memory_bandwidth) {
        write_bandwidth(number, id.value, static_cast<unsigned>(value));
      } else if (resource == Resource::slow_bandwidth) {
        throw Error(ErrorCode::internal, "libpqos knows no slow memory");
      } else if (masks.insert(id).second) {
        write_masks(number, id.value, values);
      }
    }
  }
}

// Code and data are one entry to the library: what is not to change is read first.
void PqosLibrary::write_masks(unsigned number, unsigned id, const Schemata& values) {
  const auto wanted = [&](Resource resource) -> std::optional<std::uint64_t> {
    const auto line = values.find(resource);
    if (line == values.end() || !line->second.contains(CacheId{id})) return std::nullopt;
    return line->second.at(CacheId{id});
  };
  pqos_l3ca entry{};
  entry.class_id = number;
  std::string text;
  if (const auto mask = wanted(Resource::l3)) {
    entry.u.ways_mask = *mask;
    text = WayMask{*mask}.to_hex();
  } else {
    std::vector<PqosClass> now;
    for (unsigned one = 0; one <= number; ++one) now.push_back({.number = one});
    read_masks(id, now);
    Schemata& before = now.back().schemata;
    entry.cdp = 1;
    entry.u.s.code_mask = wanted(Resource::l3_code).value_or(before[Resource::l3_code][CacheId{id}]);
    entry.u.s.data_mask = wanted(Resource::l3_data).value_or(before[Resource::l3_data][CacheId{id}]);
    text =
        "code " + WayMask{entry.u.s.code_mask}.to_hex() + ", data " + WayMask{entry.u.s.data_mask}.to_hex();
  }
  said_.clear();
  require_ok(functions_->l3ca_set(id, 1, &entry),
             "give " + class_name(number) + " the ways " + text + " of L3 " + std::to_string(id));
}

void PqosLibrary::write_bandwidth(unsigned number, unsigned id, unsigned value) {
  pqos_mba entry{};
  entry.class_id = number;
  entry.mb_max = value;
  pqos_mba became{};
  said_.clear();
  require_ok(functions_->mba_set(id, 1, &entry, &became), "give " + class_name(number) + " the bandwidth " +
                                                              std::to_string(value) + " of L3 " +
                                                              std::to_string(id));
}

void PqosLibrary::assign_cpus(unsigned number, const CpuSet& cpus) {
  cpus.for_each([&](unsigned cpu) {
    said_.clear();
    require_ok(functions_->assoc_set(cpu, number),
               "assign CPU " + std::to_string(cpu) + " to " + class_name(number));
  });
}

void PqosLibrary::assign_tasks(unsigned number, const std::vector<unsigned>& tasks) {
  for (const unsigned task : tasks) {
    said_.clear();
    const int answer = functions_->assoc_set_pid(static_cast<pid_t>(task), number);
    if (answer != PQOS_RETVAL_OK && has_ended(task)) continue;
    require_ok(answer, "assign thread " + std::to_string(task) + " to " + class_name(number));
  }
}

}  // namespace bulkhead
