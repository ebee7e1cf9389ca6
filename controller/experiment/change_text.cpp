// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/change_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace bulkhead {
namespace {

std::string printed(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string format_change(double relative) {
  const double percent = relative * 100;
  if (std::abs(percent) < 0.005) return "+0 %";
  if (std::abs(percent) < 0.995) return printed("%+.2f %%", percent);
  return printed(std::abs(percent) < 99.95 ? "%+.1f %%" : "%+.0f %%", percent);
}

std::string format_share(double share) {
  return printed("%.4g %%", share * 100);
}

std::string format_number(double value) {
  return printed("%.4g", value);
}

}  // namespace bulkhead
