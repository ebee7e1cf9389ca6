// SPDX-License-Identifier: Apache-2.0
// mode: shareable or exclusive. The modelled processors have no pseudo-locking.
#include <cerrno>

#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

int Resctrl::make_exclusive(Group& group) {
  bool has_cache = false;
  for (const Schema& schema : schemas_) {
    if (schema.cache == nullptr) continue;
    has_cache = true;
    for (const auto& [domain, mask] : group.values[schema.name]) {
      if (overlaps(group, schema, domain, mask, false)) return fail(EINVAL, "Schemata overlaps");
    }
  }
  if (!has_cache) return fail(EINVAL, "Cannot be exclusive without CAT/CDP");
  group.mode = GroupMode::exclusive;
  return 0;
}

int Resctrl::write_mode(Group& group, std::string_view text) {
  command_starts();
  if (!text.ends_with('\n')) return EINVAL;
  text.remove_suffix(1);
  status_.clear();
  if (text == "shareable") {
    group.mode = GroupMode::shareable;
    return 0;
  }
  if (text == "exclusive") return group.mode == GroupMode::exclusive ? 0 : make_exclusive(group);
  if (text == "pseudo-locksetup") {
    if (&group == root_.get()) return fail(EINVAL, "Cannot pseudo-lock default group");
    if (has_option("cdp") || has_option("cdpl2")) return fail(EINVAL, "CDP enabled");
    return fail(EINVAL, "Pseudo-locking not supported");
  }
  return fail(EINVAL, "Unknown or unsupported mode");
}

}  // namespace bulkhead::sim
