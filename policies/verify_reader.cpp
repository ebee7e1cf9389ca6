// SPDX-License-Identifier: Apache-2.0
#include "policies/verify_reader.h"

#include "policies/duration.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

void read_percent(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                  Percent& percent) {
  if (const auto read = Percent::parse(value.text)) {
    percent = *read;
  } else {
    refuse(problems, value, keyword);
  }
}

constexpr Field<VerifySettings> kVerifyFields[] = {
    {"occupancy_slack",
     [](DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, VerifySettings& settings) {
       read_percent(problems, value, keyword, settings.occupancy_slack);
     }},
    {"settle",
     [](DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, VerifySettings& settings) {
       const auto time = parse_duration(value.text);
       if (!time) return refuse(problems, value, keyword);
       settings.settle = *time;
     }},
    {"max_bandwidth_overshoot",
     [](DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, VerifySettings& settings) {
       read_percent(problems, value, keyword, settings.max_bandwidth_overshoot);
     }},
};

}  // namespace

void read_verify(DiagnosticList& problems, const JsonValue& value, VerifySettings& settings) {
  read_members<VerifySettings>(problems, value, kVerifyTable, kVerifyFields, settings);
}

}  // namespace bulkhead
