// SPDX-License-Identifier: Apache-2.0
#include "controller/base/units.h"

#include <array>
#include <limits>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr std::array kByteUnits{Unit{"KiB", std::uint64_t{1} << 10}, Unit{"MiB", std::uint64_t{1} << 20},
                                Unit{"GiB", std::uint64_t{1} << 30}, Unit{"B", 1}, Unit{"", 1}};
constexpr std::array kRateUnits{Unit{"GB/s", 1'000'000'000}, Unit{"MB/s", 1'000'000}, Unit{"KB/s", 1'000}};

constexpr std::size_t kMostDecimals = 6;

// "2.5" times factor, exact or nothing. At most six decimals.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t factor) {
  const auto point = number.find('.');
  const std::string_view decimals = point == std::string_view::npos ? "" : number.substr(point + 1);
  if (decimals.size() > kMostDecimals || (point != std::string_view::npos && decimals.empty())) {
    return std::nullopt;
  }
  const auto whole = parse_integer<std::uint64_t>(number.substr(0, point));
  const auto fraction =
      decimals.empty() ? std::optional<std::uint64_t>{0} : parse_integer<std::uint64_t>(decimals);
  if (!whole || !fraction) return std::nullopt;
  std::uint64_t denominator = 1;
  for (std::size_t digit = 0; digit < decimals.size(); ++digit) denominator *= 10;
  if (*fraction * factor % denominator != 0) return std::nullopt;
  const std::uint64_t part = *fraction * factor / denominator;
  if (*whole > (std::numeric_limits<std::uint64_t>::max() - part) / factor) return std::nullopt;
  return *whole * factor + part;
}

std::optional<std::uint64_t> parse_amount(std::string_view text, std::span<const Unit> units) {
  text = trim(text);
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    return scaled(trim(text.substr(0, text.size() - unit.suffix.size())), unit.factor);
  }
  return std::nullopt;
}

// "2.5" for 2500000000 and 10^9; at most two decimals, rounded down.
std::string in_unit(std::uint64_t amount, std::uint64_t factor) {
  std::string text = std::to_string(amount / factor);
  const std::uint64_t hundredths = amount % factor * 100 / factor;
  if (hundredths == 0) return text;
  text += '.' + std::to_string(hundredths / 10);
  if (hundredths % 10 != 0) text += std::to_string(hundredths % 10);
  return text;
}

}  // namespace

std::optional<Percent> Percent::parse(std::string_view text) {
  text = trim(text);
  if (!text.ends_with('%')) return std::nullopt;
  const auto hundredths = scaled(trim(text.substr(0, text.size() - 1)), 100);
  constexpr std::uint64_t kMost = 10'000'000;
  if (!hundredths || *hundredths > kMost) return std::nullopt;
  return Percent{static_cast<std::uint32_t>(*hundredths)};
}

std::uint64_t Percent::of(std::uint64_t whole) const {
  // The quotient and the remainder apart, so that large amounts do not overflow.
  return whole / 10000 * hundredths + whole % 10000 * hundredths / 10000;
}

std::string Percent::to_string() const {
  return in_unit(hundredths, 100) + '%';
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  return parse_amount(text, kByteUnits);
}

std::string format_bytes(std::uint64_t bytes) {
  for (const Unit& unit : {kByteUnits[2], kByteUnits[1], kByteUnits[0]}) {
    if (bytes >= unit.factor && bytes % unit.factor == 0) {
      return std::to_string(bytes / unit.factor) + ' ' + std::string(unit.suffix);
    }
  }
  return std::to_string(bytes) + " B";
}

std::optional<std::uint64_t> parse_rate(std::string_view text) {
  return parse_amount(text, kRateUnits);
}

std::string format_rate(std::uint64_t bytes_per_second) {
  for (const Unit& unit : kRateUnits) {
    if (bytes_per_second >= unit.factor) {
      return in_unit(bytes_per_second, unit.factor) + ' ' + std::string(unit.suffix);
    }
  }
  return std::to_string(bytes_per_second) + " B/s";
}

}  // namespace bulkhead
