// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/observed.h"

#include <algorithm>

namespace bulkhead {
namespace {

template <class Value, class Key>
const Value* find(const std::vector<Value>& values, Key Value::*key, const Key& wanted) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const Value& value) { return value.*key == wanted; });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

const ObservedGroup* Observed::find_group(const std::string& name) const {
  return find(groups, &ObservedGroup::name, name);
}

const ObservedCpuset* Observed::find_cpuset(const std::string& path) const {
  return find(cpusets, &ObservedCpuset::path, path);
}

const ObservedService* Observed::find_service(const std::string& name) const {
  return find(services, &ObservedService::service, name);
}

}  // namespace bulkhead
