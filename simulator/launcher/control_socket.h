// SPDX-License-Identifier: Apache-2.0
// Control commands over a Unix stream socket: a line in, a line out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "controller/base/unique_fd.h"

namespace bulkhead::sim {

class ControlSocket {
 public:
  // Listens at `path`, which must not be there yet; only its owner may connect. Each line that arrives is
  // answered by `answer`, from a thread of this object's own.
  ControlSocket(std::string path, std::function<std::string(std::string_view)> answer);
  ~ControlSocket();

 private:
  void serve();
  void talk(int client);

  std::string path_;
  std::function<std::string(std::string_view)> answer_;
  UniqueFd listener_;
  std::thread thread_;
};

// The other end: one line, its answer. Throws Error where nobody listens.
std::string tell(const std::string& path, const std::string& line);

}  // namespace bulkhead::sim
