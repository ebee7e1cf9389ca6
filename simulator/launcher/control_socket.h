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
  using Answer = std::function<std::string(std::string_view)>;

  // Listens at `path`; only its owner may connect. A socket there that nobody answers any more is replaced,
  // anything else is Error(conflict). Each line that arrives is answered by `answer`, from a thread for each
  // client, which may outlive this object: what `answer` needs must live until the process ends.
  ControlSocket(std::string path, Answer answer);
  ~ControlSocket();

 private:
  void serve();
  static void talk(int client, const Answer& answer);

  std::string path_;
  Answer answer_;
  UniqueFd listener_;
  std::thread thread_;
};

// The other end: one line, its answer. Throws Error where nobody listens.
std::string tell(const std::string& path, const std::string& line);

}  // namespace bulkhead::sim
