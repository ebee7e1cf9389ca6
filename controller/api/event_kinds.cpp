// SPDX-License-Identifier: Apache-2.0
#include "controller/api/event_kinds.h"

#include <array>

namespace bulkhead {
namespace {

constexpr std::array kEventKinds{
    EventKindRow{EventKind::policy_applied, "policy.applied", "a policy is in force"},
    EventKindRow{EventKind::policy_reset, "policy.reset", "no policy is in force any more"},
    EventKindRow{EventKind::service_attached, "service.attached", "processes were given to a service"},
    EventKindRow{EventKind::service_detached, "service.detached", "processes were taken from a service"},
    EventKindRow{EventKind::service_found, "service.found", "what a service selects has appeared"},
    EventKindRow{EventKind::service_waiting, "service.waiting",
                 "nothing that a service selects is there any more"},
    EventKindRow{EventKind::drift_found, "drift.found", "the host is not as planned"},
    EventKindRow{EventKind::drift_repaired, "drift.repaired", "it is as planned again"},
    EventKindRow{EventKind::drift_left, "drift.left", "drift is not repaired, and why"},
    EventKindRow{EventKind::behaviour_changed, "behaviour.changed",
                 "counters or threads are judged otherwise than before"},
    EventKindRow{EventKind::host_changed, "host.changed", "CPUs came or went"},
    EventKindRow{EventKind::reconcile_failed, "reconcile.failed",
                 "looking at the host, or repairing it, failed"},
    EventKindRow{EventKind::experiment_window, "experiment.window", "a window of an experiment was measured"},
    EventKindRow{EventKind::experiment_block, "experiment.block",
                 "a block of an experiment has ended, and was judged"},
    EventKindRow{EventKind::experiment_ended, "experiment.ended",
                 "an experiment has ended, and the state from before has returned"},
    EventKindRow{EventKind::lost, "lost", "the subscriber was too slow for as many events as \"count\" says"},
};

}  // namespace

std::span<const EventKindRow> event_kinds() {
  return kEventKinds;
}

std::string_view to_string(EventKind kind) {
  for (const EventKindRow& row : kEventKinds) {
    if (row.kind == kind) return row.name;
  }
  return {};
}

std::optional<EventKind> parse_event_kind(std::string_view name) {
  for (const EventKindRow& row : kEventKinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

}  // namespace bulkhead
