// SPDX-License-Identifier: Apache-2.0
// What an experiment reads on a page in Prometheus' text format. Whoever serves the page may be broken: what
// is not plainly a number becomes a reason, never a number. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "controller/experiment/result.h"
#include "policies/series_selector.h"

namespace bulkhead {

// A larger page is not read.
inline constexpr std::size_t kLargestPage = 8 << 20;

// The series of a page that were asked for, at one moment. They are kept apart: in a sum, one counter that
// began anew would hide behind another that grew.
struct PageSeries {
  std::string name;
  std::map<Labels, double> values;  // labels in the order of their names
  std::string why_none;             // exactly where there are no values
};

PageSeries read_series(std::string_view page, const SeriesSelector& wanted);

// The series in which a histogram keeps its buckets.
SeriesSelector buckets_of(SeriesSelector histogram);

// A gauge: the sum.
MetricReading value_of(const PageSeries& series);

// Why growth between these pages is not known although both could be read: a counter fell, has gone, or is
// new.
std::optional<std::string> fall_between(const PageSeries& before, const PageSeries& after);

// A counter: its growth a second. Of a series that is new that is not known.
MetricReading rate_between(const PageSeries& before, const PageSeries& after, double seconds);

// Of a histogram's buckets: the quantile of what was observed in between, where that is at least
// `least_requests`. In a bucket it is interpolated, as Prometheus does.
MetricReading quantile_between(const PageSeries& before, const PageSeries& after, double quantile,
                               std::uint64_t least_requests);

}  // namespace bulkhead
