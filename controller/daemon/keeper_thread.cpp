// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/keeper_thread.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <future>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

#include "controller/kernel/file_watch.h"
#include "controller/kernel/netlink_events.h"

namespace bulkhead {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

// Events come in bursts (a service's start makes dozens): one look for all of them, and some rest between
// looks.
constexpr std::chrono::milliseconds kGather{50};
constexpr std::chrono::milliseconds kBetweenLooks{250};
constexpr std::chrono::seconds kProgramSweep{1};  // where no event tells of programs that start

}  // namespace

class KeeperThread::Impl {
 public:
  Impl(KeeperOptions options, KeeperListener listener)
      : sweep_(options.config.sweep),
        keeper_(std::move(options), with_pulse(std::move(listener))),
        timer_(context_) {
    std::promise<void> started;
    std::future<void> start = started.get_future();
    thread_ = std::thread([this, &started] { run(started); });
    try {
      start.get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }

  ~Impl() {
    context_.stop();
    thread_.join();
  }

  bool submit(Job kind, std::function<void(Keeper*)> job) {
    {
      const std::lock_guard guard(mutex_);
      if (!closed_) {
        if (jobs_.size() >= kMostWaitingJobs) return false;
        add(jobs_, {kind, std::move(job)});
        return true;
      }
    }
    job(nullptr);
    return true;
  }

  void submit_ahead(Job kind, std::function<void(Keeper&)> job) {
    const std::lock_guard guard(mutex_);
    add(urgent_, {kind, [job = std::move(job)](Keeper* keeper) { job(*keeper); }});
  }

  void close(std::function<void()> then) {
    const std::lock_guard guard(mutex_);
    closed_ = true;
    add(urgent_, {Job::reads, [then = std::move(then)](Keeper*) { then(); }});
  }

  void reload(const DaemonConfig& config) {
    asio::post(context_, [this, config] {
      sweep_ = config.sweep;
      keeper_.reload(config);
      look_by(Clock::now());
    });
  }

  std::uint64_t pulse() {
    asio::post(context_, [this] { ++pulse_; });
    return pulse_;
  }

 private:
  KeeperListener with_pulse(KeeperListener listener) {
    listener.work_goes_on = [this] { ++pulse_; };
    return listener;
  }

  void run(std::promise<void>& started) {
    try {
      keeper_.start();
      watch(cpu_events_ = CpuEvents::open(), [this] {
        if (!cpu_events_->take()) return false;
        keeper_.note_cpu_event();
        return true;
      });
      watch_files();
    } catch (...) {
      started.set_exception(std::current_exception());
      return;
    }
    look();
    started.set_value();
    context_.run();
  }

  // One job, and then whatever else is due before the next one. The job counts as waiting while it is done.
  void work() {
    Jobs* from = nullptr;
    WaitingJob* job = nullptr;
    {
      const std::lock_guard guard(mutex_);
      from = urgent_.empty() ? &jobs_ : &urgent_;
      job = &from->front();  // a deque's members stay where they are while others are added behind
    }
    job->act(&keeper_);
    // What was changed is seen, and where it can change from now on is watched.
    if (job->kind == Job::changes || keeper_.takes_wish_to_look()) look_by(Clock::now() + kGather);
    const std::lock_guard guard(mutex_);
    from->pop_front();
    if (closed_) drop();
    if (jobs_.size() + urgent_.size() > 0) asio::post(context_, [this] { work(); });
  }

  // Who waits is told; the callers' thread is the one to let go of the jobs.
  void drop() {
    for (const WaitingJob& job : jobs_) job.act(nullptr);
    std::move(jobs_.begin(), jobs_.end(), std::back_inserter(dropped_));
    jobs_.clear();
  }

  struct WaitingJob {
    Job kind;
    std::function<void(Keeper*)> act;  // of null: not any more
  };
  using Jobs = std::deque<WaitingJob>;

  void add(Jobs& jobs, WaitingJob job) {
    jobs.push_back(std::move(job));
    if (jobs_.size() + urgent_.size() == 1) asio::post(context_, [this] { work(); });
  }

  // Waits for a descriptor that somebody else owns, again and again; a look follows where `take` says so.
  template <class Source>
  void watch(const std::optional<Source>& source, const std::function<bool()>& take) {
    if (!source) return;
    auto descriptor = std::make_shared<Waiting>(context_, source->descriptor());
    descriptors_.push_back(descriptor);
    wait(*descriptor, take);
  }

  struct Waiting {
    Waiting(asio::io_context& context, int number) : descriptor(context, number) {}
    ~Waiting() { descriptor.release(); }
    asio::posix::stream_descriptor descriptor;
  };

  void wait(Waiting& waiting, const std::function<bool()>& take) {
    waiting.descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                  [this, &waiting, take](const boost::system::error_code& error) {
                                    if (error) return;
                                    if (take()) look_by(Clock::now() + kGather);
                                    wait(waiting, take);
                                  });
  }

