// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/processor_figures.h"

namespace bulkhead::sim {

std::optional<ProcessorFigures> figures_of(const std::string& processor) {
  constexpr std::string_view kBrand = "AMD EPYC ";
  constexpr std::size_t kDigits = 4;
  if (!processor.starts_with(kBrand) || processor.size() < kBrand.size() + kDigits) return std::nullopt;
  const std::string number = processor.substr(kBrand.size(), kDigits);
  if (number.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const bool is_server = number[0] >= '7';  // 4004 is a desktop's
  switch (is_server ? number[kDigits - 1] : '\0') {
    case '3':
      return ProcessorFigures{4, 8, 1600, 1600, 280, 3500, 1500};
    case '4':
      return ProcessorFigures{5, 12, 2400, 1800, 360, 3700, 1500};
    case '5':
      return ProcessorFigures{7, 12, 3200, 2000, 500, 3700, 1500};
    default:
      return std::nullopt;
  }
}

}  // namespace bulkhead::sim
