// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr double kBeyondTheLastRate = 1.5;

std::vector<double> logarithms(const std::vector<unsigned>& values) {
  std::vector<double> found;
  for (const unsigned value : values) found.push_back(std::log(std::max(value, 1U)));
  return found;
}

std::vector<double> logarithms(const std::vector<BandwidthAmount>& values) {
  std::vector<double> found;
  double last = 1;
  for (const BandwidthAmount& value : values) {
    if (const Rate* rate = std::get_if<Rate>(&value))
      last = static_cast<double>(rate->bytes_per_second);
    else if (const Percent* percent = std::get_if<Percent>(&value))
      last = percent->hundredths;
    else
      last *= kBeyondTheLastRate;
    found.push_back(std::log(std::max(last, 1.0)));
  }
  return found;
}

std::vector<double> between_0_and_1(std::vector<double> values) {
  const double low = values.front(), high = values.back();
  for (double& value : values) value = (value - low) / (high - low);
  return values;
}

std::string text_of(const BandwidthAmount& amount) {
  if (const Rate* rate = std::get_if<Rate>(&amount)) return format_rate(rate->bytes_per_second);
  if (const Percent* percent = std::get_if<Percent>(&amount))
    return percent->to_string() + " of the bandwidth";
  return "unlimited bandwidth";
}

template <class Value>
std::optional<Value> chosen(const std::vector<Value>& values, std::size_t choice) {
  if (values.empty()) return std::nullopt;
  return values[choice];
}

}  // namespace

std::string describe(const SearchPoint& point) {
  std::vector<std::string> parts;
  if (point.ccds) parts.push_back(counted(*point.ccds, "CCD"));
  if (point.ways) parts.push_back(counted(*point.ways, "way"));
  if (point.bandwidth) parts.push_back(text_of(*point.bandwidth));
  if (point.threads_per_core) parts.push_back(counted(*point.threads_per_core, "thread") + " per core");
  return join(parts, ", ");
}

std::string describe(const SearchRanges& ranges) {
  std::vector<std::string> parts;
  const auto add = [&](const auto& values, auto text, const std::string& unit) {
    std::vector<std::string> texts;
    for (const auto& value : values) texts.push_back(text(value));
    if (texts.empty()) return;
    const std::string last = texts.back();
    texts.pop_back();
    parts.push_back((texts.empty() ? last : join(texts, ", ") + " or " + last) + unit);
  };
  const auto number = [](unsigned value) { return std::to_string(value); };
  add(ranges.ccds, number, " CCDs");
  add(ranges.ways, number, " ways");
  add(
      ranges.bandwidth, [](const BandwidthAmount& amount) { return text_of(amount); }, "");
  add(ranges.threads_per_core, number, " threads per core");
  return join(parts, ", ");
}

SearchSpace::SearchSpace(SearchRanges ranges) : ranges_(std::move(ranges)) {
  std::vector<double> ways(ranges_.ways.begin(), ranges_.ways.end());
  const std::array<std::vector<double>, 4> all = {logarithms(ranges_.ccds), std::move(ways),
                                                  logarithms(ranges_.bandwidth),
                                                  logarithms(ranges_.threads_per_core)};
  for (std::size_t want = 0; want < all.size(); ++want) {
    if (all[want].size() > 1) scales_.push_back({want, between_0_and_1(all[want])});
  }
}

std::size_t SearchSpace::size() const {
  std::size_t size = 1;
  for (const Scale& scale : scales_) size *= scale.coordinates.size();
  return size;
}

std::vector<std::size_t> SearchSpace::levels() const {
  std::vector<std::size_t> levels;
  for (const Scale& scale : scales_) levels.push_back(scale.coordinates.size());
  return levels;
}

std::vector<std::size_t> SearchSpace::choices(std::size_t number) const {
  std::vector<std::size_t> choices(4);
  for (const Scale& scale : scales_) {
    choices[scale.want] = number % scale.coordinates.size();
    number /= scale.coordinates.size();
  }
  return choices;
}

SearchPoint SearchSpace::point(std::size_t number) const {
  const std::vector<std::size_t> choice = choices(number);
  return {chosen(ranges_.ccds, choice[0]), chosen(ranges_.ways, choice[1]),
          chosen(ranges_.bandwidth, choice[2]), chosen(ranges_.threads_per_core, choice[3])};
}

std::vector<double> SearchSpace::coordinates(std::size_t number) const {
  const std::vector<std::size_t> choice = choices(number);
  std::vector<double> coordinates;
  for (const Scale& scale : scales_) coordinates.push_back(scale.coordinates[choice[scale.want]]);
  return coordinates;
}

std::size_t SearchSpace::at_shares(std::span<const double, 4> shares) const {
  std::size_t number = 0, unit = 1;
  for (const Scale& scale : scales_) {
    const std::size_t count = scale.coordinates.size();
    number +=
        unit * static_cast<std::size_t>(std::lround(shares[scale.want] * static_cast<double>(count - 1)));
    unit *= count;
  }
  return number;
}

}  // namespace bulkhead
