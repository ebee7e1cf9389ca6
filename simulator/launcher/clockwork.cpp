// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/clockwork.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "simulator/hardware_model/metrics_page.h"
#include "simulator/launcher/placement_now.h"

namespace bulkhead::sim {
namespace {

using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds kTick{100};

double in_seconds(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

nanoseconds nanoseconds_in(double seconds) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
}

std::vector<ServiceSpec> specs_of(const std::vector<SimulatedService>& services) {
  std::vector<ServiceSpec> specs;
  for (const SimulatedService& service : services) specs.push_back(service.spec);
  return specs;
}

Machine machine_of_host(SimulatedHost& host) {
  return host.with_kernel([](ScriptedKernel& kernel) {
    const KernelShape& shape = kernel.outside().world().shape;
    MemoryFigures memory;
    if (const auto figures = figures_of(shape.processor))
      memory.socket_bandwidth = figures->memory_bandwidth();
    return machine_of(shape, memory);
  });
}

}  // namespace

Clockwork::Clockwork(SimulatedHost& host, const std::vector<SimulatedService>& services,
                     std::vector<unsigned> processes, std::uint64_t seed, double speed)
    : host_(host),
      processes_(std::move(processes)),
      speed_(speed),
      hardware_(machine_of_host(host), specs_of(services), seed),
      thread_([this] { run(); }) {}

Clockwork::~Clockwork() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void Clockwork::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kTick, [this] { return stop_; })) catch_up();
}

// Time for which there is too much work does not pass: else each step would take longer than the one before.
nanoseconds Clockwork::due_time() {
  constexpr double kMostWork = 0.1;  // seconds, in one step
  constexpr double kLeastCost = 1e-7;
  const auto now = std::chrono::steady_clock::now();
  const nanoseconds real_time = now - std::exchange(last_, now);
  const nanoseconds time = nanoseconds_in(in_seconds(real_time) * speed_);
  const nanoseconds can_be_done = nanoseconds_in(kMostWork / std::max(cost_, kLeastCost));
  lost_ += std::max(time - can_be_done, nanoseconds(0));
  return std::min(time, can_be_done);
}

std::optional<double> Clockwork::lower_speed() {
  constexpr double kNoticed = 0.05;
  const std::lock_guard lock(mutex_);
  const double passed = in_seconds(time_), lost = in_seconds(lost_);
  return lost > kNoticed * (passed + lost) ? std::optional(speed_ * passed / (passed + lost)) : std::nullopt;
}

void Clockwork::catch_up() {
  const nanoseconds time = due_time();
  pass_seconds(time);
  if (processes_.empty()) return;
  const Placement placement = host_.with_kernel([this](ScriptedKernel& kernel) {
    return placement_now(kernel.outside(), hardware_.machine(), processes_);
  });
  hardware_.step(time, placement);
  if (time >= kTick) cost_ = in_seconds(std::chrono::steady_clock::now() - last_) / in_seconds(time);
  count();
  if (host_.hsmp() == nullptr || time == nanoseconds(0)) return;
  host_.hsmp()->set_loads(loads_.after(hardware_, placement, in_seconds(time)));
}

void Clockwork::pass_seconds(nanoseconds time) {
  time_ += time;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time_);
  // What has passed in one long step needs no more rounds than the kernel's limbo takes.
  constexpr std::int64_t kMostRounds = 10;
  const std::int64_t rounds = std::min<std::int64_t>((seconds - seconds_).count(), kMostRounds);
  seconds_ = seconds;
  host_.with_kernel([rounds](ScriptedKernel& kernel) {
    for (std::int64_t round = 0; round < rounds; ++round) kernel.outside().pass_second();
  });
}

void Clockwork::count() {
  host_.with_kernel([&](ScriptedKernel& scripted) {
    KernelModel& kernel = scripted.outside();
    const auto& monitoring = kernel.world().shape.monitoring;
    if (!monitoring) return;
    for (const Group* group : kernel.resctrl_groups()) {
      for (unsigned ccd = 0; ccd < hardware_.machine().ccds.size(); ++ccd) {
        const unsigned domain = hardware_.machine().ccds[ccd].l3;
        const auto set = [&](const char* event, std::uint64_t bytes) {
          kernel.set_counter(group->rmid, domain, event, bytes / monitoring->unit_bytes);
        };
        set("llc_occupancy", hardware_.occupancy(group->rmid, ccd));
        set("mbm_total_bytes", hardware_.total_bytes(group->rmid, ccd));
        set("mbm_local_bytes", hardware_.local_bytes(group->rmid, ccd));
      }
    }
  });
}

std::string Clockwork::metrics_of(std::size_t service) {
  const std::lock_guard lock(mutex_);
  catch_up();  // who measures sees what has happened until now, not until the last tick
  return metrics_page(std::span(hardware_.services()).subspan(service, 1),
                      std::span(hardware_.metrics()).subspan(service, 1)) +
         "# HELP simulated_seconds_total How much time has passed on this host.\n"
         "# TYPE simulated_seconds_total counter\n"
         "simulated_seconds_total " +
         std::to_string(in_seconds(time_)) + '\n';
}

}  // namespace bulkhead::sim
