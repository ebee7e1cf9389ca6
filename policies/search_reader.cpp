// SPDX-License-Identifier: Apache-2.0
#include "policies/search_reader.h"

#include <algorithm>

#include "policies/experiment_keywords.h"
#include "policies/share_reader.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

constexpr unsigned kMostCcds = 1024;
constexpr unsigned kMostWays = 32;
constexpr unsigned kMostThreads = 8;
constexpr unsigned kFewestEvaluations = 7;  // one more than are set beforehand
constexpr unsigned kMostEvaluations = 20;
constexpr std::size_t kMostCombinations = 10'000;

void tell_of_fall(Problems& problems, const JsonValue& element, const JsonValue& before) {
  problems.add(element.place(), Problem::list_falls, {found_text(element), found_text(before)});
}

template <std::vector<unsigned> SearchRanges::*kList, unsigned kMost>
void read_counts(Problems& problems, const JsonValue& value, const Keyword& keyword, SearchWant& search) {
  if (value.children.empty()) return refuse(problems, value, keyword);
  std::vector<unsigned>& counts = search.ranges.*kList;
  for (const JsonValue* element : value.children) {
    if (!check_type(problems, *element, kSearchCount)) return;
    const auto count = read_number(problems, *element, kSearchCount, 1, kMost);
    if (!count) return;
    if (!counts.empty() && *count <= counts.back())
      return tell_of_fall(problems, *element, *value.children[element->index - 1]);
    counts.push_back(*count);
  }
}

const BandwidthAmount kNotRead = Percent{0};  // an amount that no text stands for

enum class Order { rises, falls, unknown };

// Which of a rate and a percentage is more only a machine can tell.
Order order_of(const BandwidthAmount& before, const BandwidthAmount& after) {
  if (std::holds_alternative<Unlimited>(before)) return Order::falls;
  if (std::holds_alternative<Unlimited>(after)) return Order::rises;
  if (before.index() != after.index()) return Order::unknown;
  const bool rises = std::holds_alternative<Rate>(after)
                         ? std::get<Rate>(before).bytes_per_second < std::get<Rate>(after).bytes_per_second
                         : std::get<Percent>(before) < std::get<Percent>(after);
  return rises ? Order::rises : Order::falls;
}

void read_bandwidths(Problems& problems, const JsonValue& value, const Keyword& keyword, SearchWant& search) {
  if (value.children.empty()) return refuse(problems, value, keyword);
  std::vector<BandwidthAmount>& amounts = search.ranges.bandwidth;
  for (const JsonValue* element : value.children) {
    if (!check_type(problems, *element, kSearchBandwidth)) return;
    BandwidthAmount amount = kNotRead;
    read_bandwidth_amount(problems, *element, kSearchBandwidth, amount);
    if (amount == kNotRead) return;
    if (!amounts.empty()) {
      const JsonValue& before = *value.children[element->index - 1];
      const Order order = order_of(amounts.back(), amount);
      if (order == Order::unknown) {
        return problems.add(element->place(), Problem::mixed_amounts,
                            {found_text(before), found_text(*element)});
      }
      if (order == Order::falls) return tell_of_fall(problems, *element, before);
    }
    amounts.push_back(amount);
  }
}

constexpr Field<SearchWant> kLatencyFields[] = {
    {"metric",
     [](Problems&, const JsonValue& value, const Keyword&, SearchWant& search) {
       search.latency = value.text;
       search.latency_place = value.place();
     }},
    {"limit",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, SearchWant& search) {
       const auto limit = read_real(problems, value, keyword);
       if (limit && !(*limit > 0)) return refuse(problems, value, keyword);
       search.latency_limit = limit.value_or(1);
     }},
};

constexpr Field<SearchWant> kSearchFields[] = {
    {"policy",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, SearchWant& search) {
       if (value.text.empty() || value.text == "none") return refuse(problems, value, keyword);
       search.policy = value.text;
       search.policy_place = value.place();
     }},
    {"service",
     [](Problems&, const JsonValue& value, const Keyword&, SearchWant& search) {
       search.service = value.text;
       search.service_place = value.place();
     }},
    {"ccds", read_counts<&SearchRanges::ccds, kMostCcds>},
    {"ways", read_counts<&SearchRanges::ways, kMostWays>},
    {"bandwidth", read_bandwidths},
    {"threads_per_core", read_counts<&SearchRanges::threads_per_core, kMostThreads>},
    {"latency",
     [](Problems& problems, const JsonValue& value, const Keyword&, SearchWant& search) {
       read_members<SearchWant>(problems, value, kSearchLatencyTable, kLatencyFields, search);
     }},
    {"evaluations",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, SearchWant& search) {
       search.evaluations = read_number(problems, value, keyword, kFewestEvaluations, kMostEvaluations)
                                .value_or(search.evaluations);
     }},
};

// A list that is wrong is told of already.
bool has_choice(const JsonValue& search) {
  constexpr std::string_view kLists[] = {"ccds", "ways", "bandwidth", "threads_per_core"};
  return std::ranges::any_of(kLists, [&](std::string_view name) {
    const JsonValue* list = search.find(name);
    return list != nullptr && (list->type != JsonType::array || list->children.size() != 1);
  });
}

bool has_too_many(const SearchRanges& ranges) {
  std::size_t combinations = 1;
  for (const std::size_t values :
       {ranges.ccds.size(), ranges.ways.size(), ranges.bandwidth.size(), ranges.threads_per_core.size()}) {
    combinations *= std::max<std::size_t>(values, 1);
  }
  return combinations > kMostCombinations;
}

}  // namespace

void read_search(Problems& problems, const JsonValue& value, SearchWant& search) {
  search.place = value.key_place();
  read_members<SearchWant>(problems, value, kSearchTable, kSearchFields, search);
  if (!has_choice(value)) problems.add(value.place(), Problem::few_combinations);
  if (has_too_many(search.ranges)) {
    problems.add(value.place(), Problem::many_combinations, {std::to_string(kMostCombinations)});
  }
}

}  // namespace bulkhead
