// SPDX-License-Identifier: Apache-2.0
// Stands in for libpqos.so.4: a processor of four CPUs and two L3 caches whose registers live as long as the
// process. FAKE_PQOS says what goes wrong: abort, hang or busy in pqos_init, refuse in pqos_l3ca_set.
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
pqos_config config;

bool is_to(std::string_view fault) {
  const char* wanted = std::getenv("FAKE_PQOS");
  return wanted != nullptr && fault == wanted;
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
  for (auto& one : masks) one.fill((1U << kWays) - 1);
  for (auto& one : bandwidths) one.fill(2048);
  return PQOS_RETVAL_OK;
}

int pqos_cap_get(const pqos_cap** cap, const pqos_cpuinfo** cpu) {
  static pqos_cap_l3ca l3{.num_classes = kClasses, .num_ways = kWays, .way_contention = 0xc0};
  static pqos_cap_mba memory{.num_classes = kClasses};
  static struct {
    pqos_cap head;
    pqos_capability list[2];
  } capabilities{};
  static struct {
    pqos_cpuinfo head;
    pqos_coreinfo list[kCpus];
  } cpus{};
  capabilities.head.version = PQOS_VERSION;
  capabilities.head.num_cap = 2;
  capabilities.list[0].type = PQOS_CAP_TYPE_L3CA;
  capabilities.list[0].u.l3ca = &l3;
  capabilities.list[1].type = PQOS_CAP_TYPE_MBA;
  capabilities.list[1].u.mba = &memory;
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
}
