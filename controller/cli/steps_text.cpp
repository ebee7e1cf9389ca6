// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/steps_text.h"

namespace bulkhead {

std::string steps_text(const std::vector<Step>& steps, const Style& style) {
  const std::size_t digits = std::to_string(steps.size()).size();
  const std::string indent(digits + 4, ' ');
  std::string text;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const std::string number = std::to_string(index + 1);
    text += "  " + std::string(digits - number.size(), ' ') + number + "  ";
    text += wrapped(describe(steps[index]), style.width - indent.size(), indent) + '\n';
  }
  return text;
}

}  // namespace bulkhead
