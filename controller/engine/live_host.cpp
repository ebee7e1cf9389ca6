// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/live_host.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/engine/actuator_choice.h"
#include "controller/kernel/mounts.h"
#include "controller/kernel/paths.h"
#include "controller/topology/hwloc_loader.h"

namespace bulkhead {
namespace {

constexpr std::string_view kAutomatic = "auto";

// What is taken in once.
std::string host_text(FileSystem& files) {
  std::string text = files.open_directory(std::string(paths::kCpu))->read("online");
  for (const Mount& mount : read_mounts(files)) {
    if (mount.type != "resctrl" && !mount.type.starts_with("cgroup")) continue;
    text += mount.type + ' ' + mount.point + ' ' + mount.options + (mount.read_only ? " ro\n" : "\n");
  }
  return text;
}

}  // namespace

LiveHost::LiveHost(const LiveHostOptions& options)
    : files_(make_linux_file_system()),
      automatic_(options.actuator == kAutomatic),
      mounted_by_us_(options.mount && mount_resctrl(*files_, options.cdp)),
      as_opened_(host_text(*files_)),
      units_(runs_systemd(*files_) ? connect_to_systemd() : nullptr),
      machine_(load_live_machine()),
      store_(options.runtime_dir.empty() ? std::string(paths::kRuntime) : options.runtime_dir),
      engine_(*files_, units_.get(), store_, machine_,
              make_group_actuator(choose_actuator(options.actuator, store_), *files_, machine_)) {
  engine_.set_ccd_bandwidth(options.ccd_bandwidth);
}

bool LiveHost::has_changed() {
  if (host_text(*files_) != as_opened_) return true;
  return automatic_ && choose_actuator(std::string(kAutomatic), store_) != engine_.groups().name();
}

bool LiveHost::mount_resctrl(FileSystem& files, bool cdp) {
  const ResctrlPresence presence = find_resctrl(files);
  if (presence.state == ResctrlState::mounted) return false;
  if (presence.state != ResctrlState::not_mounted) throw Error(ErrorCode::unsupported, presence.explanation);
  files.mount("resctrl", presence.mount_point, cdp ? "cdp" : "");
  return true;
}

Proposal LiveHost::propose(const PolicySource& source) {
  State remembered;
  bool unread = false;
  try {
    remembered = engine_.state();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    unread = true;
  }
  Proposal proposal = propose(source, remembered);
  if (unread) {
    proposal.plan.notes.push_back(
        "what an earlier apply changed may only be read by root: the changes are those from the host as it "
        "is");
  }
  return proposal;
}

// The engine knows that no groups can be had; the actuator knows why.
Proposal LiveHost::propose(const PolicySource& source, const State& remembered) {
  try {
    return engine_.propose(source, remembered);
  } catch (const Error& error) {
    const std::string lack = engine_.groups().lack();
    if (error.code() != ErrorCode::unsupported || lack.empty()) throw;
    ErrorDetail detail = error.detail();
    if (detail.message.find(lack) == std::string::npos) {
      detail.message += "; " + lack;
    }
    throw Error(std::move(detail));
  }
}

std::string LiveHost::mount_point() {
  return presence().state == ResctrlState::mounted ? presence().mount_point : "";
}

std::unique_ptr<CounterSource> LiveHost::counter_source() {
  return make_counter_source(engine_.groups(), *files_, machine_, store_.directory());
}

std::string LiveHost::lack_of_counters() {
  return "there are no counters: " + engine_.groups().lack();
}

bool wants_cdp(const Policy& policy) {
  const auto apart = [](const auto& owner) { return owner.l3 && owner.l3->code; };
  return std::any_of(policy.services.begin(), policy.services.end(), apart) ||
         std::any_of(policy.classes.begin(), policy.classes.end(), apart);
}

}  // namespace bulkhead
