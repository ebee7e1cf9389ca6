// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/topology_report.h"
#include "controller/cli/verbs.h"
#include "controller/kernel/file_system.h"
#include "controller/resctrl/capabilities_reader.h"
#include "controller/topology/hwloc_loader.h"
#include "controller/topology/machine_file.h"

namespace bulkhead {

int run_topology(Call& call) {
  Host host;
  std::string no_resctrl;
  if (call.options.machine.empty()) {
    const auto files = make_linux_file_system();
    const ResctrlPresence presence = find_resctrl(*files);
    host.machine = load_live_machine();
    host.capabilities = read_capabilities(*files, presence, host.machine.vendor);
    no_resctrl = presence.explanation;
  } else {
    host = load_machine(call.options.machine);
  }
  if (call.options.json) {
    call.console.out += write_machine_file(host);
  } else {
    call.console.out += topology_report(host.machine, host.capabilities, no_resctrl, call.style());
  }
  return 0;
}

}  // namespace bulkhead
