// SPDX-License-Identifier: Apache-2.0
// mbm_L3_assignments of each group: which of its events have a counter, in which domains.
#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>

#include "controller/base/text.h"
#include "simulator/kernel_model/bandwidth_counting.h"
#include "simulator/kernel_model/event_configuration.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
BandwidthCounting::BandwidthCounting(const World& world, Counters& counters, LastCommandStatus& status,
                                     std::function<CpuSet()> domains)
    : world_(world),
      counters_(counters),
      status_(status),
      domains_(std::move(domains)),
      assignments_(world.shape.monitoring && world.shape.generation >= Generation::linux_7
                       ? world.shape.monitoring->assignable_counters
                       : 0) {}

int BandwidthCounting::fail(int error, const std::string& message) {
  status_.add(message);
  return error;
}

std::vector<std::string> BandwidthCounting::events() const {
  std::vector<std::string> found;
  for (const std::string& event : counters_.shape().events) {
    if (counts_bandwidth(event)) found.push_back(event);
  }
  return found;
}

bool BandwidthCounting::lacks_counter(unsigned domain, unsigned rmid, const std::string& event) const {
  return assignments_.enabled() && counts_bandwidth(event) && !assignments_.assigned(domain, rmid, event);
}

bool BandwidthCounting::assign(unsigned domain, unsigned rmid, const std::string& event) {
  if (assignments_.assigned(domain, rmid, event)) return true;
  if (!assignments_.assign(domain, rmid, event)) {
    status_.add("Failed to allocate counter for " + event + " in domain " + std::to_string(domain));
    return false;
  }
  counters_.restart({domain, rmid, event});
  return true;
}

void BandwidthCounting::group_made(unsigned rmid) {
  if (!assignments_.enabled() || !assignments_.on_mkdir()) return;
  for (const std::string& event : events()) {
    bool some_left = true;  // it goes on to the first domain that has none
    domains_().for_each([&](unsigned domain) { some_left = some_left && assign(domain, rmid, event); });
  }
}

int BandwidthCounting::change_assignment(unsigned rmid, const std::string& event, std::string_view domain,
                                         std::string_view state) {
  const bool wanted = state == "e";
  const bool known = wanted || state == "_";
  bool done = known;
  const auto change = [&](unsigned id) {
    if (wanted) {
      done = done && assign(id, rmid, event);
    } else if (known) {
      assignments_.unassign(id, rmid, event);
    }
  };
  const bool all = domain.starts_with('*');
  const ParsedNumber id = parse_number(domain, 10, 0, kLargestLong);
  if (all) {
    domains_().for_each([&](unsigned each) {
      if (done) change(each);
    });
  } else if (id.error != 0) {
    return fail(EINVAL, "Missing domain id");
  } else if (!domains_().contains(static_cast<unsigned>(id.value)) || id.value > CpuSet::kLargest) {
    return fail(EINVAL, "Invalid domain id " + std::to_string(id.value));
  } else {
    change(static_cast<unsigned>(id.value));
  }
  if (done) return 0;
  return fail(known ? ENOSPC : EINVAL, "Assign operation '" + event + ":" +
                                           (all ? "*" : std::to_string(id.value)) + "=" + std::string(state) +
                                           "' failed");
}

int BandwidthCounting::write_assignments(unsigned rmid, std::string_view text) {
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  status_.clear();
  if (!assignments_.enabled()) return fail(EINVAL, "mbm_event mode is not enabled");
  const std::vector<std::string> known = events();
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    const std::string event(line.substr(0, colon));
    if (std::ranges::find(known, event) == known.end()) return fail(ENOENT, "Invalid event " + event);
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    for (const std::string_view part : split(rest, ';')) {
      const std::string_view item = strip(part);
      const std::size_t equals = item.find('=');
      const std::string_view state =
          equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
      if (const int error = change_assignment(rmid, event, item.substr(0, equals), state)) return error;
      if (item.starts_with('*')) break;  // nothing after it is read
    }
  }
  return 0;
}

Answer BandwidthCounting::print_assignments(unsigned rmid) {
  status_.clear();
  if (!assignments_.enabled()) return {fail(EINVAL, kNotEnabled), {}};
  std::string text;
  for (const std::string& event : events()) {
    std::string line;
    domains_().for_each([&](unsigned domain) {
      line += (line.empty() ? "" : ";") + std::to_string(domain) + '=' +
              (assignments_.assigned(domain, rmid, event) ? 'e' : '_');
    });
    text += event + ':' + line + '\n';
  }
  return {0, text};
}

Node BandwidthCounting::assignments_file(unsigned rmid, std::uint64_t identity) {
  Node node = file([this, rmid] { return print_assignments(rmid); },
                   [this, rmid](std::string_view text) { return write_assignments(rmid, text); });
  node.identity = identity;
  return node;
}

}  // namespace bulkhead::sim
