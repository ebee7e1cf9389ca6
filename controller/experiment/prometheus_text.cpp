// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/prometheus_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "controller/base/real.h"
#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr std::string_view kBlanks = " \t";

std::optional<double> signed_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_real(text);
}

// The text up to the next blank, which is removed with the blanks behind it.
std::string_view take_word(std::string_view& text) {
  const auto end = std::min(text.size(), text.find_first_of(kBlanks));
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
  return word;
}

struct Sample {
  Labels labels;
  double value = 0;
};

std::string unreadable(const std::string& why) {
  return "has a line that cannot be read: " + why;
}

// What follows the name on its line; otherwise why not, as in "the series x ...".
std::variant<Sample, std::string> parse_sample(std::string_view rest) {
  Sample sample;
  if (rest.starts_with('{')) {
    auto labels = take_labels(rest);
    if (const auto* why = std::get_if<std::string>(&labels)) return unreadable(*why);
    sample.labels = std::get<Labels>(std::move(labels));
    std::ranges::sort(sample.labels);
  }
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(kBlanks)));
  const std::string_view word = take_word(rest);
  const auto value = signed_real(word);
  if (!value) return "has " + in_quotes(word) + " for a value";
  if (!std::isfinite(*value)) return "has the value " + std::string(word);
  sample.value = *value;
  // A time may follow, and behind '#' an example of what was observed.
  if (rest.starts_with('#')) return sample;
  if (!rest.empty() && !signed_real(take_word(rest))) return unreadable("something follows its value");
  if (!rest.empty() && !rest.starts_with('#')) return unreadable("something follows its time");
  return sample;
}

bool has_labels(const Labels& all, const Labels& wanted) {
  return std::ranges::all_of(wanted,
                             [&](const auto& label) { return std::ranges::find(all, label) != all.end(); });
}

// The line behind the name, if it is a sample of that name.
std::optional<std::string_view> sample_of(std::string_view line, std::string_view name) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlanks)));
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  const bool ends = line.starts_with('{') || line.starts_with(' ') || line.starts_with('\t');
  if (!ends) return std::nullopt;
  line.remove_prefix(line.find_first_not_of(kBlanks) == std::string_view::npos
                         ? line.size()
                         : line.find_first_not_of(kBlanks));
  return line;
}

std::string shown(double number) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), number).ptr;
  return {std::begin(text), end};
}

std::string named(const std::string& name, const Labels& labels) {
  std::vector<std::string> parts;
  for (const auto& [label, value] : labels) parts.push_back(label + '=' + in_quotes(value));
  return labels.empty() ? name : shortened(name + '{' + join(parts, ",") + '}');
}

MetricReading none(std::string why) {
  return {.value = std::nullopt, .why_none = std::move(why)};
}

MetricReading finite(double number, const std::string& name) {
  if (std::isfinite(number)) return {.value = number, .why_none = {}};
  return none("the values of the series " + name + " add up to more than a number holds");
}

// How much each series has grown; otherwise why that cannot be told.
std::variant<std::map<Labels, double>, std::string> growth(const PageSeries& before,
                                                           const PageSeries& after) {
  for (const PageSeries* page : {&before, &after}) {
    if (!page->why_none.empty()) return page->why_none;
  }
  for (const auto& [labels, value] : before.values) {
    if (!after.values.contains(labels))
      return "the series " + named(before.name, labels) + " is no longer there";
  }
  std::map<Labels, double> grown;
  for (const auto& [labels, value] : after.values) {
    const auto from = before.values.find(labels);
    // It may have counted long before it was shown.
    if (from == before.values.end())
      return "the series " + named(after.name, labels) + " appeared meanwhile: how much it grew is not known";
    if (value < from->second) {
      return "the counter " + named(after.name, labels) + " went backwards, from " + shown(from->second) +
             " to " + shown(value);
    }
    grown.emplace(labels, value - from->second);
  }
  return grown;
}

// Where fewer were observed up to a bound than up to a smaller one.
std::optional<std::string> fall_in(const std::map<double, double>& buckets, const std::string& name) {
  double before = 0;
  for (const auto& [bound, count] : buckets) {
    if (count < before)
      return "the buckets of the histogram " + name + " do not rise at le=\"" +
             (std::isinf(bound) ? "+Inf" : shown(bound)) + '"';
    before = count;
  }
  return std::nullopt;
}

