// SPDX-License-Identifier: Apache-2.0
#include "controller/api/parameters.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "controller/api/suggestion.h"
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

using Input = nlohmann::json;

[[noreturn]] void refuse_params(const Method& method, const std::string& message) {
  throw Error(ErrorCode::usage, std::string(method.name) + ": " + message);
}

std::string names_of(const Method& method) {
  std::vector<std::string> names;
  for (const Parameter& parameter : method.parameters) names.emplace_back(parameter.name);
  return names.empty() ? "it has none" : "it has " + join(names, ", ");
}

Input by_name(const Method& method, Input positional) {
  if (positional.size() > method.parameters.size()) {
    refuse_params(method, counted(positional.size(), "parameter") + ", but " + names_of(method));
  }
  Input named = Input::object();
  for (std::size_t index = 0; index < positional.size(); ++index) {
    named[std::string(method.parameters[index].name)] = std::move(positional[index]);
  }
  return named;
}

void require_known(const Method& method, const std::string& name) {
  const auto found = std::find_if(method.parameters.begin(), method.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  if (found != method.parameters.end()) return;
  std::string hint = suggestion(name, method.parameters);
  if (hint.empty()) hint = "; " + names_of(method);
  refuse_params(method, "there is no parameter " + in_quotes(name) + hint);
}

void require_fitting(const Method& method, const Parameter& parameter, const Input& params) {
  const auto given = params.find(parameter.name);
  const ParameterTypeRow& type = row_of(parameter.type);
  const std::string name = in_quotes(parameter.name);
  if (given == params.end()) {
    if (parameter.required)
      refuse_params(method, "the parameter " + name + " is missing: " + std::string(type.words));
    return;
  }
  if (!type.fits(*given))
    refuse_params(method, name + " is " + std::string(type.words) + ", not " + shortened(given->dump()));
}

}  // namespace

Input named_parameters(const Method& method, Input params) {
  if (params.is_null()) params = Input::object();
  if (params.is_array()) params = by_name(method, std::move(params));
  for (const auto& given : params.items()) require_known(method, given.key());
  for (const Parameter& parameter : method.parameters) require_fitting(method, parameter, params);
  return params;
}

}  // namespace bulkhead
