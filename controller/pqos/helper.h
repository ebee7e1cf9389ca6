// SPDX-License-Identifier: Apache-2.0
// libpqos, at arm's length: a process of our own that it runs in, started at the first call. Whatever happens
// to that process (the library aborts it, hangs, is killed) is an Error here; the next call starts another.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

#include "controller/base/unique_fd.h"
#include "controller/kernel/paths.h"
#include "controller/pqos/abilities.h"

namespace bulkhead {

struct PqosHelperOptions {
  std::string program{paths::kOwnProgram};     // which answers kPqosHelperWord with run_pqos_helper()
  std::chrono::milliseconds patience{60'000};  // with one call
};

class PqosHelper {
 public:
  explicit PqosHelper(PqosInterface interface, PqosHelperOptions options = {});
  PqosHelper(const PqosHelper&) = delete;
  PqosHelper& operator=(const PqosHelper&) = delete;
  ~PqosHelper();

  // The process, without libpqos yet. It is in its starter's cgroup: what lists processes to move them is to
  // come after this, not before.
  void start();

  // Throws Error(unsupported) where there is no libpqos. Changes nothing.
  void require_library();

  // Initialises the library where that has not been done, which with the OS interface makes COS1 to COSn.
  const PqosAbilities& abilities();

  // These initialise as well. See PqosLibrary.
  std::vector<PqosClass> read();
  void write(unsigned number, const Schemata& values);
  void assign_cpus(unsigned number, const CpuSet& cpus);
  void assign_tasks(unsigned number, const std::vector<unsigned>& tasks);

  // To count, and nothing else: a helper that does is not killed, but gives back its RMIDs and ends. See
  // PqosLibrary.
  std::string prepare_counting(const std::string& folder);
  void start_counting(unsigned id, const CpuSet& cpus);
  void stop_counting(unsigned id);
  std::vector<PqosCount> read_counts();

  void end();

 private:
  using Json = nlohmann::ordered_json;

  Json ask(const Json& request);
  void send(const std::string& text);
  std::string receive();
  [[noreturn]] void fail(const std::string& doing);

  PqosInterface interface_;
  PqosHelperOptions options_;
  pid_t process_ = -1;
  UniqueFd socket_;
  bool initialised_ = false;
  bool counts_ = false;
  PqosAbilities abilities_;
};

}  // namespace bulkhead
