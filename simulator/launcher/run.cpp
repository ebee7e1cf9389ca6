// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/run.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

#include "controller/base/error.h"
#include "controller/topology/text_file.h"
#include "simulator/launcher/call_answers.h"
#include "simulator/launcher/call_filter.h"
#include "simulator/launcher/clockwork.h"
#include "simulator/launcher/control_commands.h"
#include "simulator/launcher/control_socket.h"
#include "simulator/launcher/host_mounts.h"
#include "simulator/launcher/machine_shape.h"
#include "simulator/launcher/metrics_server.h"
#include "simulator/launcher/placeholders.h"
#include "simulator/launcher/sandbox.h"
#include "simulator/launcher/services_file.h"

namespace bulkhead::sim {
namespace {

void make_cgroups(KernelModel& kernel, const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string folder = "/sys/fs/cgroup" + path.substr(0, end);
    const int error = kernel.make_directory(folder);
    if (error != 0 && error != EEXIST) throw Error::from_errno(error, "cannot make the cgroup", folder);
    if (end == std::string::npos) return;
  }
}

// Before there are other threads in this process: what is forked would have only one of them.
std::vector<unsigned> start_services(const std::vector<SimulatedService>& services) {
  std::vector<unsigned> processes;
  for (const SimulatedService& service : services) {
    processes.push_back(static_cast<unsigned>(start_placeholder(service.spec.name, service.spec.threads)));
  }
  return processes;
}

void place_services(SimulatedHost& host, const std::vector<SimulatedService>& services,
                    const std::vector<unsigned>& processes) {
  host.with_kernel([&](ScriptedKernel& scripted) {
    KernelModel& kernel = scripted.outside();
    for (std::size_t index = 0; index < services.size(); ++index) {
      const std::string& cgroup = services[index].cgroup;
      if (cgroup == "/") continue;
      make_cgroups(kernel, cgroup);
      const std::string file = "/sys/fs/cgroup" + cgroup + "/cgroup.procs";
      const int error = kernel.write(file, std::to_string(processes[index]) + '\n');
      if (error != 0) throw Error::from_errno(error, "cannot move " + services[index].spec.name, file);
    }
  });
}

unsigned number_of_sockets(const KernelShape& shape) {
  return std::ranges::max(shape.cpus, {}, &CpuPlace::socket).socket + 1;
}

int run_inside(const LaunchOptions& options, const KernelShape& shape,
               const std::vector<SimulatedService>& services) {
  const int kernel_threads = start_placeholder("kthreadd", 1);  // PID 2, as on every Linux
  const std::vector<unsigned> processes = start_services(services);
  const auto figures = figures_of(shape.processor);
  const CommandInWaiting command(options.command.data(), [with_hsmp = figures.has_value()] {
    enter_host(with_hsmp);
    return install_call_filter();
  });
  // Never destroyed: it is served until this process ends.
  SimulatedHost& host = *new SimulatedHost(shape);
  if (figures) host.attach(std::make_unique<Hsmp>(*figures, number_of_sockets(shape)));
  serve_host(host);
  host.with_kernel([&](ScriptedKernel& kernel) {
    kernel.outside().become_kernel_thread(static_cast<unsigned>(kernel_threads));
  });
  place_services(host, services, processes);
  Clockwork clockwork(host, services, processes, options.seed, options.speed);
  std::map<pid_t, MetricsServer> pages;  // a service's page goes with its process
  for (std::size_t index = 0; index < services.size(); ++index) {
    if (services[index].metrics_port == 0) continue;
    pages.try_emplace(static_cast<pid_t>(processes[index]), services[index].metrics_port,
                      [&clockwork, index] { return clockwork.metrics_of(index); });
  }
  std::unique_ptr<ControlSocket> control;
  if (!options.control.empty()) {
    control = std::make_unique<ControlSocket>(
        options.control, [&host](std::string_view line) { return run_control_command(host, line); });
  }
  const int status = command.run(
      [&host](UniqueFd calls) {
        listen_to_calls(
            std::move(calls), host.real_root() + "/proc",
            [&host](const Call& call, const RealThread& caller) { return answer_call(host, call, caller); });
      },
      [&pages](pid_t process) { pages.erase(process); });
  control.reset();
  if (const auto speed = clockwork.lower_speed()) {
    std::fprintf(stderr,
                 "bulkhead-sim: time passed %.0f times as fast as the clock, not %.0f times: this machine "
                 "could do no more\n",
                 *speed, options.speed);
  }
  // Everything in here ends with PID 1, without a farewell: the mounts go with the last process.
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

namespace {

// A file that was named and cannot be read is a wrong file.
template <class Read>
auto read_named(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::invalid || error.code() == ErrorCode::usage) throw;
    throw Error(ErrorCode::invalid, error.what());
  }
}

std::vector<SimulatedService> services_in(const std::string& file) {
  if (file.empty()) return {};
  return read_services_file(read_text_file(file), file);
}

}  // namespace

int run(const LaunchOptions& options) {
  const std::string covering = covering_folder(options.control);
  if (!covering.empty()) {
    throw Error(ErrorCode::usage,
                "the control socket cannot be below " + covering +
                    ", where the simulated host has files of its own: take a folder like /tmp, not " +
                    options.control);
  }
  const KernelShape shape =
      read_named([&] { return shape_of(load_machine(options.machine), options.generation); });
  const std::vector<SimulatedService> services = read_named([&] { return services_in(options.services); });
  return run_in_sandbox([&] {
    try {
      return run_inside(options, shape, services);
    } catch (const Error& error) {
      std::fprintf(stderr, "bulkhead-sim: %s\n", error.what());
      return exit_status(error.code());
    }
  });
}

}  // namespace bulkhead::sim
