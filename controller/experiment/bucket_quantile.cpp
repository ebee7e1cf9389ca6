// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/bucket_quantile.h"

#include <algorithm>
#include <cmath>

#include "controller/experiment/change_text.h"

namespace bulkhead {
namespace {

MetricReading none(std::string why) {
  return {std::nullopt, std::move(why)};
}

// What is wrong with one look at the histogram; empty if nothing is.
std::string trouble(const std::vector<CumulativeBucket>& buckets) {
  if (buckets.empty() || !std::isinf(buckets.back().bound)) return "the histogram has no bucket le=\"+Inf\"";
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (!std::isfinite(buckets[i].count) || buckets[i].count < 0) {
      return "the histogram has a bucket that is no count";
    }
    if (i == 0) continue;
    if (!(buckets[i].bound > buckets[i - 1].bound)) return "the histogram's bounds do not rise";
    if (buckets[i].count < buckets[i - 1].count)
      return "a bucket of the histogram counts less than the one below";
  }
  return "";
}

std::string counted_requests(double count, std::uint64_t least) {
  return format_number(count) + " samples in the window, and " + std::to_string(least) + " are needed";
}

double within(const CumulativeBucket& lower, const CumulativeBucket& bucket, double rank) {
  const double share = (rank - lower.count) / (bucket.count - lower.count);
  return lower.bound + (bucket.bound - lower.bound) * share;
}

}  // namespace

MetricReading bucket_quantile(const std::vector<CumulativeBucket>& before,
                              const std::vector<CumulativeBucket>& after, double share,
                              std::uint64_t least_requests) {
  for (const auto* buckets : {&before, &after}) {
    if (std::string why = trouble(*buckets); !why.empty()) return none(std::move(why));
  }
  const bool same = std::equal(before.begin(), before.end(), after.begin(), after.end(),
                               [](const auto& one, const auto& other) { return one.bound == other.bound; });
  if (!same) return none("the histogram's bounds changed during the window");
  std::vector<CumulativeBucket> gained = after;
  for (std::size_t i = 0; i < gained.size(); ++i) {
    gained[i].count -= before[i].count;
    if (gained[i].count < 0) return none("the histogram counts less than before: it was reset");
    if (i > 0 && gained[i].count < gained[i - 1].count) {
      return none("the histogram's buckets do not belong to one moment");
    }
  }
  const double total = gained.back().count;
  if (total <= 0 || total < static_cast<double>(least_requests))
    return none(counted_requests(total, least_requests));
  const double rank = share * total;
  const auto bucket =
      std::find_if(gained.begin(), gained.end(), [&](const auto& one) { return one.count >= rank; });
  if (std::isinf(bucket->bound)) {
    if (gained.size() == 1) return none("the histogram has no finite bucket");
    return none("the quantile lies beyond the histogram's last bound, " +
                format_number(gained[gained.size() - 2].bound));
  }
  if (bucket == gained.begin()) {
    return {bucket->bound <= 0 ? bucket->bound : within({0, 0}, *bucket, rank), ""};
  }
  return {within(*(bucket - 1), *bucket, rank), ""};
}

}  // namespace bulkhead
