// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "controller/topology/machine_file.h"

namespace bulkhead {
namespace {

ErrorDetail refusal_of_machine(const std::string& file_or_name) {
  try {
    load_machine(file_or_name);
  } catch (const Error& error) {
    return error.detail();
  }
  return {};
}

TEST(MachineLibrary, takes_a_path_as_well_as_a_name) {
  const std::string path = std::string(BULKHEAD_SOURCE_DIR) + "/examples/machines/lab-cdp.json";
  EXPECT_EQ(load_machine(path).machine, load_machine("lab-cdp").machine);
}

TEST(MachineLibrary, says_in_a_line_which_names_there_are) {
  const ErrorDetail meant = refusal_of_machine("epyc-9965-nps3");
  EXPECT_EQ(meant.code, ErrorCode::usage);
  EXPECT_EQ(meant.message, "there is no machine \"epyc-9965-nps3\"; did you mean \"epyc-9965-nps1\"?");
  const ErrorDetail strange = refusal_of_machine("qqq");
  EXPECT_EQ(strange.code, ErrorCode::usage);
  EXPECT_EQ(strange.message,
            "there is no machine \"qqq\"; there are epyc-9654-nps4, epyc-9684x, epyc-9755 and others "
            "in " BULKHEAD_SOURCE_DIR "/examples/machines");
}

TEST(MachineLibrary, names_the_file_that_is_not_there) {
  const ErrorDetail detail = refusal_of_machine("./none.json");
  EXPECT_EQ(detail.code, ErrorCode::not_found);
  EXPECT_EQ(detail.message, "cannot open the file");
  EXPECT_EQ(detail.path, "./none.json");
  EXPECT_EQ(refusal_of_machine("none.json").path, "none.json");
}

}  // namespace
}  // namespace bulkhead
