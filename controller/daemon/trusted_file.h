// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bulkhead {

// The content of a regular file that others cannot have put there: it belongs to root or to who runs this,
// and neither group nor others may write it or the directory that it is in. Throws Error(permission) for one
// that they may, Error(not_found), Error(invalid) for what is no regular file or larger than 4 MiB.
std::string read_trusted_file(const std::string& path);

}  // namespace bulkhead
