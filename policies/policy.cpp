// SPDX-License-Identifier: Apache-2.0
#include "policies/policy.h"

#include <algorithm>

namespace bulkhead {

const ServiceClass* Policy::find_class(const std::string& class_name) const {
  const auto found = std::ranges::find(classes, class_name, &ServiceClass::name);
  return found == classes.end() ? nullptr : &*found;
}

}  // namespace bulkhead
