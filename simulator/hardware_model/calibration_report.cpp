// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "simulator/hardware_model/calibration.h"
#include "simulator/hardware_model/published.h"

namespace bulkhead::sim {
namespace {

constexpr double kTolerance = 0.05;  // of a ratio
constexpr std::array<const char*, kNewOn9965> kProcessors{"9755", "9845", "9965"};

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return std::string(text) + '\n';
}

double percent(double gain) {
  const double rounded = std::round(gain * 1000) / 10;
  return rounded == 0 ? 0 : rounded;  // not -0.0
}

std::string range(const Estimate& estimate) {
  char text[64];
  std::snprintf(text, sizeof text, "%+.1f to %+.1f %%", percent(estimate.low), percent(estimate.high));
  return text;
}

class Report {
 public:
  explicit Report(const Calibration& calibration)
      : calibration_(calibration), rows_(generation_rows({}, service_of_kind("lean-proxy").misses)) {}

  std::string text(unsigned draws, std::uint64_t seed) {
    std::string all = introduction(draws, seed) + parameters() + calibrated() + predicted();
    neighbours();
    high_load();
    new_proxy();
    return all + "\nMissed\n" + misses_;
  }

 private:
  std::string introduction(unsigned draws, std::uint64_t seed) const {
    return "A model calibrated on public numbers. It is never evidence of gains on a real host.\n"
           "Calibrated only on the rows about processors; the rows about isolation are predicted.\n"
           "There, \"less than 5 %\" is read as 0 to 5 %.\n" +
           line("%u draws from seed %llu, worth %.0f; ranges hold 90 %%.", draws,
                static_cast<unsigned long long>(seed), calibration_.effective_draws);
  }

  std::string parameters() const {
    std::string all = '\n' + line("%-40s %8s %8s   %s", "Parameter", "in use", "median", "range");
    for (std::size_t at = 0; at < parameter_ranges().size(); ++at) {
      const ParameterRange& range = parameter_ranges()[at];
      const Estimate& found = calibration_.parameters[at];
      all += line("%-40s %8.3f %8.3f   %.3f to %.3f", std::string(range.name).c_str(),
                  Parameters{}.*range.value, found.median, found.low, found.high);
    }
    return all;
  }

  std::string calibrated() {
    std::string all = '\n' + line("%-40s %9s %8s   %s", "Calibrated, against Gen 12", "published", "in use",
                                  "range of all draws");
    for (unsigned row = 0; row < kNewOn9965; ++row) {
      all += calibrated_row("throughput, old proxy on ", row, kPublishedThroughput[row],
                            rows_[row].throughput - 1, range(calibration_.throughput[row]));
    }
    all += calibrated_row("throughput, new proxy on ", kOldOn9965, kPublishedThroughput[kNewOn9965],
                          rows_[kNewOn9965].throughput - 1, "by its misses alone");
    for (unsigned row = 0; row < kNewOn9965; ++row) {
      all += calibrated_row("latency at low load, old proxy on ", row, kPublishedLowLatency[row],
                            rows_[row].low_latency - 1, range(calibration_.low_latency[row]));
    }
    return all;
  }

  std::string calibrated_row(const std::string& what, unsigned processor, double published, double model,
                             const std::string& remark) {
    const std::string name = what + kProcessors[processor];
    if (std::abs(std::log((1 + model) / (1 + published))) > kTolerance) {
      miss("%s: published %+.0f %%, in use %+.1f %%", name.c_str(), percent(published), percent(model));
    }
    return line("%-40s %+7.0f %% %+6.1f %%   %s", name.c_str(), percent(published), percent(model),
                remark.c_str());
  }

  std::string predicted() {
    const auto in_use = isolation_rows({});
    std::string all = '\n' + line("%-40s %-15s %8s %8s   %-18s  %s", "Predicted, proxy on 9965", "published",
                                  "in use", "median", "range", "neighbours");
    for (unsigned row = 0; row < kIsolationRows; ++row) {
      const PublishedIsolation& published = kPublishedIsolations[row];
      const Estimate& proxy = calibration_.proxy[row];
      const std::string name(published.name);
      all += line("%-40s %-15s %+6.1f %% %+6.1f %%   %-18s  %+.1f %%", name.c_str(),
                  std::string(published.words).c_str(), percent(in_use[row].proxy - 1), percent(proxy.median),
                  range(proxy).c_str(), percent(calibration_.neighbours[row].median));
      if (proxy.median >= published.low && proxy.median <= published.high) continue;
      const bool overlaps = proxy.high >= published.low && proxy.low <= published.high;
      miss("%s: published %s, median %+.1f %%; its range %s", name.c_str(),
           std::string(published.words).c_str(), percent(proxy.median),
           overlaps ? "reaches there" : "does not reach there");
    }
    return all;
  }

  void neighbours() {
    const double lost = calibration_.neighbours[kPqos1].median;
    if (lost < kPublishedSlightLoss) {
      miss("neighbours in PQOS 1: published a slight loss, median %+.1f %%", percent(lost));
    }
  }

  void high_load() {
    for (unsigned row = 0; row < kNewOn9965; ++row) {
      const double above = kPublishedHighLatencyAbove[row];
      const Estimate& found = calibration_.high_latency[row];
      if (rows_[row].high_latency - 1 > above && found.median > above) continue;
      miss(
          "latency at high load, old proxy on %s: published more than %+.0f %%, in use %+.1f %%, median "
          "%+.1f %%",
          kProcessors[row], percent(above), percent(rows_[row].high_latency - 1), percent(found.median));
    }
  }

  void new_proxy() {
    const double gone = 1 - (rows_[kNewOn9965].high_latency - 1) / (rows_[kOldOn9965].high_latency - 1);
    if (std::abs(gone - kPublishedPenaltyGone) > kTolerance) {
      miss(
          "latency at high load, new proxy on 9965: published %.0f %% of the old one's penalty gone, in use "
          "%.0f %%",
          percent(kPublishedPenaltyGone), percent(gone));
    }
    const double requests = rows_[kNewOn9965].throughput / rows_[kOldOn9965].throughput - 1;
    if (std::abs(requests - kPublishedRequestsPerCpuTime) > kTolerance) {
      miss("requests per CPU time, new proxy on 9965: published %+.0f %%, in use %+.1f %%, as its throughput",
           percent(kPublishedRequestsPerCpuTime), percent(requests));
    }
  }

  template <class... Values>
  void miss(const char* format, Values... values) {
    misses_ += line((std::string("- ") + format).c_str(), values...);
  }

  const Calibration& calibration_;
  std::array<GenerationRow, kGenerationRows> rows_;
  std::string misses_;
};

}  // namespace

std::string calibration_report(unsigned draws, std::uint64_t seed) {
  const Calibration calibration = calibrate(draws, seed);
  return Report(calibration).text(draws, seed);
}

}  // namespace bulkhead::sim
