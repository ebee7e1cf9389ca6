// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/audit_log.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/unit/daemon/scratch_folder.h"

namespace bulkhead {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class AuditFile : public ScratchFolder {
 protected:
  AuditFile() { CaptureStderr(); }

  // Without its time, which is in ISO 8601.
  std::string line() const {
    const std::string text = read("log/audit.log");
    EXPECT_THAT(text, ::testing::MatchesRegex(R"(\{"at":"....-..-..T..:..:......Z",.*)"));
    return text.substr(text.find(',') + 1);
  }

  AuditLog log_{folder_ + "/log/audit.log"};
};

TEST_F(AuditFile, says_who_did_what) {
  AuditEntry entry;
  entry.action = "policy.apply";
  entry.by = {.uid = 1000, .pid = 42, .unit = "deploy.service"};
  entry.policy = "halves";
  entry.from = 3;
  entry.to = 4;
  entry.steps = 7;
  log_.write(entry);
  const std::string said =
      R"("action":"policy.apply","uid":1000,"pid":42,"unit":"deploy.service","policy":"halves",)"
      R"("from":3,"to":4,"steps":7,"refused":null})";
  EXPECT_EQ(line(), said + '\n');
  EXPECT_THAT(GetCapturedStderr(), ::testing::StartsWith("bulkheadd: audit {\"at\":"));
  struct stat status {};
  ASSERT_EQ(::stat((folder_ + "/log/audit.log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(AuditFile, says_what_the_daemon_did_by_itself_and_what_came_of_nothing) {
  AuditEntry entry;
  entry.action = "repair";
  entry.refused = "a \"word\"\nand \xff";
  log_.write(entry);
  EXPECT_EQ(line(),
            R"("action":"repair","uid":null,"pid":null,"unit":null,"policy":null,"from":0,"to":0,"steps":0,)"
            "\"refused\":\"a \\\"word\\\"\\nand \xef\xbf\xbd\"}\n");
  GetCapturedStderr();
}

TEST_F(AuditFile, may_be_moved_away_between_lines) {
  log_.write({});
  std::filesystem::rename(file("log/audit.log"), file("log/audit.log.1"));
  log_.write({});
  log_.write({});
  const std::string text = read("log/audit.log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  GetCapturedStderr();
}

TEST_F(AuditFile, that_cannot_be_written_is_told_once) {
  write("log", "in the way");
  log_.write({});
  log_.write({});
  const std::string told = GetCapturedStderr();
  const std::string why = "bulkheadd: cannot write " + file("log/audit.log") + ": Not a directory\n";
  EXPECT_NE(told.find(why), std::string::npos) << told;
  EXPECT_EQ(told.find(why), told.rfind(why));
}

TEST_F(AuditFile, is_no_link_to_somewhere_else) {
  std::filesystem::create_directory(file("log"));
  std::filesystem::create_symlink(file("elsewhere"), file("log/audit.log"));
  log_.write({});
  EXPECT_FALSE(std::filesystem::exists(file("elsewhere")));
  GetCapturedStderr();
}

}  // namespace
}  // namespace bulkhead
