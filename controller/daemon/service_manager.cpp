// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/service_manager.h"

#include <cstdlib>

#include "cgroup/libsystemd.h"
#include "controller/base/error.h"

namespace bulkhead {

ServiceManager::ServiceManager() : listens_(std::getenv("NOTIFY_SOCKET") != nullptr) {}

std::optional<UniqueFd> ServiceManager::inherited_socket() {
  if (std::getenv("LISTEN_FDS") == nullptr) return std::nullopt;
  constexpr int kForgetEnvironment = 1;
  const int count = libsystemd().listen_fds(kForgetEnvironment);
  if (count <= 0) return std::nullopt;
  if (count > 1) {
    throw Error(ErrorCode::invalid,
                "systemd passes " + std::to_string(count) + " sockets, but one is served");
  }
  return UniqueFd(SD_LISTEN_FDS_START);
}

void ServiceManager::ready(const std::string& status) {
  notify("READY=1\nSTATUS=" + status);
}

void ServiceManager::status(const std::string& status) {
  notify("STATUS=" + status);
}

// Type=notify-reload wants the time at which that began.
void ServiceManager::reloading() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  notify("RELOADING=1\nMONOTONIC_USEC=" +
         std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void ServiceManager::stopping() {
  notify("STOPPING=1");
}

void ServiceManager::alive() {
  notify("WATCHDOG=1");
}

std::optional<std::chrono::microseconds> ServiceManager::watchdog() const {
  if (!listens_ || std::getenv("WATCHDOG_USEC") == nullptr) return std::nullopt;
  std::uint64_t period = 0;
  if (libsystemd().watchdog_enabled(0, &period) <= 0) return std::nullopt;
  return std::chrono::microseconds(period);
}

void ServiceManager::notify(const std::string& state) {
  if (listens_) libsystemd().notify(0, state.c_str());
}

}  // namespace bulkhead
