// SPDX-License-Identifier: Apache-2.0
// The API described for programs, of the table of methods: an OpenRPC 1.3 document.
#pragma once

#include <string>

namespace bulkhead {

// On one line.
const std::string& open_rpc_document();

}  // namespace bulkhead
