// SPDX-License-Identifier: Apache-2.0
#include "policies/policy.h"

#include <algorithm>

namespace bulkhead {

const Service* Policy::find_service(const std::string& service_name) const {
  const auto found = std::ranges::find(services, service_name, &Service::name);
  return found == services.end() ? nullptr : &*found;
}

const ServiceClass* Policy::find_class(const std::string& class_name) const {
  const auto found = std::ranges::find(classes, class_name, &ServiceClass::name);
  return found == classes.end() ? nullptr : &*found;
}

}  // namespace bulkhead
