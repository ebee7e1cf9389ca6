// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/verbs.h"

#include <algorithm>
#include <array>

#include "controller/base/cpu_set.h"
#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::conformance {
namespace {

unsigned number(const std::string& text) {
  const auto value = parse_integer<unsigned>(text);
  if (!value) throw Error(ErrorCode::invalid, "not a number: " + text);
  return *value;
}

Outcome switch_cpus(Host& host, const std::string& list, const char* to) {
  Outcome last;
  CpuSet::parse_list(list).for_each([&](unsigned cpu) {
    const Outcome each = host.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online", to);
    if (each.error != 0) last = each;
  });
  host.settle();  // cpusets follow
  return last;
}

Outcome settle(Host& host, const Arguments&) {
  host.settle();
  return {};
}

Outcome wait(Host& host, const Arguments&) {
  host.wait();
  return {};
}

constexpr auto kFiles = Ability::files;
constexpr auto kNone = Effect::none, kNow = Effect::immediate, kPutOff = Effect::put_off;

const std::array kVerbs{
    Verb{"read", 1, false, kFiles, kNone, [](Host& host, const Arguments& a) { return host.read(a[0]); }},
    Verb{"write", 2, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.write(a[0], a[1]); }},
    Verb{"list", 1, false, kFiles, kNone, [](Host& host, const Arguments& a) { return host.list(a[0]); }},
    Verb{"mode", 1, false, kFiles, kNone, [](Host& host, const Arguments& a) { return host.mode(a[0]); }},
    Verb{"mkdir", 1, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.make_directory(a[0]); }},
    Verb{"rmdir", 1, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.remove_directory(a[0]); }},
    Verb{"rename", 2, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.rename(a[0], a[1]); }},
    Verb{"create", 1, false, kFiles, kNow, [](Host& host, const Arguments& a) { return host.create(a[0]); }},
    Verb{"unlink", 1, false, kFiles, kNow, [](Host& host, const Arguments& a) { return host.unlink(a[0]); }},
    Verb{"mount", 1, false, Ability::mounting, kNow,
         [](Host& host, const Arguments& a) { return host.mount(a[0]); }},
    Verb{"umount", 0, false, Ability::mounting, kNow,
         [](Host& host, const Arguments&) { return host.unmount(); }},
    Verb{"open", 2, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.open(a[0], a[1]); }},
    Verb{"read-open", 1, false, kFiles, kNone,
         [](Host& host, const Arguments& a) { return host.read_open(a[0]); }},
    Verb{"write-open", 2, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.write_open(a[0], a[1]); }},
    Verb{"spawn", 1, true, kFiles, kNow, [](Host& host, const Arguments&) { return host.spawn(); }},
    Verb{"thread", 2, true, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.thread(number(a[0])); }},
    Verb{"fork", 2, true, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.fork(number(a[0])); }},
    Verb{"zombie", 1, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.become_zombie(number(a[0])); }},
    Verb{"end", 1, false, kFiles, kNow,
         [](Host& host, const Arguments& a) { return host.end(number(a[0])); }},
    Verb{"affinity", 2, false, Ability::affinity, kNow,
         [](Host& host, const Arguments& a) { return host.set_affinity(number(a[0]), a[1]); }},
    Verb{"offline", 1, false, kFiles, kPutOff,
         [](Host& host, const Arguments& a) { return switch_cpus(host, a[0], "0\n"); }},
    Verb{"online", 1, false, kFiles, kPutOff,
         [](Host& host, const Arguments& a) { return switch_cpus(host, a[0], "1\n"); }},
    Verb{"counter", 4, false, Ability::counters, kNow,
         [](Host& host, const Arguments& a) { return host.set_counter(a[0], number(a[1]), a[2], a[3]); }},
    Verb{"counter-fails", 4, false, Ability::counters, kNow,
         [](Host& host, const Arguments& a) { return host.fail_counter(a[0], number(a[1]), a[2], a[3]); }},
    Verb{"settle", 0, false, kFiles, kPutOff, settle},
    Verb{"wait", 0, false, kFiles, kNow, wait},
};

}  // namespace

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(kVerbs, name, &Verb::name);
  return found == kVerbs.end() ? nullptr : found;
}

}  // namespace bulkhead::conformance
