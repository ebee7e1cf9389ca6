// SPDX-License-Identifier: Apache-2.0
// The keywords of the policy language, one row each. The reader is driven by these tables; bulkhead-policy(5)
// and policy.schema.json are checked against them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "policies/json_document.h"

namespace bulkhead {

// The types that a value may have, as bits.
enum class Accepts : unsigned { text = 1, number = 2, boolean = 4, array = 8, object = 16 };
constexpr Accepts operator|(Accepts left, Accepts right) {
  return static_cast<Accepts>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
bool accepts(Accepts types, JsonType type);

enum class Presence { optional, required };

struct Keyword {
  std::string_view name;
  Accepts types = Accepts::text;
  Presence presence = Presence::optional;
  std::string_view what;     // the value, as in "75 is not WHAT"
  std::string_view example;  // as in "write EXAMPLE"
  std::string_view help;     // one line for the manual
};

struct KeywordTable {
  std::string_view name;  // of the object that takes these keys, and of its definition in the schema
  std::span<const Keyword> keywords;

  const Keyword* find(std::string_view keyword) const;
};

extern const KeywordTable kPolicyTable;
extern const KeywordTable kServiceTable;
extern const KeywordTable kClassTable;
extern const KeywordTable kSelectTable;
extern const KeywordTable kCpusTable;
extern const KeywordTable kCountTable;
extern const KeywordTable kMemoryTable;
extern const KeywordTable kL3Table;
extern const KeywordTable kCacheAmountTable;  // what "code" and "data" of an l3 take
extern const KeywordTable kBandwidthTable;
extern const KeywordTable kVerifyTable;

// In a cpus object, the keywords before this one say which CPUs, exactly one of them; the others narrow that.
inline constexpr std::size_t kCpuChoiceKeywords = 6;

// Members of "services" and "classes", whose keys are names that the policy gives.
extern const Keyword kServiceEntry;
extern const Keyword kClassEntry;

std::span<const KeywordTable* const> keyword_tables();  // all, in the order of the manual

}  // namespace bulkhead
