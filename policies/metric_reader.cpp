// SPDX-License-Identifier: Apache-2.0
#include "policies/metric_reader.h"

#include <algorithm>
#include <limits>

#include "policies/arm_reader.h"
#include "policies/experiment_keywords.h"
#include "policies/page_address.h"
#include "policies/series_selector.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

// What the keys of a metric say, each by itself.
struct Parts {
  MetricDraft draft;
  std::string page;
  std::vector<std::string> command;
  CounterReading counter = CounterReading::total_bandwidth;
  std::string series, per;
  double quantile = 0;
  std::string service;
};

constexpr Word<CounterReading> kCounters[] = {{"total_bandwidth", CounterReading::total_bandwidth},
                                              {"local_bandwidth", CounterReading::local_bandwidth},
                                              {"occupancy", CounterReading::occupancy},
                                              {"cpu_time", CounterReading::cpu_time}};
constexpr Word<Better> kDirections[] = {{"higher", Better::higher}, {"lower", Better::lower}};

void read_page(Problems& problems, const JsonValue& value, const Keyword& keyword, Parts& parts) {
  if (value.text.empty()) return refuse(problems, value, keyword);
  const auto page = parse_page(value.text);
  if (const auto* mistake = std::get_if<PageMistake>(&page)) {
    problems.add(value.place(), Problem::wrong_page, {found_text(value), describe(*mistake)});
  }
  parts.page = value.text;
}

std::string series_of(Problems& problems, const JsonValue& value) {
  const auto series = parse_series(value.text);
  if (const auto* why = std::get_if<std::string>(&series)) {
    problems.add(value.place(), Problem::wrong_series, {found_text(value), *why});
  }
  return value.text;
}

void read_series(Problems& problems, const JsonValue& value, const Keyword&, Parts& parts) {
  parts.series = series_of(problems, value);
}

void read_quantile(Problems& problems, const JsonValue& value, const Keyword& keyword, Parts& parts) {
  const auto quantile = read_real(problems, value, keyword);
  if (!quantile) return;
  if (*quantile <= 0 || *quantile >= 1) {
    problems.add(value.place(), Problem::quantile_range, {found_text(value)});
  }
  parts.quantile = *quantile;
}

constexpr Field<Parts> kMetricFields[] = {
    {"page", read_page},
    {"command", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                   Parts& parts) { parts.command = read_words(problems, value, keyword); }},
    {"counter",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Parts& parts) {
       parts.counter = read_word(problems, value, keyword, kCounters).value_or(parts.counter);
     }},
    {"value", read_series},
    {"rate", read_series},
    {"quantile", read_quantile},
    {"of", read_series},
    {"per", [](Problems& problems, const JsonValue& value, const Keyword&,
               Parts& parts) { parts.per = series_of(problems, value); }},
    {"service",
     [](Problems& problems, const JsonValue& value, const Keyword&, Parts& parts) {
       if (!is_name(value.text)) problems.add(value.place(), Problem::wrong_name, {found_text(value)});
       parts.service = value.text;
     }},
    {"better",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Parts& parts) {
       parts.draft.want.better = read_word(problems, value, keyword, kDirections).value_or(Better::higher);
       parts.draft.has_direction = true;
     }},
    {"least_requests",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Parts& parts) {
       const auto least = read_number(problems, value, keyword, 1, std::numeric_limits<unsigned>::max());
       if (least) parts.draft.want.least_requests = *least;
     }},
};

// Which sources take a key that only some of them take.
struct KeyUse {
  std::string_view key;
  bool page, command, counter;
};
constexpr KeyUse kUses[] = {
    {"value", true, false, false},         {"rate", true, false, false},
    {"quantile", true, true, false},       {"of", true, false, false},
    {"per", true, false, false},           {"service", false, false, true},
    {"least_requests", true, true, false},
};
// Keys that only another one gives a meaning.
struct Company {
  std::string_view key, other;
};
constexpr Company kCompanies[] = {{"of", "quantile"}, {"least_requests", "quantile"}, {"per", "rate"}};

bool takes(std::string_view source, const KeyUse& use) {
  return source == "page" ? use.page : source == "command" ? use.command : use.counter;
}

void check_company(Problems& problems, const JsonValue& object, std::string_view source) {
  for (const JsonValue* member : object.children) {
    const auto use = std::ranges::find(kUses, member->key, &KeyUse::key);
    if (use == std::end(kUses)) continue;
    if (!takes(source, *use)) {
      problems.add(member->key_place(), Problem::misplaced_key, {use->key, "\"" + std::string(source) + '"'});
      continue;
    }
    const auto company = std::ranges::find(kCompanies, use->key, &Company::key);
    if (company != std::end(kCompanies) && object.find(company->other) == nullptr) {
      problems.add(member->key_place(), Problem::lone_key, {use->key, company->other});
    }
  }
}

void require_key(Problems& problems, const JsonValue& object, std::string_view name) {
  if (object.find(name) != nullptr) return;
  problems.add(object.place(), Problem::missing_key, {name, name, kMetricTable.find(name)->example});
}

void check_page(Problems& problems, const JsonValue& object) {
  const auto readings = kMetricTable.keywords.subspan(kMetricSourceKeywords, kPageReadingKeywords);
  const JsonValue* reading = exactly_one(problems, object, readings, "a page", kMetricEntry);
  if (reading == nullptr) {
    problems.add(object.place(), Problem::no_reading);
  } else if (reading->key == "quantile") {
    require_key(problems, object, "of");
  }
}

MetricSource source_of(const JsonValue& object, std::string_view source, Parts& parts) {
  const bool quantile = object.find("quantile") != nullptr;
  if (source == "page") {
    const PageReading reading = quantile                         ? PageReading::quantile
                                : object.find("rate") != nullptr ? PageReading::rate
                                                                 : PageReading::value;
    return PageSource{std::move(parts.page), reading, std::move(parts.series), parts.quantile,
                      std::move(parts.per)};
  }
  if (source == "command") {
    const CommandReading reading = quantile ? CommandReading::quantile : CommandReading::value;
    Command command{.words = std::move(parts.command), .place = object.find("command")->place()};
    return CommandSource{std::move(command), reading, parts.quantile};
  }
  return ServiceCounterSource{std::move(parts.service), parts.counter};
}

}  // namespace

MetricDraft read_metric(Problems& problems, const JsonValue& value) {
  Parts parts;
  MetricDraft& draft = parts.draft;
  draft.want.name = value.key;
  draft.want.place = value.key_place();
  check_name(problems, value);
  if (!check_type(problems, value, kMetricEntry)) return draft;
  read_members<Parts>(problems, value, kMetricTable, kMetricFields, parts);
  const auto sources = kMetricTable.keywords.first(kMetricSourceKeywords);
  const JsonValue* source = exactly_one(problems, value, sources, "a metric", kMetricEntry);
  if (source == nullptr) {
    if (!value.children.empty()) problems.add(value.place(), Problem::no_source);
    return draft;
  }
  check_company(problems, value, source->key);
  if (source->key == "page") check_page(problems, value);
  if (source->key == "counter") require_key(problems, value, "service");
  draft.has_source = true;
  draft.want.source = source_of(value, source->key, parts);
  return draft;
}

}  // namespace bulkhead
