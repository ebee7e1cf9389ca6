// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

#include "controller/base/error.h"
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

constexpr milliseconds kBetweenVerifications{5000};  // it looks at far more than counters

// Where looks come from.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void show(Screen& screen) = 0;  // looks, and shows what is seen
  virtual void look() = 0;                // only looks
};

void print(Call& call, const Json& line) {
  call.console.out += line.dump() + '\n';
  call.console.flush();
}

// What the daemon reads, for those who may not look at the host themselves.
class WatchThroughDaemon : public Watch {
 public:
  WatchThroughDaemon(Call& call, Client daemon) : call_(call), daemon_(std::move(daemon)) {}

  void look() override { last_ = daemon_.call("counters.read", Json::object()); }

  void show(Screen& screen) override {
    look();
    if (call_.options.json) {
      last_["interval_seconds"] = std::chrono::duration<double>(call_.options.interval).count();
      return print(call_, last_);
    }
    screen.draw(counters_text(last_, call_.style()));
  }

 private:
  Call& call_;
  Client daemon_;
  Json last_;
};

class WatchHere : public Watch {
 public:
  explicit WatchHere(Call& call)
      : call_(call),
        host_(live_host_options(call.options)),
        source_(require_counters(host_)),
        sampler_(*source_, reading_plan(call.options.interval)),
        perf_(host_.files(), host_.machine(), host_.engine().hierarchy().service_mount_point,
              raise_descriptor_limit()) {
    finish_interrupted(host_, call.console, true);
  }

  void look() override { seen(); }

  // Whether it is not another program that counts here, so that we cannot.
  bool counts() {
    verify(Clock::now());
    sampler_.sample();
    return source_->lack().empty();
  }

  void show(Screen& screen) override {
    const Watched watched = seen();
    if (call_.options.json) return print(call_, watch_json(watched));
    screen.draw(watch_text(watched, call_.style()));
  }

 private:
  Watched seen() {
    const Clock::time_point now = Clock::now();
    const bool is_due = !verified_at_ || now - *verified_at_ >= kBetweenVerifications;
    if (is_due) verify(now);
    sampler_.sample();
    if (!source_->lack().empty()) throw Error(ErrorCode::unsupported, source_->lack());
    perf_.sample(now);
    // Over two intervals, so that one late reading does not make a rate of nothing.
    Snapshot counters = snapshot(sampler_, call_.options.interval * 3 / 2);
    if (is_due) assign(counters);
    return {.at = std::chrono::system_clock::now(),
            .interval = call_.options.interval,
            .machine = &host_.machine(),
            .found = found_ ? &*found_ : nullptr,
            .counters = std::move(counters),
            .perf = &perf_.counters(),
            .unassigned = unassigned_};
  }

  static std::unique_ptr<CounterSource> require_counters(LiveHost& host) {
    raise_descriptor_limit();
    auto source = host.counter_source();
    if (!source) throw Error(ErrorCode::unsupported, host.lack_of_counters());
    return source;
  }

  // Who looks more often than that wants bandwidth; occupancy moves slowly.
  static ReadingPlan reading_plan(milliseconds interval) {
    ReadingPlan plan;
    plan.total = plan.local = interval;
    plan.occupancy = std::max(interval, std::min(*plan.occupancy, interval * 5));
    return plan;
  }

  void verify(Clock::time_point now) {
    verified_at_ = now;
    found_.reset();
    if (!host_.engine().state().policy_text.empty()) found_ = host_.engine().verify();
    sampler_.follow(counted_groups(found_ ? &*found_ : nullptr, host_.machine()));
    if (found_) {
      perf_.follow(found_->plan, found_->now);
    } else {
      perf_.follow({}, {});
    }
  }

  void assign(const Snapshot& counters) {
    unassigned_ = lacks_counters(counters) ? source_->assign_free() : "";
  }

  Call& call_;
  LiveHost host_;
  std::unique_ptr<CounterSource> source_;
  Sampler sampler_;
  PerfWatch perf_;  // after the source, whose open files it takes into account
  std::string unassigned_;
  std::optional<Verification> found_;
  std::optional<Clock::time_point> verified_at_;
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
