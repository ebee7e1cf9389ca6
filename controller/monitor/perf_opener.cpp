// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_opener.h"

#include <cerrno>

namespace bulkhead {
namespace {

bool has_gone(const Error& error) {
  const int number = error.detail().error_number;
  return number == ENODEV || number == ESRCH;
}

std::string refusal(std::optional<int> paranoid) {
  std::string text = "the kernel refuses to count";
  if (paranoid) text += " (kernel.perf_event_paranoid is " + std::to_string(*paranoid) + ')';
  return text +
         ": run as root or with CAP_PERFMON, or set kernel.perf_event_paranoid to 0; where root is refused, "
         "a "
         "seccomp filter forbids perf_event_open";
}

}  // namespace

NoData PerfOpener::reason(const Error& error) {
  if (error.code() == ErrorCode::permission) {
    refused_ = refusal(paranoid_);
    return NoData::refused;
  }
  failure_ = error.what();
  switch (error.detail().error_number) {
    case EMFILE:
    case ENFILE:
      return NoData::no_descriptors;
    case ENOENT:
    case EOPNOTSUPP:
    case EINVAL:
    case ENOSYS:
      return NoData::not_counted;
    default:
      return NoData::unreadable;
  }
}

PerfGroupSet PerfOpener::open(const std::vector<PmuEvent>& events, const std::vector<PerfPlace>& places,
                              std::size_t in_use) {
  PerfGroupSet set;
  if (in_use + places.size() * events.size() > descriptors_) {
    set.give_up(NoData::no_descriptors);
    return set;
  }
  for (const PerfPlace& place : places) {
    std::vector<PerfEvent> wanted;
    for (const PmuEvent& event : events) wanted.push_back({place.type, event.config});
    try {
      set.add(system_.open(wanted, place.target));
    } catch (const Error& error) {
      if (has_gone(error)) continue;
      set.give_up(reason(error));
      return set;
    }
  }
  if (set.empty()) set.give_up(NoData::absent);
  return set;
}

std::vector<std::string> PerfOpener::lacks() const {
  std::vector<std::string> sentences;
  for (const std::string& sentence : {refused_, failure_}) {
    if (!sentence.empty()) sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace bulkhead
