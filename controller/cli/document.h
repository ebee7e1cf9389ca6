// SPDX-License-Identifier: Apache-2.0
// Documents named on the command line.
#pragma once

#include <string>

#include "controller/engine/engine.h"

namespace bulkhead {

// The text of a file, or of standard input for "-". At most one byte more than kLargestPolicy is read: the
// reader refuses what is larger. Throws Error with the file's name as path.
PolicySource read_document(const std::string& name);

}  // namespace bulkhead
