// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/control_commands.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

using Words = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::usage, why);
}

template <class Number>
Number number(const std::string& word) {
  const auto value = parse_integer<Number>(word);
  if (!value) refuse("'" + word + "' is no number");
  return *value;
}

int errno_named(const std::string& name) {
  constexpr int kLast = 133;  // EHWPOISON
  for (int error = 1; error <= kLast; ++error) {
    const char* known = ::strerrorname_np(error);
    if (known != nullptr && name == known) return error;
  }
  refuse("'" + name + "' is no errno");
}

std::string answer_of(int error) {
  return error == 0 ? "ok" : std::string("error: ") + ::strerrorname_np(error);
}

Operation operation_named(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, Operation>, 5> kKnown = {
      {{"read", Operation::read},
       {"write", Operation::write},
       {"mkdir", Operation::make_directory},
       {"rmdir", Operation::remove_directory},
       {"mount", Operation::mount}}};
  const auto found = std::ranges::find(kKnown, name, &std::pair<std::string_view, Operation>::first);
  if (found == kKnown.end()) refuse("'" + name + "' is no operation: read, write, mkdir, rmdir, mount");
  return found->second;
}

std::string with_newlines(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text.compare(at, 2, "\\n") == 0;
    result += escaped ? '\n' : text[at];
    at += escaped ? 1 : 0;
  }
  return result;
}

constexpr std::array<std::pair<std::string_view, CounterState>, 3> kStates = {
    {{"unavailable", CounterState::unavailable},
     {"error", CounterState::error},
     {"unassigned", CounterState::unassigned}}};

// Below resctrl; empty for the default group.
std::string path_of(const Group& group) {
  if (group.parent == nullptr) return group.name;
  const std::string& above = group.parent->name;
  return above + (above.empty() ? "" : "/") + "mon_groups/" + group.name;
}

const Group& group_at(const KernelModel& kernel, const std::string& path) {
  const std::vector<const Group*> groups = kernel.resctrl_groups();
  const auto found = std::ranges::find_if(
      groups, [&](const Group* group) { return path_of(*group) == (path == "/" ? "" : path); });
  if (found == groups.end()) refuse("there is no group '" + path + "'");
  return **found;
}

// Of a group, or "rmid=" and a number, which may be nobody's now.
unsigned rmid_of(const KernelModel& kernel, const std::string& word) {
  constexpr std::string_view kByNumber = "rmid=";
  if (word.starts_with(kByNumber)) return number<unsigned>(word.substr(kByNumber.size()));
  return group_at(kernel, word).rmid;
}

// What has no counter could be set, and nobody would ever see it.
void refuse_unknown_counter(const KernelModel& kernel, unsigned rmid, unsigned domain,
                            const std::string& event) {
  const KernelShape& shape = kernel.world().shape;
  if (!shape.monitoring) refuse("this host has no counters");
  const auto& events = shape.monitoring->events;
  if (std::ranges::find(events, event) == events.end()) {
    refuse("'" + event + "' is no event of this host: " + join(events, ", "));
  }
  const bool is_domain =
      std::ranges::any_of(shape.cpus, [&](const CpuPlace& place) { return place.l3 == domain; });
  if (!is_domain) refuse("there is no domain " + std::to_string(domain));
  if (rmid >= shape.monitoring->rmids) {
    refuse("this host has RMIDs 0 to " + std::to_string(shape.monitoring->rmids - 1));
  }
}

std::string set_counter(SimulatedHost& host, const Words& words) {
  const auto domain = number<unsigned>(words[1]);
  host.with_kernel([&](ScriptedKernel& scripted) {
    KernelModel& kernel = scripted.outside();
    const unsigned rmid = rmid_of(kernel, words[0]);
    refuse_unknown_counter(kernel, rmid, domain, words[2]);
    const auto state =
        std::ranges::find(kStates, words[3], &std::pair<std::string_view, CounterState>::first);
    if (state == kStates.end()) {
      kernel.set_counter(rmid, domain, words[2], number<std::uint64_t>(words[3]));
    } else {
      kernel.fail_counter(rmid, domain, words[2], state->second);
    }
  });
  return "ok";
}

std::string show_ids(SimulatedHost& host, const Words& words) {
  return host.with_kernel([&](ScriptedKernel& kernel) {
    const Group& group = group_at(kernel.outside(), words[0]);
    return std::to_string(group.closid) + ' ' + std::to_string(group.rmid);
  });
}

