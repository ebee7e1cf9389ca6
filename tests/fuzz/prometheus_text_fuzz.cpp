// SPDX-License-Identifier: Apache-2.0
// Two pages, one behind the other with a form feed between: whatever they hold, each reading is a finite
// number or a reason, and a counter's growth is never below 0.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "controller/experiment/prometheus_text.h"
#include "tests/fuzz/check_diagnostics.h"

namespace {

using namespace bulkhead;
using fuzz::require;

constexpr double kQuantiles[]{0.01, 0.5, 0.999};

double number_of(const MetricReading& reading) {
  require(reading.value.has_value() == reading.why_none.empty());
  if (!reading.value) return 0;
  require(std::isfinite(*reading.value));
  return *reading.value;
}

void check_buckets(const PageSeries& before, const PageSeries& after) {
  double below = 0;
  bool first = true;
  for (const double quantile : kQuantiles) {
    const MetricReading reading = quantile_between(before, after, quantile, 1);
    const double value = number_of(reading);
    if (!reading.value) continue;
    require(first || value >= below);
    below = value;
    first = false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cut = text.find('\f');
  const std::string_view first = text.substr(0, cut);
  const std::string_view second = cut == std::string_view::npos ? first : text.substr(cut + 1);
  for (const char* name : {"x", "x{a=\"1\"}", "h_bucket"}) {
    const auto wanted = std::get<SeriesSelector>(parse_series(name));
    const PageSeries before = read_series(first, wanted);
    const PageSeries after = read_series(second, wanted);
    require(before.values.empty() != before.why_none.empty());
    number_of(value_of(after));
    require(number_of(rate_between(before, after, 1)) >= 0);
    check_buckets(before, after);
  }
  return 0;
}