// What was observed up to each bound, over all series of the histogram: of a page, or of growth. Each of its
// histograms is looked at alone, too: the others would hide one whose buckets do not rise.
std::variant<std::map<double, double>, std::string> buckets_in(const std::map<Labels, double>& grown,
                                                               const std::string& name) {
  std::map<double, double> buckets;
  std::map<Labels, std::map<double, double>> each;
  for (const auto& [labels, count] : grown) {
    Labels others = labels;
    const auto bound = std::ranges::find(others, "le", &Labels::value_type::first);
    if (bound == others.end()) return "the series " + named(name, labels) + " has no label le";
    const auto number = signed_real(bound->second);
    if (!number || std::isnan(*number))
      return "the series " + named(name, labels) + " has a label le that is no number";
    others.erase(bound);
    each[std::move(others)][*number] += count;
    buckets[*number] += count;
  }
  if (buckets.empty() || !std::isinf(buckets.rbegin()->first))
    return "the histogram " + name + " has no bucket for le=\"+Inf\"";
  for (const auto& [labels, own] : each) {
    if (auto why = fall_in(own, named(name, labels))) return *std::move(why);
  }
  if (auto why = fall_in(buckets, name)) return *std::move(why);
  return buckets;
}

MetricReading interpolated(const std::map<double, double>& buckets, double quantile,
                           const std::string& name) {
  const double rank = quantile * buckets.rbegin()->second;
  double low = 0, below = 0;
  for (const auto& [bound, count] : buckets) {
    if (count < rank || count == 0) {
      low = bound;
      below = count;
      continue;
    }
    if (std::isinf(bound))
      return none("the quantile lies above the last bucket of " + name + ", " + shown(low) +
                  ": the histogram needs larger ones");
    if (below == 0 && bound <= 0) return finite(bound, name);
    return finite(low + (bound - low) * (rank - below) / (count - below), name);
  }
  return none("the histogram " + name + " is empty");
}

}  // namespace

PageSeries read_series(std::string_view page, const SeriesSelector& wanted) {
  PageSeries series{.name = wanted.name, .values = {}, .why_none = {}};
  const auto fail = [&](std::string why) {
    return PageSeries{.name = wanted.name, .values = {}, .why_none = std::move(why)};
  };
  if (page.size() > kLargestPage) {
    return fail("the page has " + std::to_string(page.size()) + " bytes, of which at most " +
                std::to_string(kLargestPage) + " are read");
  }
  if (page.empty()) return fail("the page is empty");
  if (!page.ends_with('\n')) return fail("the page ends in the middle of a line");
  for (const std::string_view line : split(page, '\n')) {
    const auto rest = sample_of(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line, wanted.name);
    if (!rest) continue;
    auto sample = parse_sample(*rest);
    if (const auto* why = std::get_if<std::string>(&sample))
      return fail("the series " + wanted.name + ' ' + *why);
    auto& [labels, value] = std::get<Sample>(sample);
    if (!has_labels(labels, wanted.labels)) continue;
    const auto [known, fresh] = series.values.emplace(std::move(labels), value);
    if (!fresh) return fail("the series " + named(wanted.name, known->first) + " is there twice");
  }
  if (series.values.empty()) return fail("the page has no series " + named(wanted.name, wanted.labels));
  return series;
}

SeriesSelector buckets_of(SeriesSelector histogram) {
  histogram.name += "_bucket";
  return histogram;
}

MetricReading value_of(const PageSeries& series) {
  if (!series.why_none.empty()) return none(series.why_none);
  double sum = 0;
  for (const auto& [labels, value] : series.values) sum += value;
  return finite(sum, series.name);
}

std::optional<std::string> fall_between(const PageSeries& before, const PageSeries& after) {
  const auto grown = growth(before, after);
  const auto* why = std::get_if<std::string>(&grown);
  if (why == nullptr || !before.why_none.empty() || !after.why_none.empty()) return std::nullopt;
  return *why;
}

MetricReading rate_between(const PageSeries& before, const PageSeries& after, double seconds) {
  const auto grown = growth(before, after);
  if (const auto* why = std::get_if<std::string>(&grown)) return none(*why);
  if (!(seconds > 0)) return none("no time has passed between two looks at " + after.name);
  double sum = 0;
  for (const auto& [labels, increase] : std::get<0>(grown)) sum += increase;
  return finite(sum / seconds, after.name);
}

MetricReading quantile_between(const PageSeries& before, const PageSeries& after, double quantile,
                               std::uint64_t least_requests) {
  const auto grown = growth(before, after);
  if (const auto* why = std::get_if<std::string>(&grown)) return none(*why);
  for (const PageSeries* page : {&before, &after}) {
    const auto shown_there = buckets_in(page->values, page->name);
    if (const auto* why = std::get_if<std::string>(&shown_there)) return none(*why);
  }
  const auto buckets = buckets_in(std::get<0>(grown), after.name);
  if (const auto* why = std::get_if<std::string>(&buckets)) return none(*why);
  const double requests = std::get<0>(buckets).rbegin()->second;
  if (requests < static_cast<double>(least_requests)) {
    return none("too few requests: " + shown(requests) + ", at least " + std::to_string(least_requests) +
                " are needed");
  }
  return interpolated(std::get<0>(buckets), quantile, after.name);
}

}  // namespace bulkhead
