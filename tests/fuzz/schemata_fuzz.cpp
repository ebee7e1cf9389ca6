// SPDX-License-Identifier: Apache-2.0
// Whatever a schemata file holds: it is read or refused, and what was read survives being written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controller/base/error.h"
#include "controller/resctrl/kernel_status.h"
#include "controller/resctrl/schemata.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bulkhead::task_stopped_at(bulkhead::latest_status(text));
  bulkhead::Schemata read;
  try {
    read = bulkhead::parse_schemata(text);
  } catch (const bulkhead::Error& error) {
    if (error.code() != bulkhead::ErrorCode::invalid || error.detail().message.size() > 400) std::abort();
    return 0;
  }
  std::erase_if(read, [](const auto& line) { return line.second.empty(); });
  const std::string written = bulkhead::render_schemata_change({}, read);
  if (bulkhead::parse_schemata(written) != read) std::abort();
  if (!bulkhead::render_schemata_change(read, read).empty()) std::abort();
  return 0;
}
