// SPDX-License-Identifier: Apache-2.0
// Machine from hwloc. A CCD's id is hwloc's os_index of the L3 cache, which is the kernel's cache id.
#pragma once

#include <span>
#include <string>

#include "controller/base/identifiers.h"
#include "controller/topology/machine.h"

namespace bulkhead {

// This host as its kernel sees it, all of it even where this process is confined to a part. An L3 cache that
// the kernel has no id for is left out: nothing could be said to the kernel about it.
Machine load_live_machine();

// Of hwloc's synthetic description, or the text of lstopo's XML. `l3_ids`, if there are any, are the kernel's
// ids of the L3 caches in the order of their first CPUs; without, the description itself must have them.
// Throws Error(invalid) for a description that hwloc refuses, and for L3 caches without ids.
Machine load_synthetic_machine(const std::string& description, std::span<const CacheId> l3_ids = {});
Machine load_xml_machine(const std::string& xml, std::span<const CacheId> l3_ids = {});

}  // namespace bulkhead
