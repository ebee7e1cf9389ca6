// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/pqos_counters.h"

#include <algorithm>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kUntilTriedAgain{10};  // starting libpqos is not cheap
constexpr std::chrono::milliseconds kOneSweep{20};

constexpr std::size_t index(CounterEvent event) {
  return static_cast<std::size_t>(event);
}

}  // namespace

PqosCounters::PqosCounters(const Machine& machine, std::string folder, PqosHelperOptions helper)
    : machine_(machine), folder_(std::move(folder)), helper_(PqosInterface::msr, std::move(helper)) {
  for (const Ccd& ccd : machine_.ccds) shape_.ccds.push_back(ccd.id);
  std::sort(shape_.ccds.begin(), shape_.ccds.end());
}

bool PqosCounters::follow(const std::vector<CountedGroup>& groups) {
  std::vector<CountedGroup> wanted;
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(wanted),
               [](const CountedGroup& group) { return group.ours; });
  std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  if (wanted == wanted_) return false;
  wanted_ = std::move(wanted);
  gave_up_.reset();
  return true;
}

void PqosCounters::give_up(const std::string& why) {
  rest();
  lack_ = why;
  gave_up_ = Clock::now();
}

void PqosCounters::rest() {
  helper_.end();
  prepared_ = false;
  groups_.clear();
  shape_.groups.clear();
  lack_of_some_.clear();
}

bool PqosCounters::prepare() {
  if (prepared_) return true;
  const PqosAbilities& abilities = helper_.abilities();
  never_ = abilities.counters.empty();
  if (never_) {
    give_up(
        "there are no counters: libpqos finds neither cache occupancy nor bandwidth monitoring on this "
        "processor");
    return false;
  }
  if (const std::string lack = helper_.prepare_counting(folder_); !lack.empty()) {
    give_up("nothing can be counted: " + lack);
    return false;
  }
  shape_.events.clear();
  units_.clear();
  for (const PqosUnit& unit : abilities.counters) {
    shape_.events.push_back(unit.event);
    units_[unit.event] = unit;
  }
  prepared_ = true;
  gave_up_.reset();
  lack_.clear();
  return true;
}

void PqosCounters::stop(const Group& group) {
  for (const Part& part : group.parts) {
    if (part.id != 0) helper_.stop_counting(part.id);
  }
}

PqosCounters::Group PqosCounters::make(const CountedGroup& counted) {
  Group group{.counted = counted, .id = ++last_id_, .parts = {}};
  for (const CacheId id : shape_.ccds) {
    const auto ccd = std::find_if(machine_.ccds.begin(), machine_.ccds.end(),
                                  [&](const Ccd& one) { return one.id == id; });
    group.parts.push_back({.cpus = counted.cpus & ccd->cpus});
  }
  return group;
}

// Also what could not be counted before.
void PqosCounters::start_all() {
  bool counts = false;
  lack_of_some_.clear();
  for (Group& group : groups_) {
    for (Part& part : group.parts) {
      if (!part.cpus.empty() && part.id == 0) try {
          helper_.start_counting(last_count_ + 1, part.cpus);
          part.id = ++last_count_;
        } catch (const Error& error) {
          if (lack_of_some_.empty()) lack_of_some_ = error.what();
        }
      counts = counts || part.id != 0;
    }
  }
  if (!counts && !lack_of_some_.empty()) throw Error(ErrorCode::conflict, lack_of_some_);
}

// Groups that are as before go on being counted. CPUs that change their group are given up by one before the
// other takes them.
void PqosCounters::regroup() {
  std::map<std::string, Group> kept;
  for (Group& group : groups_) {
    if (std::find(wanted_.begin(), wanted_.end(), group.counted) == wanted_.end()) {
      stop(group);
    } else {
      kept.emplace(group.counted.path, std::move(group));
    }
  }
  groups_.clear();
  for (const CountedGroup& wanted : wanted_) {
    const auto found = kept.find(wanted.path);
    groups_.push_back(found == kept.end() ? make(wanted) : std::move(found->second));
  }
  start_all();
  polled_.reset();
}

bool PqosCounters::rescan() {
  const CounterShape before = shape_;
  if (!gave_up_ || (!never_ && Clock::now() - *gave_up_ >= kUntilTriedAgain)) {
    try {
      if (wanted_.empty()) {
        rest();
      } else if (prepare()) {
        regroup();
      }
    } catch (const Error& error) {
      give_up("nothing can be counted: " + std::string(error.what()));
    }
  }
  shape_.groups.clear();
  if (!prepared_) shape_.events.clear();
  for (const Group& group : groups_) shape_.groups.push_back({.path = group.counted.path, .id = group.id});
  return before.groups != shape_.groups || before.events != shape_.events;
}

void PqosCounters::poll() {
  std::map<unsigned, Part*> parts;
  for (Group& group : groups_) {
    for (Part& part : group.parts) {
      part.readings.fill({0, part.cpus.empty() ? NoData::absent : NoData::unassigned});
      if (part.id != 0) parts[part.id] = &part;
    }
  }
  for (const PqosCount& count : helper_.read_counts()) {
    const auto part = parts.find(count.id);
    if (part == parts.end()) continue;
    for (const auto& [event, unit] : units_) {
      const Reading& raw = count.readings[index(event)];
      part->second->readings[index(event)] =
          event == CounterEvent::llc_occupancy ? raw : part->second->bytes[index(event)].take(raw, unit);
    }
  }
  polled_ = Clock::now();
}

bool PqosCounters::read(CounterEvent event, std::size_t group, std::span<Reading> into) {
  std::fill(into.begin(), into.end(), Reading{0, NoData::unreadable});
  if (group >= groups_.size()) return false;
  try {
    if (!polled_ || Clock::now() - *polled_ > kOneSweep) poll();
  } catch (const Error& error) {
    give_up("nothing can be counted: " + std::string(error.what()));
    return false;
  }
  const std::vector<Part>& parts = groups_[group].parts;
  for (std::size_t ccd = 0; ccd < into.size(); ++ccd) into[ccd] = parts[ccd].readings[index(event)];
  return true;
}

}  // namespace bulkhead
