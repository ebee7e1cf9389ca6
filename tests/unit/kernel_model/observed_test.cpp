// SPDX-License-Identifier: Apache-2.0
// Runs the files in observed/: operations with what the real kernel answered, and what its files held then.
//
//   host NAME 6.1|6.12|7            a fresh kernel; all that follows is on it
//   [+]write FILE `TEXT` | RESULT [| STATUS]      likewise mkdir, rmdir, affinity THREAD CPUS
//   is|has FILE `TEXT`; list FOLDER `NAMES`; mode FILE 0444|0644
//   hold NAME FILE; read-held NAME | RESULT; write-held NAME `TEXT` | RESULT
//   offline|online CPU; spawn NAME; thread|fork NAME TASK; zombie|end TASK; counter|fail GROUP DOMAIN EVENT
//   VALUE second; mount OPTIONS | RESULT; unmount | RESULT
//
// RESULT is ok or an errno's name, STATUS what info/last_cmd_status says afterwards; it is cleared before,
// unless the line begins with '+'. In texts ⏎ is a newline, ⇥ a tab, $NAME a task. "cg:" is the cgroup root;
// paths without a slash are resctrl's.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "controller/base/text.h"
#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {
namespace {

const std::map<std::string, KernelShape (*)()> kHosts{
    {"amd-12ccd-nps2", [] { return amd_12ccd(); }},
    {"amd-2socket-3ccd", amd_2socket_3ccd},
    {"cat-only", cat_only},
    {"cdp", cdp},
    {"cgroup-v1", cgroup_v1},
    {"epyc-9965", [] { return epyc_9965(); }},
    {"few-closids", few_closids},
    {"intel-2socket", intel_2socket},
    {"intel-1socket-cdp", intel_1socket_cdp},
    {"l2-only", l2_only},
    {"mba-only", mba_only},
    {"mon-only", mon_only},
    {"no-rdt", no_rdt},
};
const std::map<std::string, Generation> kGenerations{
    {"6.1", Generation::linux_6_1}, {"6.12", Generation::linux_6_12}, {"7", Generation::linux_7}};
const std::map<int, std::string> kErrors{
    {0, "ok"},          {E2BIG, "E2BIG"},     {EACCES, "EACCES"},         {EBUSY, "EBUSY"},
    {EEXIST, "EEXIST"}, {EINVAL, "EINVAL"},   {ENODEV, "ENODEV"},         {ENOENT, "ENOENT"},
    {ENOSPC, "ENOSPC"}, {ENOTDIR, "ENOTDIR"}, {EOPNOTSUPP, "EOPNOTSUPP"}, {EOVERFLOW, "EOVERFLOW"},
    {EPERM, "EPERM"},   {ERANGE, "ERANGE"},   {EROFS, "EROFS"},           {ESRCH, "ESRCH"}};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

class Player {
 public:
  void play(const std::string& line) {
    std::string left = line;
    const bool keeps_status = left.starts_with('+');
    if (keeps_status) left.erase(0, 1);
    const std::size_t bar = end_of_operation(left);
    std::vector<std::string> expected;
    const std::string tail = left.substr(bar);
    for (const std::string_view part : split(tail, '|')) expected.emplace_back(trim(part));
    const std::vector<std::string> words = words_of(left.substr(0, bar));
    if (words[0] == "host") {
      kernel_ = std::make_unique<KernelModel>(with(kHosts.at(words[1])(), kGenerations.at(words[2])));
      tasks_.clear();
      return;
    }
    // Only root's mode clears the status and changes nothing.
    if (!keeps_status) kernel_->write("/sys/fs/resctrl/mode", "shareable\n");
    const int error = act(words);
    if (expected.size() < 2) {
      EXPECT_EQ(error, 0);
      return;
    }
    EXPECT_EQ(kErrors.at(error), expected[1]);
    if (expected.size() < 3) return;
    const std::string status = kernel_->read("/sys/fs/resctrl/info/last_cmd_status").text;
    std::string words_expected = named(expected[2]);
    if (words_expected.starts_with('`')) words_expected = words_expected.substr(1, words_expected.size() - 2);
    EXPECT_EQ(status.substr(0, status.size() - 1), words_expected);
  }

