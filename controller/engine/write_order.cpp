// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/write_order.h"

#include <algorithm>
#include <utility>

#include "controller/engine/kernel_words.h"

namespace bulkhead {
namespace {

std::uint64_t value_in(const Schemata& schemata, Resource resource, CacheId domain) {
  const auto values = schemata.find(resource);
  if (values == schemata.end()) return 0;
  const auto value = values->second.find(domain);
  return value == values->second.end() ? 0 : value->second;
}

// Whether `giver` has ways now that it gives up and `taker` gets.
bool gives_to(const Resize& giver, const Resize& taker) {
  for (const auto& [resource, values] : taker.after) {
    if (!holds_ways(resource)) continue;
    for (const auto& [domain, wanted] : values) {
      const std::uint64_t given =
          value_in(giver.before, resource, domain) & ~value_in(giver.after, resource, domain);
      if ((given & wanted & ~value_in(taker.before, resource, domain)) != 0) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Step> in_safe_order(std::vector<Resize> resizes) {
  std::vector<Step> steps;
  while (!resizes.empty()) {
    const auto waits = [&](const Resize& taker) {
      return std::any_of(resizes.begin(), resizes.end(),
                         [&](const Resize& giver) { return &giver != &taker && gives_to(giver, taker); });
    };
    auto next = std::find_if_not(resizes.begin(), resizes.end(), waits);
    if (next == resizes.end()) next = resizes.begin();  // a circle: somebody must begin
    steps.push_back(std::move(next->step));
    resizes.erase(next);
  }
  return steps;
}

}  // namespace bulkhead
