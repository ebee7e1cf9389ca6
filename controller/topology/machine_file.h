// SPDX-License-Identifier: Apache-2.0
// Machine files: JSON that describes a machine and its capabilities, for planning without it.
#pragma once

#include <string>
#include <string_view>

#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct Host {
  Machine machine;
  Capabilities capabilities;
};

// `file` is for error messages and relative paths of hwloc XML. Throws Error(invalid) with the place.
Host read_machine_file(std::string_view text, const std::string& file);

// A file's path, or a name of those that are installed (or in examples/machines of the source tree the
// program was built from). Throws Error(usage), with the name that is probably meant, where there is none.
Host load_machine(const std::string& file_or_name);

// The file that describes this host: `topology --json` prints it, and read_machine_file reads it back.
std::string write_machine_file(const Host& host);

}  // namespace bulkhead