std::string add_fault(SimulatedHost& host, const Words& words, bool always) {
  Fault fault;
  fault.operation = operation_named(words[0]);
  fault.path = words[1];
  fault.error = errno_named(words[2]);
  fault.always = always;
  if (words.size() > 3) fault.status = words[3];
  host.with_kernel([&](ScriptedKernel& kernel) { kernel.add_fault(std::move(fault)); });
  return "ok";
}

std::string switch_cpu(SimulatedHost& host, const std::string& word, bool online) {
  const auto cpu = number<unsigned>(word);
  return host.with_tasks([&](ScriptedKernel& kernel) -> std::string {
    const World& world = kernel.outside().world();
    if (cpu == 0 || !world.shape.all_cpus().contains(cpu)) refuse("CPU " + word + " cannot be switched");
    if (world.online.contains(cpu) != online) {
      online ? kernel.outside().bring_online(cpu) : kernel.outside().take_offline(cpu);
    }
    return "ok";
  });
}

std::string pass_seconds(SimulatedHost& host, const Words& words) {
  constexpr unsigned kMost = 3600;
  const auto seconds = number<unsigned>(words[0]);
  if (seconds > kMost) refuse("at most " + std::to_string(kMost) + " seconds pass at once");
  // Others have their turn between them.
  for (unsigned second = 0; second < seconds; ++second) {
    host.with_kernel([](ScriptedKernel& kernel) { kernel.outside().pass_second(); });
  }
  return "ok";
}

std::chrono::milliseconds slowness(const std::string& word) {
  constexpr unsigned kMost = 60'000;
  const auto milliseconds = number<unsigned>(word);
  if (milliseconds > kMost) refuse("a call takes at most " + std::to_string(kMost) + " ms longer");
  return std::chrono::milliseconds(milliseconds);
}

struct Command {
  std::string_view name;
  std::size_t least, most;  // arguments; the last one is the rest of the line
  std::string (*run)(SimulatedHost&, const Words&);
};

constexpr std::array kCommands = {
    Command{"counter", 4, 4, set_counter},
    Command{"ids", 1, 1, show_ids},
    Command{"fault", 3, 4,
            [](SimulatedHost& host, const Words& words) { return add_fault(host, words, false); }},
    Command{"faults", 3, 3,
            [](SimulatedHost& host, const Words& words) { return add_fault(host, words, true); }},
    Command{"slow", 2, 2,
            [](SimulatedHost& host, const Words& words) {
              host.slow_down(words[0], slowness(words[1]));
              return std::string("ok");
            }},
    Command{"clear", 0, 0,
            [](SimulatedHost& host, const Words&) {
              host.with_kernel([](ScriptedKernel& kernel) { kernel.clear_script(); });
              host.slow_down("", {});
              return std::string("ok");
            }},
    Command{"offline", 1, 1,
            [](SimulatedHost& host, const Words& words) { return switch_cpu(host, words[0], false); }},
    Command{"online", 1, 1,
            [](SimulatedHost& host, const Words& words) { return switch_cpu(host, words[0], true); }},
    Command{"mkdir", 1, 1,
            [](SimulatedHost& host, const Words& words) {
              return answer_of(host.with_tasks(
                  [&](ScriptedKernel& kernel) { return kernel.outside().make_directory(words[0]); }));
            }},
    Command{"rmdir", 1, 1,
            [](SimulatedHost& host, const Words& words) {
              return answer_of(host.with_tasks(
                  [&](ScriptedKernel& kernel) { return kernel.outside().remove_directory(words[0]); }));
            }},
    Command{"write", 2, 2,
            [](SimulatedHost& host, const Words& words) {
              return answer_of(host.with_tasks([&](ScriptedKernel& kernel) {
                return kernel.outside().write(words[0], with_newlines(words[1]));
              }));
            }},
    Command{"pass", 1, 1, pass_seconds},
};

// The words of a line, the last of at most `most` being the rest of it.
Words words_of(std::string_view line, std::size_t most) {
  Words words;
  while (!line.empty()) {
    const auto end = words.size() + 1 == most ? std::string_view::npos : line.find(' ');
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return words;
}

}  // namespace

std::string run_control_command(SimulatedHost& host, std::string_view line) {
  line = trim(line);
  const auto end = std::min(line.find(' '), line.size());
  const std::string_view name = line.substr(0, end);
  const auto command = std::ranges::find(kCommands, name, &Command::name);
  if (command == kCommands.end()) return "error: no command '" + std::string(name) + '\'';
  const Words words = words_of(trim(line.substr(end)), command->most);
  if (words.size() < command->least || words.size() > command->most) {
    return "error: " + std::string(name) + " takes " + counted(command->least, "word");
  }
  try {
    return command->run(host, words);
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace bulkhead::sim
