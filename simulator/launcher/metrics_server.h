// SPDX-License-Identifier: Apache-2.0
// A service's Prometheus page over HTTP, as a real one would have it.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace bulkhead::sim {

class MetricsServer {
 public:
  // Listens on 127.0.0.1. `page` is called for each request, from a thread of this object's own. Throws Error
  // where the port is taken.
  MetricsServer(unsigned port, std::function<std::string()> page);
  ~MetricsServer();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bulkhead::sim
