// SPDX-License-Identifier: Apache-2.0
// Stands in for libpqos.so.4: a processor of four CPUs and two L3 caches, whose registers
// live as long as the process. FAKE_PQOS says what goes wrong: abort, hang or busy in pqos_init, refuse in
// pqos_l3ca_set; no-counters has none, one-rmid one RMID instead of two; unavailable and error are what the
// counters say; with left CPU 0 has RMID 2 at first, with left-and-others CPU 3 as well.
#include <array>
#include <cstdlib>
#include <pqos.h>
#include <string_view>
#include <unistd.h>

namespace {

constexpr unsigned kClasses = 4, kCaches = 2, kCpus = 4, kWays = 8;

std::array<std::array<std::uint64_t, kClasses>, kCaches> masks;
std::array<std::array<unsigned, kClasses>, kCaches> bandwidths;
std::array<unsigned, kCpus> classes_of_cpus;
std::array<pqos_rmid_t, kCpus> rmids;
std::uint64_t polls;
pqos_config config;

bool is_to(std::string_view fault) {
  const char* wanted = std::getenv("FAKE_PQOS");
  return wanted != nullptr && fault == wanted;
}

// With 0, which everybody has.
unsigned rmid_count() {
  return is_to("one-rmid") ? 2 : 3;
}

int say(int answer, const char* text) {
  config.callback_log(config.context_log, std::string_view(text).size(), text);
  return answer;
}

}  // namespace

