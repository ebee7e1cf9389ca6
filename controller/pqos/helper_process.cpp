// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/helper_process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/kernel/file_system.h"
#include "controller/pqos/all_cpus.h"
#include "controller/pqos/library.h"
#include "controller/pqos/protocol.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

Json load(PqosLibrary& library, const Json&) {
  library.load();
  return Json::object();
}

Json init(PqosLibrary& library, const Json& request) {
  if (request.at("interface").get<std::string>() == to_string(PqosInterface::os)) {
    return {{"abilities", pqos_protocol::to_json(library.init(PqosInterface::os))}};
  }
  const auto files = make_linux_file_system();
  const AllCpus all(*files);
  return {{"abilities", pqos_protocol::to_json(library.init(PqosInterface::msr))}};
}

Json read(PqosLibrary& library, const Json&) {
  return {{"classes", pqos_protocol::to_json(library.read())}};
}

Json write(PqosLibrary& library, const Json& request) {
  library.write(request.at("class").get<unsigned>(),
                parse_schemata(request.at("schemata").get<std::string>()));
  return Json::object();
}

Json assign_cpus(PqosLibrary& library, const Json& request) {
  library.assign_cpus(request.at("class").get<unsigned>(),
                      CpuSet::parse_list(request.at("cpus").get<std::string>()));
  return Json::object();
}

Json assign_tasks(PqosLibrary& library, const Json& request) {
  library.assign_tasks(request.at("class").get<unsigned>(), request.at("tasks").get<std::vector<unsigned>>());
  return Json::object();
}

// Who counts writes no groups, so that nothing of it can come too late; but it has RMIDs to give back, and so
// it outlives its starter for as long as that takes.
Json prepare_counting(PqosLibrary& library, const Json& request) {
  ::prctl(PR_SET_PDEATHSIG, 0);
  return {{"lack", library.prepare_counting(request.at("folder").get<std::string>())}};
}

Json start_counting(PqosLibrary& library, const Json& request) {
  library.start_counting(request.at("id").get<unsigned>(),
                         CpuSet::parse_list(request.at("cpus").get<std::string>()));
  return Json::object();
}

Json stop_counting(PqosLibrary& library, const Json& request) {
  library.stop_counting(request.at("id").get<unsigned>());
  return Json::object();
}

Json read_counts(PqosLibrary& library, const Json&) {
  return {{"counts", pqos_protocol::to_json(library.read_counts())}};
}

struct Call {
  std::string_view name;
  Json (*answer)(PqosLibrary& library, const Json& request);
};
constexpr Call kCalls[] = {{"load", load},
                           {"init", init},
                           {"read", read},
                           {"write", write},
                           {"assign_cpus", assign_cpus},
                           {"assign_tasks", assign_tasks},
                           {"prepare_counting", prepare_counting},
                           {"start_counting", start_counting},
                           {"stop_counting", stop_counting},
                           {"read_counts", read_counts}};

Json answer_to(PqosLibrary& library, const std::string& line) {
  try {
    const Json request = Json::parse(line);
    const auto name = request.at("call").get<std::string>();
    for (const Call& call : kCalls) {
      if (call.name == name) return call.answer(library, request);
    }
    throw Error(ErrorCode::internal, "the pqos helper has no call " + name);
  } catch (const Error& error) {
    return {{"error", pqos_protocol::to_json(error)}};
  } catch (const nlohmann::json::exception& error) {
    return {{"error", pqos_protocol::to_json(Error(ErrorCode::internal, error.what()))}};
  }
}

bool send_line(const Json& answer) {
  const std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = ::send(STDIN_FILENO, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

// The next line; empty once there is none.
std::string next_line(std::string& buffer) {
  for (;;) {
    const auto end = buffer.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    char part[16384];
    const ssize_t got = ::recv(STDIN_FILENO, part, sizeof part, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    buffer.append(part, static_cast<std::size_t>(got));
  }
}

// The library waits with SIGALRM, which must reach it whatever the starter had held back. What asks the
// starter to end comes to its whole process group: it decides what becomes of a transaction, not we.
void set_up_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
}

}  // namespace

// Where the starter is killed, its successor undoes what it had begun: a request that was sent and not yet
// done must not be done after that. So this process is killed as well, and looks before each request.
int run_pqos_helper() {
  const pid_t starter = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "bulkhead-pqos");
  set_up_signals();
  struct sockaddr_storage address {};
  socklen_t length = sizeof address;
  if (::getsockname(STDIN_FILENO, reinterpret_cast<struct sockaddr*>(&address), &length) != 0) {
    std::fputs("this is what Bulkhead starts for libpqos, not for use by hand\n", stderr);
    return exit_status(ErrorCode::usage);
  }
  PqosLibrary library;
  std::string buffer;
  for (std::string line = next_line(buffer); !line.empty(); line = next_line(buffer)) {
    if (::getppid() != starter) break;
    if (!send_line(answer_to(library, line))) break;
  }
  library.finish();
  return 0;
}

}  // namespace bulkhead
