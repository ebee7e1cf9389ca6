// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>
#include <utility>

#include "controller/base/error.h"
#include "controller/cli/json_text.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/screen.h"
#include "controller/cli/transaction_run.h"
#include "controller/cli/verbs.h"
#include "controller/cli/watch_view.h"
#include "controller/engine/behaviour_check.h"
#include "controller/engine/engine.h"
#include "controller/kernel/descriptor_limit.h"
#include "controller/monitor/counter_assignment.h"
#include "controller/monitor/perf_watch.h"

namespace bulkhead {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

using Json = nlohmann::ordered_json;

constexpr milliseconds kBetweenVerifications{5000};  // it looks at far more than groups and counters

// Where looks come from.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void show(Screen& screen) = 0;  // looks, and shows what is seen
  virtual void look() = 0;                // only looks
};

void print(Call& call, const Json& line) {
  call.console.out += json_line(line);
  call.console.flush();
}

// What passed between one look and the next.
class Intervals {
 public:
  std::chrono::duration<double> next() {
    const Clock::time_point before = std::exchange(last_, Clock::now());
    return last_ - before;
  }

 private:
  Clock::time_point last_ = Clock::now();
};

// What the daemon reads, for those who may not look at the host themselves.
class WatchThroughDaemon : public Watch {
 public:
  WatchThroughDaemon(Call& call, Client daemon) : call_(call), daemon_(std::move(daemon)) {}

  void look() override {
    last_ = daemon_.call("counters.read", Json::object());
    last_["interval_seconds"] = intervals_.next().count();
  }

  void show(Screen& screen) override {
    look();
    if (call_.options.json) return print(call_, last_);
    screen.draw(counters_text(last_, call_.style()));
  }

 private:
  Call& call_;
  Client daemon_;
  Intervals intervals_;
  Json last_;
};

// The host as it was opened, and what counts there.
struct WatchedHost {
  explicit WatchedHost(const Options& options)
      : host(live_host_options(options)),
        source(require_counters(host)),
        sampler(*source, reading_plan(options.interval)),
        perf(host.files(), host.machine(), host.engine().hierarchy().service_mount_point,
             raise_descriptor_limit()) {}

  static std::unique_ptr<CounterSource> require_counters(LiveHost& host) {
    raise_descriptor_limit();
    auto source = host.counter_source();
    if (!source) throw Error(ErrorCode::unsupported, host.lack_of_counters());
    return source;
  }

  // Who looks more often than that wants bandwidth; occupancy moves slowly.
  static ReadingPlan reading_plan(milliseconds interval) {
    ReadingPlan plan;
    plan.total = plan.local = plan.rescan = interval;
    plan.occupancy = std::max(interval, std::min(*plan.occupancy, interval * 5));
    return plan;
  }

  LiveHost host;
  std::unique_ptr<CounterSource> source;
  Sampler sampler;
  PerfWatch perf;  // after the source, whose open files it takes into account
  std::string unassigned;
  std::optional<Verification> found;
  std::optional<Clock::time_point> verified_at;
  bool verified = false;  // since counters were assigned last
};

class WatchHere : public Watch {
 public:
  explicit WatchHere(Call& call) : call_(call), on_(std::make_unique<WatchedHost>(call.options)) {
    finish_interrupted(on_->host, call.console, true);
  }

  void look() override { seen(); }

  // Whether it is not another program that counts here, so that we cannot.
  bool counts() {
    verify(Clock::now());
    on_->sampler.sample();
    return on_->source->lack().empty();
  }

  void show(Screen& screen) override {
    const Watched watched = seen();
    if (call_.options.json) return print(call_, watch_json(watched));
    screen.draw(watch_text(watched, call_.style()));
  }

 private:
  Watched seen() {
    reopen_if_changed();
    const Clock::time_point now = Clock::now();
    const bool is_due = !on_->verified_at || now - *on_->verified_at >= kBetweenVerifications;
    if (is_due || groups_have_changed()) verify(now);
    on_->sampler.sample();
    if (!on_->source->lack().empty()) throw Error(ErrorCode::unsupported, on_->source->lack());
    on_->perf.sample(now);
    // Over two intervals, so that one late reading does not make a rate of nothing.
    Snapshot counters = snapshot(on_->sampler, call_.options.interval * 3 / 2);
    if (std::exchange(on_->verified, false)) {
      on_->unassigned = lacks_counters(counters) ? on_->source->assign_free() : "";
    }
    return {.at = std::chrono::system_clock::now(),
            .interval = intervals_.next(),
            .machine = &on_->host.machine(),
            .found = on_->found ? &*on_->found : nullptr,
            .counters = std::move(counters),
            .perf = &on_->perf.counters(),
            .unassigned = on_->unassigned};
  }

  // Files of a resctrl that was unmounted, and CPUs that went, would be shown as they were.
  void reopen_if_changed() {
    if (!on_->host.has_changed()) return;
    on_.reset();  // what it holds of the hardware is given back first
    on_ = std::make_unique<WatchedHost>(call_.options);
  }

  // Who widens a mask is seen at once: to read the groups costs little.
  bool groups_have_changed() {
    return on_->found && on_->found->now.resctrl &&
           on_->host.engine().groups().observe() != on_->found->now.groups;
  }

  void verify(Clock::time_point now) {
    on_->verified_at = now;
    on_->verified = true;
    on_->found.reset();
    if (!on_->host.engine().state().policy_text.empty()) on_->found = on_->host.engine().verify();
    on_->sampler.follow(counted_groups(on_->found ? &*on_->found : nullptr, on_->host.machine()));
    if (on_->found) {
      on_->perf.follow(on_->found->plan, on_->found->now);
    } else {
      on_->perf.follow({}, {});
    }
  }

  Call& call_;
  std::unique_ptr<WatchedHost> on_;
  Intervals intervals_;
};

// False where a signal asks the program to end.
bool wait_until(Clock::time_point time) {
  constexpr milliseconds kPatience{50};
  while (Clock::now() < time) {
    std::this_thread::sleep_until(std::min(time, Clock::now() + kPatience));
    if (HeldSignals::is_asked_to_end()) return false;
  }
  return true;
}

void run(Call& call, Watch& watch) {
  const Options& options = call.options;
  Screen screen(call.console, !options.json && !options.once && ::isatty(STDOUT_FILENO) == 1);
  watch.look();  // rates take two
  const Clock::time_point begun = Clock::now();
  for (Clock::time_point next = begun + options.interval; wait_until(next); next += options.interval) {
    watch.show(screen);
    const bool over = options.duration.count() > 0 && Clock::now() - begun >= options.duration;
    if (options.once || over) break;
    next = std::max(next, Clock::now() - options.interval);  // a machine that slept does not catch up
  }
}

// Who is root sees more by looking at it: the plan's picture. Where libpqos counts, only one can.
std::unique_ptr<Watch> watch_for(Call& call) {
  std::optional<Client> daemon = running_daemon(call.options);
  if (::geteuid() == 0 || !daemon) {
    auto here = std::make_unique<WatchHere>(call);
    if (!daemon || here->counts()) return here;
  }
  return std::make_unique<WatchThroughDaemon>(call, std::move(*daemon));
}

}  // namespace

int run_watch(Call& call) {
  call.console.hold_signals();
  call.console.documents_are_lines = call.options.json;
  const std::unique_ptr<Watch> watch = watch_for(call);
  try {
    run(call, *watch);
  } catch (const Error& error) {
    if (error.detail().error_number != EPIPE) throw;  // who read has seen enough
    call.console.out.clear();
  }
  return 0;
}

}  // namespace bulkhead
