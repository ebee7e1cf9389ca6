// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/steps_text.h"

#include <nlohmann/json.hpp>

#include "controller/engine/step_json.h"

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

nlohmann::ordered_json steps_json(const std::vector<Step>& steps) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Step& step : steps) {
    nlohmann::ordered_json entry = to_json(step);
    entry["description"] = describe(step);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace bulkhead
