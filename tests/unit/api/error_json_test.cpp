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
  EXPECT_EQ(error_json(error.detail())["remedy"],
            "more rights are needed: be root, or where bulkheadd runs in its admin group, or to look in its "
            "read group");
  for (const ErrorCode code : {ErrorCode::usage, ErrorCode::not_found, ErrorCode::internal}) {
    EXPECT_EQ(remedy_for(code), "");
  }
}

// Everything that can be said, in every kind of error.
ErrorDetail full_detail(ErrorCode code) {
  return {.code = code,
          .message = "cannot write 'L3:0=0'",
          .file = "p.json",
          .line = 3,
          .column = 7,
          .pointer = "/services/a~1b",
          .path = "/sys/fs/resctrl/g/schemata",
          .error_number = EINVAL,
          .kernel_status = "Mask out of range",
          .context = {"writing", "applying"}};
}

TEST(ErrorJson, comes_back_whole_for_every_code) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    for (const ErrorDetail& sent :
         {full_detail(static_cast<ErrorCode>(code)),
          ErrorDetail{.code = static_cast<ErrorCode>(code), .message = "m", .file = "no-line.json"}}) {
      const auto text = error_json(sent).dump();
      const ErrorDetail back = error_detail(nlohmann::ordered_json::parse(text));
      EXPECT_EQ(back.code, sent.code);
      EXPECT_EQ(error_json(back).dump(), text);
      EXPECT_STREQ(Error(back).what(), Error(sent).what());
    }
  }
}

TEST(ErrorJson, what_makes_no_sense_does_not_apply) {
  const ErrorDetail detail = error_detail(nlohmann::ordered_json::parse(
      R"({"code":"from_the_future","message":"m","line":"3","errno":null,"context":7,"more":{}})"));
  EXPECT_EQ(detail.code, ErrorCode::internal);
  EXPECT_EQ(detail.message, "m");
  EXPECT_EQ(detail.line, 0U);
  EXPECT_EQ(detail.error_number, 0);
  EXPECT_TRUE(detail.context.empty());
  EXPECT_EQ(error_detail(7).code, ErrorCode::internal);
}

}  // namespace
}  // namespace bulkhead
