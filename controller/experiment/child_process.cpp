// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/child_process.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{5};

void require(int result, const std::string& name) {
  if (result != 0) throw Error::from_errno(result, "cannot run", name);
}

class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // A program whose signals are held or ignored must not hand that on.
  void prepare(const std::string& folder, int output, int complaints, const std::string& name) {
    require(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), name);
    require(::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO), name);
    require(::posix_spawn_file_actions_adddup2(&actions_, complaints, STDERR_FILENO), name);
    if (!folder.empty()) require(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()), name);
    sigset_t none;
    ::sigemptyset(&none);
    require(::posix_spawnattr_setsigmask(&attributes_, &none), name);
    sigset_t usual;
    ::sigemptyset(&usual);
    ::sigaddset(&usual, SIGPIPE);
    require(::posix_spawnattr_setsigdefault(&attributes_, &usual), name);
    require(::posix_spawnattr_setpgroup(&attributes_, 0), name);
    require(::posix_spawnattr_setflags(
                &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
            name);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string end_text(const siginfo_t& end) {
  if (end.si_code != CLD_EXITED) return std::string("was ended by a signal: ") + ::strsignal(end.si_status);
  return "ended with status " + std::to_string(end.si_status);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::string& folder)
    : name_(words.front()) {
  SpawnSettings settings;
  settings.prepare(folder, output_.child_end(), complaints_.child_end(), name_);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  require(::posix_spawnp(&process_, name_.c_str(), settings.actions(), settings.attributes(),
                         arguments.data(), environ),
          name_);
  output_.close_child_end();
  complaints_.close_child_end();
}

ChildProcess::~ChildProcess() {
  kill_all();
  ::waitpid(process_, nullptr, 0);
}

// What it has started as well, as long as that stays in its group.
void ChildProcess::kill_all() {
  ::kill(-process_, SIGKILL);
}

void ChildProcess::drain() {
  output_.drain();
  complaints_.drain();
}

// It is not reaped yet, so that no other process group gets its number.
bool ChildProcess::has_ended() {
  siginfo_t end{};
  if (!end_ && ::waitid(P_PID, static_cast<id_t>(process_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      end.si_pid != 0) {
    end_ = end;
  }
  return end_.has_value();
}

// Its last line on standard error that says anything, as in ": cannot connect".
std::string ChildProcess::last_complaint() const {
  std::string_view last;
  for (const std::string_view line : split(complaints_.text(), '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  return last.empty() ? "" : ": " + shortened(last);
}

std::optional<CommandEnd> ChildProcess::finish(Clock::time_point until,
                                               const std::function<bool()>& gives_up) {
  while (!has_ended() && !output_.overflowed() && Clock::now() < until && !gives_up()) {
    drain();
    std::this_thread::sleep_for(kBetweenLooks);
  }
  drain();
  if (output_.overflowed())
    return CommandEnd{{}, name_ + " wrote more than " + std::to_string(kLargestOutput >> 20) + " MiB"};
  if (!end_) return std::nullopt;
  if (end_->si_code != CLD_EXITED || end_->si_status != 0)
    return CommandEnd{{}, name_ + ' ' + end_text(*end_) + last_complaint()};
  return CommandEnd{output_.take_text(), {}};
}

void run_command(const std::vector<std::string>& words, const std::string& folder,
                 std::chrono::milliseconds time_limit, const std::function<bool()>& gives_up) {
  ChildProcess child(words, folder);
  const std::optional<CommandEnd> end = child.finish(ChildProcess::Clock::now() + time_limit, gives_up);
  if (!end) {
    throw Error(ErrorCode::refused, words.front() + " had not ended after " +
                                        std::to_string(time_limit.count()) + " ms: it was killed" +
                                        child.last_complaint());
  }
  if (!end->why_none.empty()) throw Error(ErrorCode::refused, end->why_none);
}

}  // namespace bulkhead