 private:
  static std::size_t end_of_operation(const std::string& line) {
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '`') quoted = !quoted;
      if (line[at] == '|' && !quoted) return at;
    }
    return line.size();
  }

  std::string named(std::string text) const {
    text = replaced(replaced(text, "⏎", "\n"), "⇥", "\t");
    for (const auto& [name, id] : tasks_) text = replaced(text, "$" + name, std::to_string(id));
    return text;
  }

  std::vector<std::string> words_of(std::string_view text) const {
    std::vector<std::string> words;
    while (!(text = trim(text)).empty()) {
      const bool quoted = text.front() == '`';
      const std::size_t end = std::min(quoted ? text.find('`', 1) : text.find(' '), text.size());
      words.push_back(named(std::string(text.substr(quoted ? 1 : 0, end - (quoted ? 1 : 0)))));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
  }

  static std::string path_of(const std::string& name) {
    if (name.starts_with("cg:")) return "/sys/fs/cgroup" + name.substr(3);
    if (name == "/" || name == ".") return "/sys/fs/resctrl";
    return name.starts_with("/proc") || name.starts_with("/sys") ? name : "/sys/fs/resctrl/" + name;
  }

  unsigned task(const std::string& id) const { return *parse_integer<unsigned>(id); }

  int act(const std::vector<std::string>& words) {
    const std::string& verb = words[0];
    const std::string name = words.size() > 1 ? words[1] : "";
    const std::string text = words.size() > 2 ? words[2] : "";
    if (verb == "write") return kernel_->write(path_of(name), text);
    if (verb == "mkdir") return kernel_->make_directory(path_of(name));
    if (verb == "rmdir") return kernel_->remove_directory(path_of(name));
    if (verb == "mount") return kernel_->mount("resctrl", "/sys/fs/resctrl", name);
    if (verb == "unmount") return kernel_->unmount("/sys/fs/resctrl");
    if (verb == "affinity") return kernel_->set_affinity(task(name), CpuSet::parse_list(text));
    if (verb == "read-held") return kernel_->read(handles_.at(name)).error;
    if (verb == "write-held") return kernel_->write(handles_.at(name), text);
    if (verb == "is" || verb == "has" || verb == "list" || verb == "mode")
      return check(verb, path_of(name), text);
    change_world(words);
    return 0;
  }

  int check(const std::string& verb, const std::string& path, const std::string& expected) {
    if (verb == "list") {
      std::string names;
      for (const Entry& entry : kernel_->list(path).entries) {
        names += (names.empty() ? "" : " ") + entry.name + (entry.is_directory ? "/" : "");
      }
      EXPECT_EQ(names, expected);
      return 0;
    }
    if (verb == "mode") {
      EXPECT_EQ(kernel_->open(path, OpenFor::writing).error, expected == "0444" ? EACCES : 0);
      return 0;
    }
    const Answer answer = kernel_->read(path);
    const std::string content =
        answer.text.substr(0, answer.text.size() - (answer.text.ends_with('\n') ? 1 : 0));
    if (verb == "is") {
      EXPECT_EQ(content, expected);
    } else {
      EXPECT_NE(answer.text.find(expected), std::string::npos) << content << "\nlacks " << expected;
    }
    return answer.error;
  }

  void change_world(const std::vector<std::string>& words) {
    const std::string& verb = words[0];
    if (verb == "offline") return kernel_->take_offline(task(words[1]));
    if (verb == "online") return kernel_->bring_online(task(words[1]));
    if (verb == "zombie") return kernel_->become_zombie(task(words[1]));
    if (verb == "end") return kernel_->end(task(words[1]));
    if (verb == "second") return kernel_->pass_second();
    if (verb == "spawn") {
      tasks_[words[1]] = kernel_->spawn({});
    } else if (verb == "thread") {
      tasks_[words[1]] = kernel_->spawn_thread(task(words[2]));
    } else if (verb == "fork") {
      tasks_[words[1]] = kernel_->fork(task(words[2]));
    } else if (verb == "hold") {
      handles_[words[1]] = kernel_->open(path_of(words[2]), OpenFor::writing);
    } else if (verb == "counter") {
      kernel_->set_counter(words[1], task(words[2]), words[3], *parse_integer<std::uint64_t>(words[4]));
    } else if (verb == "fail") {
      kernel_->fail_counter(words[1], task(words[2]), words[3],
                            words[4] == "error" ? CounterState::error : CounterState::unavailable);
    } else {
      FAIL() << "no such verb: " << verb;
    }
  }

  std::unique_ptr<KernelModel> kernel_;
  std::map<std::string, unsigned> tasks_;
  std::map<std::string, Handle> handles_;
};

std::vector<std::string> observed_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(BULKHEAD_SOURCE_DIR "/tests/unit/kernel_model/observed")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Observed : public ::testing::TestWithParam<std::string> {};

TEST_P(Observed, the_model_answers_as_the_kernel_did) {
  std::ifstream lines(BULKHEAD_SOURCE_DIR "/tests/unit/kernel_model/observed/" + GetParam());
  Player player;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    SCOPED_TRACE(GetParam() + ":" + std::to_string(number) + ": " + line);
    player.play(line);
  }
  EXPECT_GT(number, 1U) << "the file is not there, or empty";
}

INSTANTIATE_TEST_SUITE_P(Kernel, Observed, ::testing::ValuesIn(observed_files()), [](const auto& test) {
  std::string name = test.param.substr(0, test.param.find(".txt"));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace bulkhead::sim
