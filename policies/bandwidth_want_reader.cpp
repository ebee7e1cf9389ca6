// SPDX-License-Identifier: Apache-2.0
#include "policies/share_reader.h"
#include "policies/value_reader.h"

namespace bulkhead {

void read_bandwidth_amount(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                           BandwidthAmount& amount) {
  const auto share = Percent::parse(value.text);
  const auto rate = parse_rate(value.text);
  if (value.text == "unlimited") {
    amount = Unlimited{};
  } else if ((share && share->hundredths == 0) || (rate && *rate == 0)) {
    problems.add(value.place(), Problem::no_bandwidth, {found_text(value)});
  } else if (share && *share > kWhole) {
    problems.add(value.place(), Problem::too_much, {found_text(value)});
  } else if (share) {
    amount = *share;
  } else if (rate) {
    amount = Rate{*rate};
  } else {
    constexpr std::string_view kWords[] = {"unlimited"};
    refuse_word(problems, value, keyword, kWords);
  }
}

namespace {

void read_memory(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                 BandwidthWant& want) {
  read_bandwidth_amount(problems, value, keyword, want.memory);
}

void read_slow(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
               BandwidthWant& want) {
  read_bandwidth_amount(problems, value, keyword, want.slow.emplace());
}

constexpr Field<BandwidthWant> kBandwidthFields[] = {{"memory", read_memory}, {"slow", read_slow}};

}  // namespace

void read_bandwidth_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                         BandwidthWant& want) {
  want.place = value.place();
  if (value.type == JsonType::string)
    return read_bandwidth_amount(problems, value, keyword, want.memory);
  if (value.children.empty()) return problems.add(value.place(), Problem::empty_bandwidth);
  read_members<BandwidthWant>(problems, value, kBandwidthTable, kBandwidthFields, want);
}

}  // namespace bulkhead
