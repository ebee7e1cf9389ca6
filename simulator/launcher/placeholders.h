// SPDX-License-Identifier: Apache-2.0
// Real processes in the place of modelled services: they have the name and the threads, and sleep.
#pragma once

#include <string>

namespace bulkhead::sim {

// Starts one as a child of this process, and returns its id once all its threads are there.
int start_placeholder(const std::string& name, unsigned threads);

}  // namespace bulkhead::sim
