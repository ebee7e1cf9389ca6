// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/live_host.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/held_signals.h"
#include "controller/kernel/paths.h"
#include "controller/topology/hwloc_loader.h"

namespace bulkhead {

LiveHost::LiveHost(const Options& options, bool mount, bool cdp)
    : files_(make_linux_file_system()),
      mounted_by_us_(mount && mount_resctrl(*files_, cdp)),
      units_(runs_systemd(*files_) ? connect_to_systemd() : nullptr),
      machine_(load_live_machine()),
      store_(options.runtime_dir.empty() ? std::string(paths::kRuntime) : options.runtime_dir),
      engine_(*files_, units_.get(), store_, machine_) {
  engine_.set_ccd_bandwidth(options.ccd_bandwidth);
}

bool LiveHost::mount_resctrl(FileSystem& files, bool cdp) {
  const ResctrlPresence presence = find_resctrl(files);
  if (presence.state == ResctrlState::mounted) return false;
  if (presence.state != ResctrlState::not_mounted) throw Error(ErrorCode::unsupported, presence.explanation);
  files.mount("resctrl", presence.mount_point, cdp ? "cdp" : "");
  return true;
}

Proposal LiveHost::propose(const PolicySource& source, bool& unread_state) {
  State remembered;
  try {
    remembered = engine_.state();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    unread_state = true;
  }
  try {
    return engine_.propose(source, remembered);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported || presence().explanation.empty()) throw;
    ErrorDetail detail = error.detail();
    if (detail.message.find(presence().explanation) == std::string::npos) {
      detail.message += "; " + presence().explanation;
    }
    throw Error(std::move(detail));
  }
}

void LiveHost::finish_interrupted(const Console& console, bool only_looks) {
  const HeldSignals held;
  try {
    const std::optional<Recovery> recovery =
        only_looks ? engine_.recover(0) : engine_.recover(Engine::kLockPatienceMs);
    if (!recovery) return;
    console.notice("the interrupted " + recovery->action + " was undone (" +
                   counted(recovery->steps, "step") + ')');
    for (const std::string& note : recovery->notes) console.notice(note);
  } catch (const Error& error) {
    if (!only_looks || error.code() != ErrorCode::conflict) throw;
    console.notice("somebody is changing this host right now, so this is how it looks in between: " +
                   std::string(error.what()));
  }
}

bool wants_cdp(const Policy& policy) {
  const auto apart = [](const auto& owner) { return owner.l3 && owner.l3->code; };
  return std::any_of(policy.services.begin(), policy.services.end(), apart) ||
         std::any_of(policy.classes.begin(), policy.classes.end(), apart);
}

}  // namespace bulkhead
