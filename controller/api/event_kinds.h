// SPDX-License-Identifier: Apache-2.0
// What there is to be told.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace bulkhead {

enum class EventKind {
  policy_applied,
  policy_reset,
  service_attached,
  service_detached,
  service_found,
  service_waiting,
  drift_found,
  drift_repaired,
  drift_left,
  behaviour_changed,
  host_changed,
  reconcile_failed,
  experiment_window,
  experiment_block,
  experiment_ended,
  lost,
};

struct EventKindRow {
  EventKind kind;
  std::string_view name;
  std::string_view summary;
};

std::span<const EventKindRow> event_kinds();
std::string_view to_string(EventKind kind);  // the name
std::optional<EventKind> parse_event_kind(std::string_view name);

}  // namespace bulkhead
