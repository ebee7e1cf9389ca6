// SPDX-License-Identifier: Apache-2.0
// What systemd and its services say to each other: sockets that are passed in, and how the service fares.
// Without systemd, which its variables in the environment tell, nothing happens.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class ServiceManager {
 public:
  ServiceManager();

  // The socket that systemd listens on for us. Throws Error(invalid) for more than one.
  std::optional<UniqueFd> inherited_socket();

  void ready(const std::string& status);
  void status(const std::string& status);
  void reloading();
  void stopping();
  void alive();  // for the watchdog

  // How often it wants to hear that; nothing if never.
  std::optional<std::chrono::microseconds> watchdog() const;

 private:
  void notify(const std::string& state);
  bool listens_;  // for what we say
};

}  // namespace bulkhead
