// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/runner.h"

#include <gtest/gtest.h>
#include <sstream>

#include "tests/conformance/model_host.h"
#include "tests/conformance/suite.h"

namespace bulkhead::conformance {
namespace {

constexpr const char* kCases = BULKHEAD_SOURCE_DIR "/tests/conformance/cases";

// What is reported of a case that has these lines, on the small AMD host with Linux 6.1.
std::string report_of(const std::string& lines) {
  const CaseFile file = parse_cases("host amd-12ccd-nps2\ncase \"c\"\n" + lines, "x.cases");
  check_operations(file);
  ModelHost host(shape_of("amd-12ccd-nps2", sim::Generation::linux_6_1));
  return Runner(host).run(file, file.cases[0]).text;
}

TEST(Runner, passes_a_case_that_answers_as_expected) {
  EXPECT_EQ(
      report_of("mkdir /sys/fs/resctrl/a -> ok \"ok\"\n"
                "write /sys/fs/resctrl/a/schemata \"L3\\n\" -> EINVAL \"Missing ':'\"\n"
                "read /sys/fs/resctrl/a/mode = \"shareable\"\nread /sys/fs/resctrl/a/mode !~ \"ex\"\n"
                "spawn P\nwrite /sys/fs/resctrl/a/tasks \"$P\\n\"\nread /sys/fs/resctrl/a/tasks = \"$P\"\n"),
      "");
}

TEST(Runner, reports_another_errno_text_or_status_with_what_came) {
  EXPECT_EQ(report_of("mkdir /sys/fs/resctrl/a/b\n"),
            "x.cases:3: mkdir /sys/fs/resctrl/a/b: expected ok, got ENOENT (\"c\")");
  EXPECT_EQ(report_of("rmdir /sys/fs/resctrl/info\n"),
            "x.cases:3: rmdir /sys/fs/resctrl/info: expected ok, got EPERM (\"c\")");
  EXPECT_EQ(report_of("mkdir /sys/fs/resctrl/a -> EEXIST\n"),
            "x.cases:3: mkdir /sys/fs/resctrl/a -> EEXIST: expected EEXIST, got ok (\"c\")");
  EXPECT_EQ(report_of("read /sys/fs/resctrl/mode = \"exclusive\"\n"),
            "x.cases:3: read /sys/fs/resctrl/mode = \"exclusive\": expected ok = \"exclusive\", got ok = "
            "\"shareable\" (\"c\")");
  EXPECT_EQ(report_of("write /sys/fs/resctrl/schemata \"L3\\n\" -> EINVAL \"x\"\n"),
            "x.cases:3: write /sys/fs/resctrl/schemata \"L3\\n\" -> EINVAL \"x\": expected EINVAL \"x\", got "
            "EINVAL \"Missing ':'\" (\"c\")");
}

// A kernel whose removed groups are still listed until some moments have passed.
class LateHost : public ModelHost {
 public:
  explicit LateHost(unsigned moments)
      : ModelHost(shape_of("amd-12ccd-nps2", sim::Generation::linux_6_1)), moments_(moments) {}

  Outcome list(const std::string&) override { return {0, moments_ == 0 ? "" : "late/"}; }
  void settle() override { moments_ -= moments_ == 0 ? 0 : 1; }
  unsigned left() const { return moments_; }

 private:
  unsigned moments_;
};

std::string report_of(LateHost& host, const std::string& lines) {
  const CaseFile file = parse_cases("host amd-12ccd-nps2\ncase \"c\"\n" + lines, "x.cases");
  return Runner(host).run(file, file.cases[0]).text;
}

TEST(Runner, waits_for_what_the_kernel_has_put_off_until_something_changes) {
  LateHost late(5);
  EXPECT_EQ(report_of(late, "settle\nread /proc/cpuinfo ~ \"AMD\"\nlist / = \"\"\n"), "");
  LateHost stuck(1000);
  EXPECT_EQ(report_of(stuck, "settle\nlist / = \"\"\n"),
            "x.cases:4: list / = \"\": expected ok = \"\", got ok = \"late/\" (\"c\")");
  EXPECT_EQ(stuck.left(), 1000U - 1 - 50);
  for (const char* before : {"", "settle\nmkdir /sys/fs/resctrl/a\n"}) {
    LateHost host(5);
    EXPECT_NE(report_of(host, before + std::string("list / = \"\"\n")), "") << before;
  }
}

TEST(Runner, each_case_begins_on_a_clean_host) {
  const CaseFile file = parse_cases(
      "host amd-12ccd-nps2\ncase \"one\"\n  mkdir /sys/fs/resctrl/a\ncase \"two\"\n  mkdir "
      "/sys/fs/resctrl/a\n",
      "x.cases");
  std::ostringstream out;
  ModelHost host(shape_of("amd-12ccd-nps2", sim::Generation::linux_6_1));
  const Tally tally = run_on(host, "amd-12ccd-nps2", {6, 1}, {file}, out);
  EXPECT_EQ(tally.passed, 2U);
  EXPECT_EQ(out.str(), "");
}

TEST(Conformance, the_model_answers_as_kernels_do) {
  const std::vector<CaseFile> files = read_cases({kCases});
  for (const CaseFile& file : files) check_operations(file);
  std::ostringstream out;
  const Tally tally = run_on_model(files, out);
  EXPECT_EQ(out.str(), "");
  EXPECT_GT(tally.passed, 4000U);
}

// What no kernel of the lab can show must say where it is from.
TEST(Conformance, cases_for_the_newest_kernels_name_their_source) {
  for (const CaseFile& file : read_cases({kCases})) {
    for (const Case& each : file.cases) {
      if (each.kernels.first >= KernelVersion{6, 13}) {
        EXPECT_NE(each.derived, "") << file.name << ": " << each.name;
      }
    }
  }
}

}  // namespace
}  // namespace bulkhead::conformance
