// SPDX-License-Identifier: Apache-2.0
// What the engine keeps on disk: store, journal, state.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/engine/journal.h"
#include "controller/engine/state.h"
#include "controller/engine/store.h"

namespace bulkhead {
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "bulkhead-store-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    parent_ = pattern;
    path_ = parent_ + "/run";
  }
  void TearDown() override { std::filesystem::remove_all(parent_); }

  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directory(path_);
    std::ofstream(path_ + '/' + name) << text;
  }

  std::string parent_;
  std::string path_;
};

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.detail().message;
  }
  return "accepted";
}

Step schemata_step(const std::string& group, const std::string& text, const std::string& before) {
  return {.kind = StepKind::write_schemata, .target = group, .text = text, .before = before};
}

TEST_F(Files, store_makes_nothing_until_something_is_written) {
  Store store(path_);
  EXPECT_EQ(store.read("state.json"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path_));
  store.replace("state.json", "one");
  EXPECT_EQ(store.read("state.json"), "one");
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755U);
  ASSERT_EQ(stat((path_ + "/state.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(Files, store_replaces_whole_files_and_leaves_no_other) {
  Store store(path_);
  store.replace("a", std::string(100'000, 'x'));
  store.replace("a", "y");
  store.append("b", "1\n");
  store.append("b", "2\n");
  EXPECT_EQ(store.read("a"), "y");
  EXPECT_EQ(store.read("b"), "1\n2\n");
  store.remove("b");
  store.remove("b");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"a"});
}

TEST_F(Files, store_leaves_no_part_of_a_file_that_it_could_not_replace) {
  std::filesystem::create_directories(path_ + "/state.json/in-the-way");
  EXPECT_EQ(refusal([this] { Store(path_).replace("state.json", "new"); }), "cannot rename into place");
  EXPECT_FALSE(std::filesystem::exists(path_ + "/state.json.new"));
  EXPECT_TRUE(std::filesystem::exists(path_ + "/state.json/in-the-way"));
}

TEST_F(Files, store_does_not_follow_links) {
  put("aim", "untouched");
  std::filesystem::create_symlink("aim", path_ + "/journal");
  Store store(path_);
  EXPECT_EQ(refusal([&] { store.append("journal", "x"); }), "cannot open");
  EXPECT_EQ(refusal([&] { store.read("journal"); }),
            "this is a symbolic link, not a file that Bulkhead has written");
  EXPECT_EQ(store.read("aim"), "untouched");
}

TEST_F(Files, store_reads_nothing_but_files_of_a_bounded_size) {
  Store store(path_);
  std::filesystem::create_directories(path_ + "/state.json");
  EXPECT_EQ(refusal([&] { store.read("state.json"); }),
            "this is a directory, not a file that Bulkhead has written");
  put("journal", "");
  std::filesystem::resize_file(path_ + "/journal", 64 << 20);
  EXPECT_EQ(store.read("journal")->size(), 64U << 20);
  std::filesystem::resize_file(path_ + "/journal", (64 << 20) + 1);
  EXPECT_EQ(refusal([&] { store.read("journal"); }),
            "this is too long for a file that Bulkhead has written: more than 64 MiB");
}

TEST_F(Files, a_second_bulkhead_waits_and_then_says_who) {
  Store store(path_);
  Store other(path_);
  const UniqueFd held = store.lock(0);
  EXPECT_EQ(refusal([&] { other.lock(10); }),
            "process " + std::to_string(::getpid()) +
                " (test_engine) holds the lock, after 10 ms still: let it finish, or end it");
}

TEST_F(Files, keeps_out_of_the_kernels_filesystems) {
  Store store("/sys/kernel/bulkhead");
  EXPECT_EQ(refusal([&] { store.replace("journal", ""); }),
            "the kernel's own filesystem is no place for our files: choose another directory");
  Store nested("/proc/bulkhead");
  EXPECT_EQ(refusal([&] { nested.lock(0); }),
            "the kernel's own filesystem is no place for our files: choose another directory");
}

TEST_F(Files, what_an_interrupted_replace_left_goes_with_the_file) {
  Store store(path_);
  store.replace("journal", "x");
  put("journal.new", "half");
  store.remove("journal");
  EXPECT_FALSE(std::filesystem::exists(path_ + "/journal"));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/journal.new"));
}

TEST_F(Files, journal_returns_every_kind_of_step) {
  Store store(path_);
  Journal journal(store);
  EXPECT_EQ(journal.read(), std::nullopt);
  std::vector<Step> steps{
      {.kind = StepKind::make_group, .target = "bulkhead.web"},
      schemata_step("bulkhead.web", "L3:0=fff\nMB:0=16\n", ""),
      {.kind = StepKind::remove_group, .target = "bulkhead.old"},
      {.kind = StepKind::set_unit,
       .target = "a.service",
       .text = "AllowedCPUs=0-3 AllowedMemoryNodes=",
       .before = "x"},
  };
  steps[2].image = {.schemata = "L3:0=f\n", .cpus = "0-3", .tasks = {1, 2, 3}};
  journal.begin("id-1", "apply of web", steps);
  const Step more{.kind = StepKind::move_tasks,
                  .target = "bulkhead.web",
                  .tasks = {{10, ""}, {11, "bulkhead.old"}, {12, ""}}};
  journal.add(more);
  steps.push_back(more);
  const auto content = journal.read();
  ASSERT_TRUE(content);
  EXPECT_EQ(content->transaction, "id-1");
  EXPECT_EQ(content->action, "apply of web");
  EXPECT_EQ(content->steps, steps);
  journal.end();
  EXPECT_EQ(journal.read(), std::nullopt);
}

TEST_F(Files, journal_passes_a_torn_last_line_over) {
  Store store(path_);
  Journal journal(store);
  const std::vector<Step> steps{{.kind = StepKind::make_group, .target = "bulkhead.web"}};
  journal.begin("id-1", "apply of web", steps);
  const std::string whole = *store.read("journal");
  for (const std::string& torn :
       {std::string("{"), std::string(R"({"kind":"make_group","target":"bulkhead.x"})")}) {
    put("journal", whole + torn);
    EXPECT_EQ(journal.read()->steps, steps) << torn;
  }
}

std::string damaged(const std::string& reason) {
  return "the journal of an interrupted transaction is damaged (" + reason +
         "), so what it had begun cannot be undone. Look at the host with `bulkhead doctor`; to go on, "
         "remove the "
         "file and apply or reset";
}

TEST_F(Files, journal_that_makes_no_sense_is_kept_and_refused) {
  Store store(path_);
  Journal journal(store);
  put("journal", "nonsense\n");
  EXPECT_EQ(refusal([&] { journal.read(); }), damaged("it makes no sense"));
  put("journal", "");
  EXPECT_EQ(refusal([&] { journal.read(); }), damaged("it has no beginning"));
  put("journal", R"({"bulkhead_journal":2,"transaction":"a","action":"b"})"
                 "\n");
  EXPECT_EQ(refusal([&] { journal.read(); }), damaged("it is of another version of bulkhead"));
  put("journal", R"({"bulkhead_journal":1,"transaction":"a","action":"b"})"
                 "\n"
                 R"({"kind":"fly","target":"x"})"
                 "\n");
  EXPECT_EQ(refusal([&] { journal.read(); }), damaged("unknown kind of step 'fly'"));
  EXPECT_TRUE(std::filesystem::exists(path_ + "/journal"));
}

TEST_F(Files, state_comes_back_as_it_was_written) {
  Store store(path_);
  EXPECT_TRUE(read_state(store).baseline.empty());
  State state{.transaction = "id-7",
              .generation = 7,
              .policy_text = "{\n  // caf\xc3\xa9\n}",
              .policy_file = "web.json",
              .applied_at = "2026-01-02T03:04:05Z"};
  state.baseline.default_group[Resource::l3][CacheId{3}] = 0xffff;
  state.baseline.cpusets["/system.slice"] = {.cpus = "", .partition = "member"};
  state.baseline.units["a.service"] = "AllowedCPUs=0-3 AllowedMemoryNodes=";
  state.baseline.enabled = {"/", "/a"};
  state.baseline.made["/bulkhead.web"] = {{12, "/"}, {13, "/x"}};
  state.baseline.made["/bulkhead.empty"] = {};
  state.baseline.memory_unlimited = 4096;
  write_state(store, state);
  const State read = read_state(store);
  EXPECT_EQ(read.transaction, state.transaction);
  EXPECT_EQ(read.generation, state.generation);
  EXPECT_EQ(read.policy_text, state.policy_text);
  EXPECT_EQ(read.policy_file, state.policy_file);
  EXPECT_EQ(read.applied_at, state.applied_at);
  EXPECT_EQ(read.baseline, state.baseline);
  remove_state(store);
  EXPECT_EQ(read_state(store).policy_text, "");
}

TEST_F(Files, state_that_makes_no_sense_is_refused_with_its_path) {
  put("state.json", "{");
  Store store(path_);
  try {
    read_state(store);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_TRUE(error.detail().message.starts_with("the state file is damaged: "));
    EXPECT_EQ(error.detail().path, path_ + "/state.json");
  }
}

TEST(Baseline, keeps_the_oldest_of_each) {
  Baseline baseline;
  baseline.remember({schemata_step("", "L3:0=f000\n", "L3:0=ffff\n"),
                     {.kind = StepKind::write_cpuset_cpus, .target = "/a", .text = "0-3", .before = ""},
                     schemata_step("bulkhead.web", "L3:0=fff\n", "L3:0=ffff\n")});
  baseline.remember({schemata_step("", "L3:0=f00;1=f00\n", "L3:0=f000;1=ffff\n"),
                     {.kind = StepKind::write_cpuset_cpus, .target = "/a", .text = "0-1", .before = "0-3"}});
  EXPECT_EQ(baseline.default_group, (Schemata{{Resource::l3, {{CacheId{0}, 0xffff}, {CacheId{1}, 0xffff}}}}));
  EXPECT_EQ(baseline.cpusets.at("/a"), (CpusetImage{.cpus = ""}));
  baseline.keep_only({"/b"}, {{Resource::l3, {{CacheId{1}, 0xf00}}}});
  EXPECT_EQ(baseline.default_group, (Schemata{{Resource::l3, {{CacheId{1}, 0xffff}}}}));
  EXPECT_TRUE(baseline.cpusets.empty());
}

TEST(Baseline, keeps_enabled_cgroups_as_long_as_a_target_is_below) {
  Baseline baseline;
  baseline.enabled = {"/", "/a", "/ab"};
  baseline.keep_only({"/a/x"}, {});
  EXPECT_EQ(baseline.enabled, (std::vector<std::string>{"/", "/a"}));
  baseline.keep_only({}, {});
  EXPECT_TRUE(baseline.empty());
}

}  // namespace
}  // namespace bulkhead