extern "C" {

int pqos_init(const pqos_config* wanted) {
  config = *wanted;
  if (is_to("abort")) std::abort();
  if (is_to("hang")) ::sleep(60);
  if (is_to("busy")) return say(PQOS_RETVAL_BUSY, "ERROR: COS3 cannot be made\n");
  if (config.interface != PQOS_INTER_MSR) return PQOS_RETVAL_INTER;
  if (is_to("left") || is_to("left-and-others")) rmids[0] = 2;
  if (is_to("left-and-others")) rmids[3] = 2;
  for (auto& one : masks) one.fill((1U << kWays) - 1);
  for (auto& one : bandwidths) one.fill(2048);
  return PQOS_RETVAL_OK;
}

int pqos_cap_get(const pqos_cap** cap, const pqos_cpuinfo** cpu) {
  static pqos_cap_l3ca l3{.num_classes = kClasses, .num_ways = kWays, .way_contention = 0xc0};
  static pqos_cap_mba memory{.num_classes = kClasses};
  static struct {
    pqos_cap head;
    pqos_capability list[3];
  } capabilities{};
  static struct {
    pqos_cap_mon head;
    pqos_monitor list[3];
  } counters{};
  counters.head.max_rmid = rmid_count();
  counters.head.num_events = 3;
  counters.list[0] = {PQOS_MON_EVENT_L3_OCCUP, rmid_count(), 64, 44};
  counters.list[1] = {PQOS_MON_EVENT_LMEM_BW, rmid_count(), 64, 44};
  counters.list[2] = {PQOS_MON_EVENT_TMEM_BW, rmid_count(), 64, 44};
  static struct {
    pqos_cpuinfo head;
    pqos_coreinfo list[kCpus];
  } cpus{};
  capabilities.head.version = PQOS_VERSION;
  capabilities.head.num_cap = is_to("no-counters") ? 2 : 3;
  capabilities.list[0].type = PQOS_CAP_TYPE_L3CA;
  capabilities.list[0].u.l3ca = &l3;
  capabilities.list[1].type = PQOS_CAP_TYPE_MBA;
  capabilities.list[1].u.mba = &memory;
  capabilities.list[2].type = PQOS_CAP_TYPE_MON;
  capabilities.list[2].u.mon = &counters.head;
  cpus.head.vendor = PQOS_VENDOR_AMD;
  cpus.head.num_cores = kCpus;
  for (unsigned number = 0; number < kCpus; ++number) {
    cpus.list[number].lcore = number;
    cpus.list[number].l3cat_id = cpus.list[number].mba_id = number / 2;
  }
  *cap = &capabilities.head;
  *cpu = &cpus.head;
  return PQOS_RETVAL_OK;
}

int pqos_l3ca_get(unsigned id, unsigned, unsigned* count, pqos_l3ca* found) {
  *count = kClasses;
  for (unsigned number = 0; number < kClasses; ++number) {
    found[number] = {};
    found[number].class_id = number;
    found[number].u.ways_mask = masks[id][number];
  }
  return PQOS_RETVAL_OK;
}

int pqos_l3ca_set(unsigned id, unsigned count, const pqos_l3ca* wanted) {
  if (is_to("refuse")) {
    say(PQOS_RETVAL_OK, "ERROR: no such mask\n");
    return say(PQOS_RETVAL_PARAM, "WARN: nothing written\n");
  }
  for (unsigned index = 0; index < count; ++index)
    masks[id][wanted[index].class_id] = wanted[index].u.ways_mask;
  return PQOS_RETVAL_OK;
}

int pqos_mba_get(unsigned id, unsigned, unsigned* count, pqos_mba* found) {
  *count = kClasses;
  for (unsigned number = 0; number < kClasses; ++number) {
    found[number] = {.class_id = number, .mb_max = bandwidths[id][number], .ctrl = 0};
  }
  return PQOS_RETVAL_OK;
}

int pqos_mba_set(unsigned id, unsigned count, const pqos_mba* wanted, pqos_mba*) {
  for (unsigned index = 0; index < count; ++index)
    bandwidths[id][wanted[index].class_id] = wanted[index].mb_max;
  return PQOS_RETVAL_OK;
}

int pqos_alloc_assoc_get(unsigned cpu, unsigned* number) {
  *number = classes_of_cpus[cpu];
  return PQOS_RETVAL_OK;
}

int pqos_alloc_assoc_set(unsigned cpu, unsigned number) {
  classes_of_cpus[cpu] = number;
  return PQOS_RETVAL_OK;
}

int pqos_alloc_assoc_set_pid(pid_t task, unsigned) {
  return task == ::getppid() ? PQOS_RETVAL_OK : say(PQOS_RETVAL_ERROR, "ERROR: no task\n");
}

int pqos_fini() {
  return PQOS_RETVAL_OK;
}

int pqos_mon_assoc_get(unsigned cpu, pqos_rmid_t* rmid) {
  *rmid = rmids[cpu];
  return PQOS_RETVAL_OK;
}

int pqos_mon_reset() {
  rmids.fill(0);
  return PQOS_RETVAL_OK;
}

int pqos_mon_start(unsigned count, const unsigned* cpus, pqos_mon_event event, void*, pqos_mon_data* group) {
  pqos_rmid_t free = 1;
  const auto is_taken = [&](unsigned cpu) { return cpu / 2 == cpus[0] / 2 && rmids[cpu] == free; };
  for (unsigned cpu = 0; cpu < kCpus; ++cpu) {
    if (is_taken(cpu)) ++free, cpu = 0;
  }
  if (free >= rmid_count()) return PQOS_RETVAL_ERROR;
  *group = {};
  group->event = event;
  group->cores = new unsigned[count];
  group->num_cores = count;
  for (unsigned index = 0; index < count; ++index) {
    group->cores[index] = cpus[index];
    rmids[cpus[index]] = free;
  }
  return PQOS_RETVAL_OK;
}

int pqos_mon_stop(pqos_mon_data* group) {
  for (unsigned index = 0; index < group->num_cores; ++index) rmids[group->cores[index]] = 0;
  delete[] group->cores;
  *group = {};
  return PQOS_RETVAL_OK;
}

// Each time 1000 units more, of a counter that is about to wrap.
int pqos_mon_poll(pqos_mon_data** groups, unsigned) {
  pqos_mon_data& group = **groups;
  const std::uint64_t selected = std::uint64_t{rmids[group.cores[0]]} << 32;
  group.values.llc = 64 * (1000 + group.cores[0]);
  if (is_to("unavailable")) return PQOS_RETVAL_ERROR;
  group.values.mbm_local = is_to("error") ? selected | 3 : 7;
  group.values.mbm_total = ((1ULL << 44) - 1500 + 1000 * polls++) & ((1ULL << 44) - 1);
  return PQOS_RETVAL_OK;
}
}