  void watch_files() {
    files_.emplace();
    watch(files_, [this] { return files_->take(); });
  }

  void watch_programs() {
    if (!keeper_.wants_program_events() || tried_programs_) return;
    tried_programs_ = true;
    watch(programs_ = ProgramEvents::open(), [this] {
      bool all_known = true;
      const std::vector<unsigned> processes = programs_->take(all_known);
      return !all_known || std::any_of(processes.begin(), processes.end(),
                                       [this](unsigned process) { return keeper_.may_be_selected(process); });
    });
  }

  void look() {
    std::optional<Clock::time_point> again = keeper_.look();
    last_look_ = Clock::now();
    // Only where the places changed: else this does nothing.
    files_->watch(keeper_.places());
    watch_programs();
    if (files_->watches_more()) again = last_look_;  // what happened there meanwhile
    const bool blind = keeper_.wants_program_events() && !programs_;
    Clock::time_point next = last_look_ + (blind ? std::min<Clock::duration>(sweep_, kProgramSweep) : sweep_);
    if (again) next = std::min(next, std::max(*again, last_look_ + kBetweenLooks));
    due_.reset();
    look_by(next);
  }

  // The next look is at that time, or earlier.
  void look_by(Clock::time_point when) {
    when = std::max(when, last_look_ + kBetweenLooks);
    if (due_ && *due_ <= when) return;
    due_ = when;
    timer_.expires_at(when);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) look();
    });
  }

  std::atomic<std::uint64_t> pulse_{1};  // it lives once it has started
  std::chrono::milliseconds sweep_;
  Keeper keeper_;
  asio::io_context context_{1};
  asio::steady_timer timer_;
  std::optional<FileWatch> files_;
  std::optional<CpuEvents> cpu_events_;
  std::optional<ProgramEvents> programs_;
  bool tried_programs_ = false;
  std::vector<std::shared_ptr<Waiting>> descriptors_;  // before what they wait for goes
  std::optional<Clock::time_point> due_;
  Clock::time_point last_look_{};
  std::mutex mutex_;
  Jobs jobs_, urgent_, dropped_;
  bool closed_ = false;
  std::thread thread_;
};

KeeperThread::KeeperThread(KeeperOptions options, KeeperListener listener)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(listener))) {}

KeeperThread::~KeeperThread() = default;

bool KeeperThread::submit(Job kind, std::function<void(Keeper*)> job) {
  return impl_->submit(kind, std::move(job));
}

void KeeperThread::submit_ahead(Job kind, std::function<void(Keeper&)> job) {
  impl_->submit_ahead(kind, std::move(job));
}

std::uint64_t KeeperThread::pulse() {
  return impl_->pulse();
}

void KeeperThread::close(std::function<void()> then) {
  impl_->close(std::move(then));
}

void KeeperThread::reload(const DaemonConfig& config) {
  impl_->reload(config);
}

}  // namespace bulkhead
