// SPDX-License-Identifier: Apache-2.0
#include "controller/api/error_json.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

TEST(ErrorJson, has_all_of_a_refused_write) {
  Error error = Error::from_errno(EINVAL, "cannot write 'L3:0=0'", "/sys/fs/resctrl/g/schemata");
  error.set_kernel_status("Mask out of range").add_context("applying");
  EXPECT_EQ(
      error_json(error.detail()).dump(),
      R"({"code":"refused","message":"cannot write 'L3:0=0'","remedy":null,"file":null,"line":null,"column":null,)"
      R"("pointer":null,"path":"/sys/fs/resctrl/g/schemata","errno":22,)"
      R"("kernel_status":"Mask out of range","context":["applying"]})");
}

TEST(ErrorJson, has_the_place_in_a_document) {
  Error error(ErrorCode::infeasible, "no such node");
  error.set_place("p.json", 3, 7, "");
  EXPECT_EQ(
      error_json(error.detail()).dump(),
      R"({"code":"infeasible","message":"no such node","remedy":null,"file":"p.json","line":3,"column":7,)"
      R"("pointer":"","path":null,"errno":null,"kernel_status":null,"context":[]})");
}

TEST(ErrorJson, has_the_remedy_that_the_text_has) {
  const Error error = Error::from_errno(EACCES, "cannot open", "/run/bulkhead/state.json");
  EXPECT_EQ(error_json(error.detail())["remedy"], "more rights are needed: run it as root");
  for (const ErrorCode code : {ErrorCode::usage, ErrorCode::not_found, ErrorCode::internal}) {
    EXPECT_EQ(remedy_for(code), "");
  }
}

}  // namespace
}  // namespace bulkhead
