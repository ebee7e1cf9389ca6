// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>

#include "policies/share_reader.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

constexpr unsigned kMostWays = 32;  // CPUID and the kernel count a cache's ways in five bits

void read_percent(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                  CacheAmount& amount) {
  const auto share = Percent::parse(value.text);
  if (!share) return refuse(problems, value, keyword);
  if (share->hundredths == 0) return problems.add(value.place(), Problem::no_cache, {found_text(value)});
  if (*share > kWhole) return problems.add(value.place(), Problem::too_much, {found_text(value)});
  amount = *share;
}

void read_ways(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
               CacheAmount& amount) {
  if (value.text == "0") return problems.add(value.place(), Problem::no_cache, {"{\"ways\": 0}"});
  if (const auto ways = read_number(problems, value, keyword, 1, kMostWays)) amount = Ways{*ways};
}

void read_size(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
               CacheAmount& amount) {
  const auto bytes = parse_bytes(value.text);
  if (!bytes) return refuse(problems, value, keyword);
  if (*bytes == 0) return problems.add(value.place(), Problem::no_cache, {found_text(value)});
  amount = CacheSize{*bytes};
}

void read_mask(DiagnosticList& problems, const JsonValue& value, const Keyword&, CacheAmount& amount) {
  // Without 0x it is unclear what 0b11 or 12 was meant to be.
  const bool marked = value.text.starts_with("0x") || value.text.starts_with("0X");
  const auto mask = WayMask::parse(value.text);
  if (!marked || !mask) return problems.add(value.place(), Problem::mask_not_hex, {found_text(value)});
  if (mask->empty()) return problems.add(value.place(), Problem::no_cache, {found_text(value)});
  if (std::bit_width(mask->bits) > kMostWays) {
    return problems.add(value.place(), Problem::mask_too_wide,
                        {found_text(value), std::to_string(kMostWays - 1)});
  }
  amount = *mask;
}

constexpr Field<CacheAmount> kAmountFields[] = {
    {"ways", read_ways}, {"size", read_size}, {"mask", read_mask}};

void read_amount(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                 CacheAmount& amount) {
  if (value.type == JsonType::string) return read_percent(problems, value, keyword, amount);
  exactly_one(problems, value, kCacheAmountTable.keywords, "an amount of cache", keyword);
  read_members<CacheAmount>(problems, value, kCacheAmountTable, kAmountFields, amount);
}

template <void (*kRead)(DiagnosticList&, const JsonValue&, const Keyword&, CacheAmount&)>
void read_data(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CacheWant& want) {
  kRead(problems, value, keyword, want.data);
}

void read_code(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, CacheWant& want) {
  read_amount(problems, value, keyword, want.code.emplace());
}

constexpr Field<CacheWant> kCacheFields[] = {{"ways", read_data<read_ways>},
                                             {"size", read_data<read_size>},
                                             {"mask", read_data<read_mask>},
                                             {"code", read_code},
                                             {"data", read_data<read_amount>}};

// Code and data come together, and instead of one amount for both.
void check_pair(DiagnosticList& problems, const JsonValue& object) {
  const JsonValue* code = object.find("code");
  const JsonValue* data = object.find("data");
  if (code == nullptr && data == nullptr) return;
  for (const Keyword& single : kCacheAmountTable.keywords) {
    if (const JsonValue* member = object.find(single.name)) {
      problems.add(member->key_place(), Problem::one_of_many,
                   {single.name, code != nullptr ? "code" : "data", "an amount of cache",
                    R"("ways", "size", "mask" and the pair "code", "data")"});
      return;
    }
  }
  if (code == nullptr) problems.add(object.place(), Problem::missing_key, {"code", "code", "\"50%\""});
  if (data == nullptr) problems.add(object.place(), Problem::missing_key, {"data", "data", "\"50%\""});
}

}  // namespace

void read_cache_want(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                     CacheWant& want) {
  want.place = value.place();
  if (value.type == JsonType::string) return read_percent(problems, value, keyword, want.data);
  exactly_one(problems, value, kCacheAmountTable.keywords, "an amount of cache", keyword);
  check_pair(problems, value);
  read_members<CacheWant>(problems, value, kL3Table, kCacheFields, want);
}

}  // namespace bulkhead
