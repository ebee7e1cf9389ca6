// SPDX-License-Identifier: Apache-2.0
// A model of perf events: what runs and is counted is as a test says. Targets are named as to_string() does.
#pragma once

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/base/error.h"
#include "controller/kernel/perf_events.h"

namespace bulkhead::testing {

class ModelPerfSystem : public PerfSystem {
 public:
  using Counts = std::map<std::uint64_t, std::uint64_t>;  // by an event's config

  // The target ran for `enabled` nanoseconds and was counted in `running` of them.
  void run(const std::string& target, const Counts& counts, PerfTimes times = {1'000'000, 1'000'000}) {
    Progress& progress = progress_[target];
    for (const auto& [config, count] : counts) progress.counts[config] += count;
    progress.times.enabled += times.enabled;
    progress.times.running += times.running;
  }
  void refuse(int error) { refusal_ = error; }            // everything from now on; 0 nothing
  void lack(std::uint32_t type) { lacks_.insert(type); }  // a PMU that does not exist
  void take_offline(unsigned cpu) { offline_.insert(cpu); }
  void end_thread(unsigned thread) { ended_.insert(thread); }
  void limit_descriptors(std::size_t most) { most_ = most; }
  void make_cgroup(const std::string& path) { cgroups_[path] = ++last_identity_; }  // also: again
  void remove_cgroup(const std::string& path) { cgroups_.erase(path); }
  void silence(const std::string& target) { silent_.insert(target); }  // reading it says nothing

  std::size_t descriptors() const { return descriptors_; }
  // What was opened so far, "4:76 4:c0 of CPU 3".
  std::vector<std::string> take_opened() { return std::exchange(opened_, {}); }

  std::unique_ptr<PerfGroup> open(std::span<const PerfEvent> events, const PerfTarget& target) override {
    const int error = error_of(events, target);
    if (error != 0) throw Error::from_errno(error, "cannot count events of " + to_string(target), "model");
    opened_.push_back(text_of(events) + "of " + to_string(target));
    return std::make_unique<Group>(*this, std::vector<PerfEvent>(events.begin(), events.end()),
                                   to_string(target));
  }

  std::uint64_t cgroup_identity(const std::string& path) override {
    const auto found = cgroups_.find(path);
    return found == cgroups_.end() ? 0 : found->second;
  }

 private:
  struct Progress {
    Counts counts;
    PerfTimes times;
  };

  class Group : public PerfGroup {
   public:
    Group(ModelPerfSystem& system, std::vector<PerfEvent> events, std::string target)
        : system_(system),
          events_(std::move(events)),
          target_(std::move(target)),
          begun_(system.progress_[target_]) {
      system_.descriptors_ += events_.size();
    }
    ~Group() override { system_.descriptors_ -= events_.size(); }

    bool read(std::span<std::uint64_t> counts, PerfTimes& times) override {
      if (system_.silent_.contains(target_)) return false;
      Progress& now = system_.progress_[target_];
      for (std::size_t event = 0; event < events_.size(); ++event) {
        counts[event] = now.counts[events_[event].config] - begun_.counts[events_[event].config];
      }
      times = {now.times.enabled - begun_.times.enabled, now.times.running - begun_.times.running};
      return true;
    }

   private:
    ModelPerfSystem& system_;
    std::vector<PerfEvent> events_;
    std::string target_;
    Progress begun_;
  };

  int error_of(std::span<const PerfEvent> events, const PerfTarget& target) const {
    if (refusal_ != 0) return refusal_;
    if (!target.cgroup.empty() && !cgroups_.contains(target.cgroup)) return ENOENT;
    if (target.cpu && offline_.contains(*target.cpu)) return ENODEV;
    if (target.thread && ended_.contains(*target.thread)) return ESRCH;
    if (descriptors_ + events.size() > most_) return EMFILE;
    const bool all_there = std::all_of(events.begin(), events.end(), [this](const PerfEvent& event) {
      return !lacks_.contains(event.type);
    });
    return all_there ? 0 : ENOENT;
  }

  static std::string text_of(std::span<const PerfEvent> events) {
    std::string text;
    for (const PerfEvent& event : events) {
      constexpr const char* kDigits = "0123456789abcdef";
      std::string config;
      for (std::uint64_t rest = event.config; rest != 0 || config.empty(); rest /= 16)
        config.insert(config.begin(), kDigits[rest % 16]);
      text += std::to_string(event.type) + ':' + config + ' ';
    }
    return text;
  }

  int refusal_ = 0;
  std::set<std::uint32_t> lacks_;
  std::set<unsigned> offline_, ended_;
  std::size_t most_ = SIZE_MAX;
  std::size_t descriptors_ = 0;
  std::map<std::string, std::uint64_t> cgroups_;
  std::uint64_t last_identity_ = 0;
  std::set<std::string> silent_;
  std::map<std::string, Progress> progress_;
  std::vector<std::string> opened_;
};

}  // namespace bulkhead::testing
